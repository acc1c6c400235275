package graph

import "slices"

// edgeID names an owner reference of a node. The node's own record has the first edge,
// since most nodes have no other. Its number is the node's id. A table has the other
// edges.
type edgeID uint32

const furtherEdge edgeID = 1 << 31

// edge is one owner reference of one node. It can leave the owner's list of dependents in
// one step. The bytes behind block are reserved: see node.
type edge struct {
	dep, owner NodeID
	slot       int32 // the index in the dependent's Owners
	block      bool
	nextOwner  edgeID // of the same dependent
	next, prev edgeID // of the same owner
}

// edge returns a copy of an edge from the record or the table.
func (g *Graph) edge(id edgeID) edge {
	if id&furtherEdge != 0 {
		return *g.edges.at(uint32(id &^ furtherEdge))
	}
	x := g.at(NodeID(id))
	return edge{
		dep: NodeID(id), owner: x.owner, slot: g.firstSlot(NodeID(id)), block: x.is(blockMark),
		nextOwner: g.ownerRecordOf(NodeID(id)).more, next: x.next, prev: x.prev,
	}
}

// edgeOf returns a copy of an edge that was the dependent's at an earlier time, if it
// still is.
func (g *Graph) edgeOf(dep NodeID, id edgeID) (edge, bool) {
	if !g.inner().InUse(dep) || id&furtherEdge == 0 && g.firstEdge(dep) != id {
		return edge{}, false
	}
	if i := id &^ furtherEdge; id&furtherEdge != 0 && int(i) >= g.edges.len() {
		return edge{}, false
	}
	e := g.edge(id)
	return e, e.dep == dep
}

// firstEdge returns the first edge of a node's references, 0 without one.
func (g *Graph) firstEdge(dep NodeID) edgeID {
	if g.at(dep).owner == 0 {
		return 0
	}
	return edgeID(dep)
}

// firstSlot returns the index of the first reference with a UID. The node's record has
// the edge of that reference.
func (g *Graph) firstSlot(dep NodeID) int32 {
	if g.at(dep).is(ownersMark) {
		for i, r := range g.page(dep).owners[slotOf(dep)] {
			if r.UID != "" {
				return int32(i)
			}
		}
	}
	return 0
}

// following returns the next edge in the owner's list, and the dependent of this edge.
func (g *Graph) following(id edgeID) (next edgeID, dep NodeID) {
	if id&furtherEdge != 0 {
		e := g.edges.at(uint32(id &^ furtherEdge))
		return e.next, e.dep
	}
	return g.at(NodeID(id)).next, NodeID(id)
}

func (g *Graph) setLinks(id, next, prev edgeID) {
	if id&furtherEdge != 0 {
		e := g.edges.at(uint32(id &^ furtherEdge))
		e.next, e.prev = next, prev
	} else {
		x := g.at(NodeID(id))
		x.next, x.prev = next, prev
	}
}

func (g *Graph) setNext(id, next edgeID) {
	if id&furtherEdge != 0 {
		g.edges.at(uint32(id &^ furtherEdge)).next = next
	} else {
		g.at(NodeID(id)).next = next
	}
}

func (g *Graph) setPrev(id, prev edgeID) {
	if id&furtherEdge != 0 {
		g.edges.at(uint32(id &^ furtherEdge)).prev = prev
	} else {
		g.at(NodeID(id)).prev = prev
	}
}

// table keeps records by number, in pages of 512, so that it grows without a copy. The
// number 0 is never used. A large table gives its memory back when its last record goes.
type table[T any] struct {
	pages [][]T
	free  []uint32
	used  int
}

func (t *table[T]) at(i uint32) *T { return &t.pages[i>>pageBits][i%pageNodes] }

func (t *table[T]) len() int {
	if len(t.pages) == 0 {
		return 0
	}
	return (len(t.pages)-1)<<pageBits + len(t.pages[len(t.pages)-1])
}

// add returns the number of a free record.
func (t *table[T]) add(v T) uint32 {
	t.used++
	if n := len(t.free); n > 0 {
		i := t.free[n-1]
		t.free = t.free[:n-1]
		*t.at(i) = v
		return i
	}
	n := t.len()
	if n == 0 {
		t.pages = append(t.pages, make([]T, 1, 2))
		n = 1
	}
	if n%pageNodes == 0 {
		t.pages = append(t.pages, make([]T, 0, pageNodes))
	}
	p := &t.pages[n>>pageBits]
	*p = append(*p, v)
	return uint32(n)
}

func (t *table[T]) drop(i uint32) {
	var none T
	*t.at(i) = none
	t.free = append(t.free, i)
	if t.used--; t.used == 0 && len(t.pages) > 1 {
		*t = table[T]{}
	}
}

func (t table[T]) clone() table[T] {
	t.pages, t.free = slices.Clone(t.pages), slices.Clone(t.free)
	for i := range t.pages {
		t.pages[i] = slices.Clone(t.pages[i])
	}
	return t
}
