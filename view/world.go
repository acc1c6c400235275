package view

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// world is the input of a picture before its bound: all nodes and edges.
type world struct {
	nodes []node
	edges []edge // by upper, then by lower, once arranged
	// down has the first edge of each upper node. The edges above node n are
	// above[up[n]:up[n+1]], in the order of their upper ends.
	down, up []int
	above    []int
	seen     []way // scratch of walks, all 0 between them
}

// index finds objects by the identity that references name: the UID, or the place where
// there is no UID. Several objects may have one identity. It finds at most maxSameUID of them.
type index struct {
	uid   map[graph.UID]int
	place map[graph.Key]int
	next  []int // the next object with the same identity, or -1
}

func newIndex(n int) *index {
	return &index{make(map[graph.UID]int, n), map[graph.Key]int{}, make([]int, 0, n)}
}

// add adds the object with the next number.
func (x *index) add(k graph.Key) {
	i, first := len(x.next), x.first(k)
	x.next = append(x.next, first)
	n := 0
	for at := first; at >= 0; at = x.next[at] {
		n++
	}
	if n == maxSameUID {
		return
	}
	if k.UID != "" {
		x.uid[k.UID] = i
	} else {
		x.place[k] = i
	}
}

// first returns an object with the identity of the key, or -1.
func (x *index) first(k graph.Key) int {
	i, ok := x.uid[k.UID]
	if k.UID == "" {
		i, ok = x.place[k]
	}
	if !ok {
		return -1
	}
	return i
}

// same reports whether two keys have one identity.
func same(a, b graph.Key) bool { return a.UID == b.UID && (a.UID != "" || a == b) }

// arrange sorts nodes and edges, and finds the edges of each node. Nodes have distinct keys,
// or are distinct actors. Several edges between two nodes become one.
func (w *world) arrange() {
	if !slices.IsSortedFunc(w.nodes, func(a, b node) int { return compare(&a, &b) }) {
		w.sort()
	}
	w.merge()
	w.down = begins(w.edges, len(w.nodes), func(e *edge) int { return e.upper })
	w.up = begins(w.edges, len(w.nodes), func(e *edge) int { return e.lower })
	w.above = make([]int, len(w.edges))
	at := slices.Clone(w.up)
	for i, e := range w.edges {
		w.above[at[e.lower]] = i
		at[e.lower]++
	}
	w.seen = make([]way, len(w.nodes))
}

func (w *world) sort() {
	order := make([]int, len(w.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return compare(&w.nodes[i], &w.nodes[j]) })
	nodes, at := make([]node, len(order)), make([]int, len(order))
	for to, from := range order {
		nodes[to], at[from] = w.nodes[from], to
	}
	w.nodes = nodes
	for i := range w.edges {
		e := &w.edges[i]
		e.upper, e.lower = at[e.upper], at[e.lower]
	}
}

// compare orders nodes by kind, rank and key. Actors come last.
func compare(a, b *node) int {
	if a.actor == b.actor && a.rank == b.rank {
		return a.key.Compare(b.key)
	}
	return cmp.Or(cmp.Compare(a.actor, b.actor), cmp.Compare(a.key.Kind, b.key.Kind), cmp.Compare(b.rank, a.rank), a.key.Compare(b.key))
}

// begins returns the number of edges whose end is below each node.
func begins(edges []edge, nodes int, end func(*edge) int) []int {
	out := make([]int, nodes+1)
	for i := range edges {
		out[end(&edges[i])+1]++
	}
	for i := range nodes {
		out[i+1] += out[i]
	}
	return out
}

// sortEdges sorts edges by one end, and keeps the order of those with the same end.
func sortEdges(edges []edge, nodes int, end func(*edge) int) []edge {
	at, out := begins(edges, nodes, end), make([]edge, len(edges))
	for i := range edges {
		to := &at[end(&edges[i])]
		out[*to] = edges[i]
		*to++
	}
	return out
}

// merge sorts the edges, and makes one of several between two nodes. A wait of a dependent
// for its owner is no edge of its own, because that would turn the picture upside down.
func (w *world) merge() {
	sorted := sortEdges(w.edges, len(w.nodes), func(e *edge) int { return e.lower })
	sorted = sortEdges(sorted, len(w.nodes), func(e *edge) int { return e.upper })
	out := sorted[:0]
	for _, e := range sorted {
		if n := len(out); n == 0 || byEnds(out[n-1], e) != 0 {
			out = append(out, e)
			continue
		}
		last := &out[len(out)-1]
		last.owns, last.member = last.owns || e.owns, last.member || e.member
		last.block, last.controller, last.policies = last.block || e.block, last.controller || e.controller, last.policies|e.policies
		last.join(e.notes)
	}
	w.edges = make([]edge, 0, len(out))
	for _, e := range out {
		turned := false
		if e.waits() && e.upper != e.lower {
			i, ok := slices.BinarySearchFunc(out, edge{upper: e.lower, lower: e.upper}, byEnds)
			turned = ok && out[i].owns
		}
		if !turned {
			w.edges = append(w.edges, e)
		}
	}
}

// join adds the flaws of another reference between the same nodes. One sound reference is
// enough for both.
func (e *edge) join(flaws []string) {
	switch {
	case len(e.notes) == 0 || len(flaws) == 0:
		e.notes = nil
	case len(e.notes) < maxNamed && e.notes[len(e.notes)-1] != flaws[0]:
		e.notes = append(slices.Clip(e.notes), flaws[0])
	}
}

func byEnds(a, b edge) int {
	if a.upper != b.upper {
		return a.upper - b.upper
	}
	return a.lower - b.lower
}
