package graph

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
//test:by TestRingSearch TestRingSearchMeanwhile
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
	closing  NodeID          // the first node of a ring that leaves the stack, 0 for none
	ring     merging[NodeID] // the nodes of that ring
	rings    merging[[]NodeID]
}

type ringFrame struct {
	node NodeID
	edge edgeID // the next reference to follow
}

// newRingSearch begins a search for the rings that contain a root, or that blocking
// references reach from a root. It keeps roots.
func newRingSearch(roots []NodeID) *RingSearch {
	return &RingSearch{
		roots:  roots,
		number: map[NodeID]int32{},
		low:    map[NodeID]int32{},
		open:   map[NodeID]bool{},
	}
}

// newIsolatedCycleSearch begins a search for cycles of ownership among observed nodes, in
// any state. It keeps roots.
func newIsolatedCycleSearch(roots []NodeID) *RingSearch {
	r := newRingSearch(roots)
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
// is over.
//
//test:by TestRingSearch TestLargeRing
func (r *RingSearch) Step(g *Graph, limit int) bool {
	for ; limit > 0 && !r.isOver(); limit-- {
		switch {
		case r.closing != 0:
			r.close()
		case len(r.path) > 0:
			r.advance(g)
		case len(r.roots) > 0:
			root := r.roots[0]
			r.roots = r.roots[1:]
			if r.number[root] == 0 && g.inner().InUse(root) && r.joins(g, root) {
				r.enter(g, root)
			}
		default:
			r.rings.step(byFirst)
		}
	}
	return r.isOver()
}

// isOver reports whether the search is over.
func (r *RingSearch) isOver() bool {
	if r.closing != 0 || len(r.path) > 0 || len(r.roots) > 0 {
		return false
	}
	if r.rings.width == 0 {
		r.rings.seal(byFirst)
	}
	return r.rings.sorted()
}

func byFirst(a, b []NodeID) int { return cmp.Compare(a[0], b[0]) }

// Rings returns the result of a search that is over. Each ring is sorted by id, and the
// rings are in order of their first ids.
func (r *RingSearch) Rings() [][]NodeID { return r.rings.list }

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
	if r.stack[len(r.stack)-1] == id { // it is no ring
		r.pop()
		return
	}
	r.closing = id
}

// pop takes the last node from the stack.
func (r *RingSearch) pop() (id NodeID) {
	last := len(r.stack) - 1
	id, r.stack = r.stack[last], r.stack[:last]
	delete(r.open, id)
	return id
}

// popped is how many nodes of a ring leave the stack in one step.
const popped = 8

// close takes some nodes of a complete ring from the stack, or goes on to sort them.
func (r *RingSearch) close() {
	if r.ring.width > 0 {
		r.ring.step(cmp.Compare[NodeID])
	}
	for n := 0; n < popped && r.ring.width == 0; n++ {
		id := r.pop()
		if r.ring.add(id, cmp.Compare[NodeID]); id == r.closing {
			r.ring.seal(cmp.Compare[NodeID])
		}
	}
	if r.ring.sorted() {
		r.rings.add(r.ring.list, byFirst)
		r.ring, r.closing = merging[NodeID]{}, 0
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

// Rings returns the rings of the graph: objects in a foreground deletion that wait for each other,
// because blocking references join them. Each ring is in the order of its keys, and the rings are
// in the order of their first keys. The caller owns the result. The work is in proportion to the
// waiting objects and their references.
//
//test:by TestGraphRings
func (g *Graph) Rings() [][]Node { return g.searchAll(newRingSearch) }

// IsolatedCycles returns the cycles of observed objects that own each other, and of which no
// observed object outside of the cycle is an owner. The objects keep each other. The order is that
// of Rings. The caller owns the result. The work is in proportion to all objects and references.
//
//test:by TestGraphRings
func (g *Graph) IsolatedCycles() [][]Node {
	return slices.DeleteFunc(g.searchAll(newIsolatedCycleSearch), hasOwnerBeside)
}

// hasOwnerBeside reports whether an observed object outside of a cycle owns a member.
func hasOwnerBeside(cycle []Node) bool {
	within := map[NodeID]bool{}
	for _, n := range cycle {
		within[n.id] = true
	}
	for _, n := range cycle {
		for o := range n.above() {
			if o.State() == Observed && !within[o.id] {
				return true
			}
			for above := range o.aliases() {
				if !within[above.id] {
					return true
				}
			}
		}
	}
	return false
}

func (g *Graph) searchAll(begin func([]NodeID) *RingSearch) (out [][]Node) {
	search := begin(slices.Collect(g.ids()))
	for !search.Step(g, 1<<20) {
	}
	for _, ring := range search.Rings() {
		nodes := make([]Node, len(ring))
		for i, id := range ring {
			nodes[i] = g.Node(id)
		}
		slices.SortFunc(nodes, compareNodes)
		out = append(out, nodes)
	}
	slices.SortFunc(out, func(a, b []Node) int { return compareNodes(a[0], b[0]) })
	return out
}

func compareNodes(a, b Node) int { return a.Key().Compare(b.Key()) }
