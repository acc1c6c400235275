package graph

import (
	"maps"
	"slices"
)

// The graph keeps its nodes in pages of 512. The common parts of a page have no pointers,
// so the garbage collector skips them. The graph grows page by page, so no event pays for
// a copy of all nodes. A page without nodes gives all of its memory back.

const (
	pageBits  = 9
	pageNodes = 1 << pageBits
)

// page has 512 nodes and the data of these nodes alone.
type page struct {
	nodes []node // up to the last one ever used
	used  int    // the number of nodes in use
	free  uint16 // the first free node, +1; free nodes are linked by nextKind

	gap   uint16 // a piece of the text that belongs to no node
	gapAt uint16 // the begin of the gap, in units of textUnit
	text  []byte // see text.go
	dead  int    // bytes of it that belong to no node

	records     []ownerRecord // see owner_record.go
	freeRecords uint16        // the first free one, +1; free ones are linked by firstDep
	usedRecords int

	owners map[uint16][]Owner // the references of nodes with more than one plain one
	long   map[uint16][]byte  // the texts that are too long for the page, by node
}

// at returns the record of a node. It is valid until the next node is made.
func (g *Graph) at(id NodeID) *node { return &g.pages[id>>pageBits].nodes[id%pageNodes] }

func (g *Graph) page(id NodeID) *page { return &g.pages[id>>pageBits] }

func slotOf(id NodeID) uint16 { return uint16(id % pageNodes) }

// newID returns a free id of the last page with a free node. Its record is empty.
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
		if slot < uint16(cap(p.nodes)) { // a node that was never used is empty
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

// freeID frees an id, whose record is empty.
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

// ReuseAfter returns the number of nodes to be made until the id names a node again, from
// 1. It is 0 for an id in use or beyond Cap. It takes a walk.
func (g inner) ReuseAfter(id NodeID) int {
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
	for slot, text := range c.long { // long texts are written in place, lists of owners are not
		c.long[slot] = slices.Clone(text)
	}
	return c
}
