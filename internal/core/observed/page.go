package observed

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// The graph keeps its nodes in pages of 512. What a page holds is free of
// pointers but for what is rare, so the garbage collector does not look into it;
// it grows page by page, so no event pays for a copy of all; and a page whose
// last node has left gives all of its memory back.

const (
	pageBits  = 9
	pageNodes = 1 << pageBits
)

// page holds 512 nodes and what belongs to them alone.
type page struct {
	nodes []node // as far as they were ever used
	used  int    // how many are in use
	free  uint16 // the first of the others, +1; they are linked by nextKind

	gap   uint16 // a piece of the text that belongs to no node
	gapAt uint16 // where it begins, counted in textUnit
	text  []byte // see text.go
	dead  int    // bytes of it that belong to no node

	records     []ownerRecord // see hub.go
	freeRecords uint16        // the first that is not in use, +1; they are linked by firstDep
	usedRecords int

	owners map[uint16][]graph.Owner // references that are not one plain one, by node
	long   map[uint16][]byte        // text that is too long for the page, by node
}

// at returns the record of a node. It is valid until the next node is made.
func (g *Graph) at(id NodeID) *node { return &g.pages[id>>pageBits].nodes[id%pageNodes] }

func (g *Graph) page(id NodeID) *page { return &g.pages[id>>pageBits] }

func slotOf(id NodeID) uint16 { return uint16(id % pageNodes) }

// newID returns an id that is not in use, of the page that had room last. Its record
// is empty.
func (g *Graph) newID() NodeID {
	if len(g.openPages) == 0 {
		g.openPages = append(g.openPages, uint32(len(g.pages)))
		g.pages = append(g.pages, page{})
	}
	n := g.openPages[len(g.openPages)-1]
	p := &g.pages[n]
	slot := p.free
	if slot != 0 {
		slot--
		p.free = uint16(p.nodes[slot].nextKind)
		p.nodes[slot].nextKind = 0
	} else {
		slot = uint16(len(p.nodes))
		if p.nodes == nil && n > 0 {
			p.nodes = make([]node, 0, pageNodes)
		}
		if slot < uint16(cap(p.nodes)) { // what was never used is empty
			p.nodes = p.nodes[:slot+1]
		} else {
			p.nodes = append(p.nodes, node{})
		}
	}
	if p.used++; p.used == pageNodes {
		g.openPages = g.openPages[:len(g.openPages)-1]
	}
	id := NodeID(n)<<pageBits | NodeID(slot)
	g.limit = max(g.limit, id+1)
	return id
}

// freeID makes an id free, whose record is empty.
func (g *Graph) freeID(id NodeID) {
	p := g.page(id)
	if p.used == pageNodes {
		g.openPages = append(g.openPages, uint32(id>>pageBits))
	}
	if p.used--; p.used == 0 {
		*p = page{}
		return
	}
	p.nodes[slotOf(id)].nextKind = NodeID(p.free)
	p.free = slotOf(id) + 1
}

// ReuseAfter returns how many more nodes have to be made until the id names one
// again, from 1; 0 if it is in use or beyond Cap. It takes a walk.
func (g *Graph) ReuseAfter(id NodeID) int {
	if id == 0 || id >= g.limit || g.InUse(id) {
		return 0
	}
	before := 0
	for _, n := range slices.Backward(g.openPages) {
		p := &g.pages[n]
		if NodeID(n) != id>>pageBits {
			before += pageNodes - p.used
			continue
		}
		for slot := p.free; slot != 0; slot = uint16(p.nodes[slot-1].nextKind) {
			if before++; slot-1 == slotOf(id) {
				return before
			}
		}
		return before + 1 + int(slotOf(id)) - len(p.nodes)
	}
	return 0
}

// clone returns a copy that shares nothing that either may change.
func (p *page) clone() page {
	c := *p
	c.nodes, c.text, c.records = slices.Clone(p.nodes), slices.Clone(p.text), slices.Clone(p.records)
	c.owners, c.long = maps.Clone(p.owners), maps.Clone(p.long)
	for slot, text := range c.long { // it is written in place, wide is not
		c.long[slot] = slices.Clone(text)
	}
	return c
}
