package exhaustive

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// names are those of the objects of a graph, and of their kinds.
var names = [...]string{"a", "b", "c", "d"}

// key returns the coordinates of the i-th object. Kinds take turns.
func key(i, kinds int) graph.Key {
	return graph.Key{Kind: graph.Kind(names[i%kinds]), Name: names[i], UID: graph.UID(names[i])}
}

// Graphs returns every graph of n objects, one of each class of renamings. Each ordered
// pair has no reference, a plain or a blocking one. There are 6 graphs of 2 objects,
// 138 of 3, and 22,815 of 4. Graphs with few references come first. The objects have
// the given number of kinds, 0 for one each. The events of each kind are delayed on
// their own.
func Graphs(n, kinds int) [][]graph.Object { return graphs(n, kinds, shape{}) }

// Selves returns the graphs in which an object may also refer to itself, plainly or
// blocking: 3 of one object, 45 of two, 3,411 of three. They include those of Graphs.
func Selves(n, kinds int) [][]graph.Object { return graphs(n, kinds, shape{selves: true}) }

// foreign is a finalizer that the engine does not handle.
const foreign = "foreign"

// shape names the graphs besides those of Graphs.
type shape struct {
	selves  bool // references of an object to itself
	foreign bool // objects with a foreign finalizer
	doubts  bool // references with unresolved coordinates
	// policies are those of the references, if there are any. Each reference blocks then.
	policies []graph.OnDelete
}

// values is the number of values of a pair: no reference, a plain one, a blocking one,
// and the last two unresolved. With policies it is no reference, and one of each policy.
func (s shape) values() int {
	switch {
	case s.policies != nil:
		return 1 + len(s.policies)
	case s.doubts:
		return 5
	}
	return 3
}

// reference returns the reference of a value.
func (s shape) reference(value int, k graph.Key) graph.Owner {
	if s.policies != nil {
		return graph.Owner{Key: k, Block: true, OnDelete: s.policies[value-1]}
	}
	return graph.Owner{Key: k, Block: value%2 == 0, Unresolved: value > 2}
}

func graphs(n, kinds int, s shape) [][]graph.Object {
	if kinds == 0 {
		kinds = n
	}
	var pairs [][2]int
	for d := range n {
		for o := range n {
			if d != o || s.selves {
				pairs = append(pairs, [2]int{d, o})
			}
		}
	}
	perms := permutations(n)
	base, total := s.values(), 1
	for range pairs {
		total *= base
	}
	edges := total
	if s.foreign {
		total <<= n
	}
	var codes []int
	for code := range total {
		if smallest(code, n, base, pairs, perms) {
			codes = append(codes, code)
		}
	}
	slices.SortStableFunc(codes, func(a, b int) int { return cmp.Compare(weight(a, edges, base), weight(b, edges, base)) })
	out := make([][]graph.Object, len(codes))
	for i, code := range codes {
		out[i] = build(code, n, kinds, s, pairs)
	}
	return out
}

// smallest reports whether no renaming of the graph has a smaller code. A code has a
// digit for each pair, and above these a bit for each object.
func smallest(code, n, base int, pairs [][2]int, perms [][]int) bool {
	digits, rest := make([]int, n*n), code
	for i := 0; i < len(pairs); i++ {
		digits[pairs[i][0]*n+pairs[i][1]] = rest % base
		rest /= base
	}
	for _, p := range perms {
		renamed := 0
		for i := n - 1; i >= 0; i-- {
			renamed = renamed*2 + rest>>p[i]&1
		}
		for i := len(pairs) - 1; i >= 0; i-- {
			renamed = renamed*base + digits[p[pairs[i][0]]*n+p[pairs[i][1]]]
		}
		if renamed < code {
			return false
		}
	}
	return true
}

// weight adds up the digits, and the bits.
func weight(code, edges, base int) int {
	w := bits.OnesCount(uint(code / edges))
	for code %= edges; code > 0; code /= base {
		w += code % base
	}
	return w
}

func build(code, n, kinds int, s shape, pairs [][2]int) []graph.Object {
	base := s.values()
	objects := make([]graph.Object, n)
	for i := range objects {
		objects[i] = graph.Object{Key: key(i, kinds), Version: "1"}
	}
	for _, p := range pairs {
		if r := code % base; r > 0 {
			objects[p[0]].Owners = append(objects[p[0]].Owners, s.reference(r, key(p[1], kinds)))
		}
		code /= base
	}
	for i := range objects {
		if code>>i&1 != 0 {
			objects[i].Finalizers = []string{foreign}
		}
	}
	return objects
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for i := range n {
			out = append(out, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return out
}
