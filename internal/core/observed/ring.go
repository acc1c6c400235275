package observed

import (
	"cmp"
	"slices"
)

// RingSearch finds rings, which are strongly connected components of two or more nodes.
// It finds waiting nodes that blocking references join. It also finds isolated cycles of
// observed nodes that any reference joins: see NewIsolatedCycleSearch. It is Tarjan's
// algorithm (SIAM J. Comput. 1972) with the stack as data. A search of any size goes on
// in slices and never recurses. An unresolved reference leads to the node with its UID,
// because it blocks that node.
//
// A search reads the present graph in each step. It is exact only if no waiting node has
// changed from its first step to its last. The caller watches for such a change and
// begins a new search. A RingSearch is not safe for concurrent use.
//
// Held by TestRingSearch and TestRingSearchMeanwhile.
type RingSearch struct {
	// Skip, if it is set, reports whether a waiting node counts as one that does not wait.
	Skip func(NodeID) bool

	anyOwner bool // follows every reference between observed nodes
	roots    []NodeID
	number   map[NodeID]int32 // order of discovery, from 1
	low      map[NodeID]int32
	path     []ringFrame
	stack    []NodeID
	open     map[NodeID]bool // on the stack
	rings    [][]NodeID
}

type ringFrame struct {
	node NodeID
	edge edgeID // the next reference to follow
}

// NewRingSearch begins a search for the rings that contain a root, or that blocking
// references reach from a root. It keeps roots.
func NewRingSearch(roots []NodeID) *RingSearch {
	return &RingSearch{
		roots:  roots,
		number: map[NodeID]int32{},
		low:    map[NodeID]int32{},
		open:   map[NodeID]bool{},
	}
}

// NewIsolatedCycleSearch begins a search for cycles of ownership among observed nodes, in
// any state. It keeps roots.
func NewIsolatedCycleSearch(roots []NodeID) *RingSearch {
	r := NewRingSearch(roots)
	r.anyOwner = true
	return r
}

// joins reports whether a ring may lead through the node.
func (r *RingSearch) joins(g *Graph, id NodeID) bool {
	if g.at(id).role() == waiting {
		return r.Skip == nil || !r.Skip(id)
	}
	return r.anyOwner && g.at(id).state() == Observed
}

// Step continues over at most limit nodes and references, and reports whether the search
// is over. It takes a complete ring as one step.
func (r *RingSearch) Step(g *Graph, limit int) bool {
	for ; limit > 0; limit-- {
		switch {
		case len(r.path) > 0:
			r.advance(g)
		case len(r.roots) > 0:
			root := r.roots[0]
			r.roots = r.roots[1:]
			if r.number[root] == 0 && g.InUse(root) && r.joins(g, root) {
				r.enter(g, root)
			}
		default:
			return true
		}
	}
	return len(r.path) == 0 && len(r.roots) == 0
}

// Rings returns the result of a search that is over. Each ring is sorted by id, and the
// rings are in order of their first ids.
func (r *RingSearch) Rings() [][]NodeID {
	slices.SortFunc(r.rings, func(a, b []NodeID) int { return cmp.Compare(a[0], b[0]) })
	return r.rings
}

func (r *RingSearch) enter(g *Graph, id NodeID) {
	n := int32(len(r.number) + 1)
	r.number[id], r.low[id] = n, n
	r.stack = append(r.stack, id)
	r.open[id] = true
	r.path = append(r.path, ringFrame{id, g.firstEdge(id)})
}

// advance follows one reference of the node at the end of the path, or leaves
// the node.
func (r *RingSearch) advance(g *Graph) {
	f := &r.path[len(r.path)-1]
	if f.edge == 0 {
		r.leave()
		return
	}
	e, ok := g.edgeOf(f.node, f.edge)
	if !ok { // the reference has gone since the last step
		r.leave()
		return
	}
	f.edge = e.nextOwner
	owner := g.holder(e.owner)
	if !e.block && !r.anyOwner || owner == f.node || !r.joins(g, owner) {
		return
	}
	switch {
	case r.number[owner] == 0:
		r.enter(g, owner)
	case r.open[owner]:
		r.low[f.node] = min(r.low[f.node], r.number[owner])
	}
}

func (r *RingSearch) leave() {
	id := r.path[len(r.path)-1].node
	r.path = r.path[:len(r.path)-1]
	if n := len(r.path); n > 0 {
		up := r.path[n-1].node
		r.low[up] = min(r.low[up], r.low[id])
	}
	if r.low[id] != r.number[id] {
		return
	}
	i := len(r.stack) - 1
	for r.stack[i] != id {
		i--
	}
	ring := slices.Sorted(slices.Values(r.stack[i:]))
	for _, m := range ring {
		delete(r.open, m)
	}
	r.stack = r.stack[:i]
	if len(ring) > 1 {
		r.rings = append(r.rings, ring)
	}
}

// holder returns the node of a reference. For a claim on a UID that is the observed node
// with the UID, or 0 without one. A reference with a name and no kind is no claim, and
// blocks no node.
func (g *Graph) holder(owner NodeID) NodeID {
	if g.isClaim(owner) {
		return g.leastDuplicate(g.aliveWithUIDOf(owner))
	}
	return owner
}
