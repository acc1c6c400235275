package exhaustive

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// names are those of the objects of a graph, and of their kinds.
var names = [...]string{"a", "b", "c", "d"}

// key returns the coordinates of the i-th object, of the kind that is its turn.
func key(i, kinds int) graph.Key {
	return graph.Key{Kind: graph.Kind(names[i%kinds]), Name: names[i], UID: graph.UID(names[i])}
}

// Graphs returns every graph of n objects, one of each class of renamings, in
// which each ordered pair has no reference, a plain or a blocking one: 6 for
// 2, 138 for 3, 22,815 for 4. The ones with few references come first. The
// objects are of so many kinds, 0 for one each: events of different kinds are
// delayed on their own.
func Graphs(n, kinds int) [][]graph.Object { return graphs(n, kinds, false) }

// Selves returns the graphs in which an object may also refer to itself, plainly
// or blocking: 3 of one object, 45 of two, 3,411 of three. Those of Graphs are
// among them.
func Selves(n, kinds int) [][]graph.Object { return graphs(n, kinds, true) }

func graphs(n, kinds int, selves bool) [][]graph.Object {
	if kinds == 0 {
		kinds = n
	}
	var pairs [][2]int
	for d := range n {
		for o := range n {
			if d != o || selves {
				pairs = append(pairs, [2]int{d, o})
			}
		}
	}
	perms := permutations(n)
	total := 1
	for range pairs {
		total *= 3
	}
	var codes []int
	for code := range total {
		if smallest(code, n, pairs, perms) {
			codes = append(codes, code)
		}
	}
	slices.SortStableFunc(codes, func(a, b int) int { return cmp.Compare(weight(a), weight(b)) })
	out := make([][]graph.Object, len(codes))
	for i, code := range codes {
		out[i] = build(code, n, kinds, pairs)
	}
	return out
}

// smallest reports whether no renaming of the graph has a smaller code.
func smallest(code, n int, pairs [][2]int, perms [][]int) bool {
	digits := make([]int, n*n)
	for i, c := 0, code; i < len(pairs); i++ {
		digits[pairs[i][0]*n+pairs[i][1]] = c % 3
		c /= 3
	}
	for _, p := range perms {
		renamed := 0
		for i := len(pairs) - 1; i >= 0; i-- {
			renamed = renamed*3 + digits[p[pairs[i][0]]*n+p[pairs[i][1]]]
		}
		if renamed < code {
			return false
		}
	}
	return true
}

func weight(code int) (w int) {
	for ; code > 0; code /= 3 {
		w += code % 3
	}
	return w
}

func build(code, n, kinds int, pairs [][2]int) []graph.Object {
	objects := make([]graph.Object, n)
	for i := range objects {
		objects[i] = graph.Object{Key: key(i, kinds), Version: "1"}
	}
	for _, p := range pairs {
		if r := code % 3; r > 0 {
			objects[p[0]].Owners = append(objects[p[0]].Owners, graph.Owner{Key: key(p[1], kinds), Block: r == 2})
		}
		code /= 3
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
