package graph

import (
	"fmt"
	"math/bits"
	"slices"
)

// checkPages compares each page with its nodes: the free nodes, the dead text, and the
// owner records in use.
func (g *Graph) checkPages() error {
	room := slices.Clone(g.openPages)
	slices.Sort(room)
	for n := range g.pages {
		p := &g.pages[n]
		if _, listed := slices.BinarySearch(room, uint32(n)); listed != (p.used < pageNodes) {
			return fmt.Errorf("I7: page %d has %d nodes, and is listed as open: %t", n, p.used, listed)
		}
		if err := p.check(n); err != nil {
			return err
		}
		for slot := range p.nodes {
			id := NodeID(n<<pageBits | slot)
			if _, long := p.long[uint16(slot)]; long != g.at(id).is(longText) {
				return fmt.Errorf("I9: node %d: a long text is kept: %t", id, long)
			}
		}
	}
	if len(slices.Compact(room)) != len(g.openPages) {
		return fmt.Errorf("I7: a page is listed as open twice")
	}
	return nil
}

func (p *page) check(n int) error {
	used, live, records := 0, 0, 0
	for slot := range p.nodes {
		x := &p.nodes[slot]
		if x.state() != StateUnset || n == 0 && slot == 0 {
			used++
		}
		if x.text != 0 && !x.is(longText) {
			at := x.textAt()
			size := textSize(int(p.text[at]))
			live += size
			if from := int(p.gapAt) * textUnit; p.gap > 0 && at < from+int(p.gap) && from < at+size {
				return fmt.Errorf("I9: page %d: text of node %d stands in the gap", n, n<<pageBits|slot)
			}
		}
		if x.record != 0 {
			records++
		}
	}
	free := 0
	for slot := p.free; slot != 0; slot = uint16(p.nodes[slot-1].nextKind) {
		if free++; p.nodes[slot-1].state() != StateUnset || free > pageNodes {
			return fmt.Errorf("I7: node %d is free and in use, or free twice", n<<pageBits|int(slot-1))
		}
	}
	if used != p.used || used+free != len(p.nodes) {
		return fmt.Errorf("I7: page %d: %d nodes of %d are used, counted as %d, and %d are free", n, used, len(p.nodes), p.used, free)
	}
	if len(p.text) > pageTextSize || p.owners != nil && len(p.owners) == 0 || p.long != nil && len(p.long) == 0 {
		return fmt.Errorf("I9: page %d keeps %d bytes of text, %d lists of references and %d long texts", n, len(p.text), len(p.owners), len(p.long))
	}
	if live != len(p.text)-p.dead || int(p.gap) > p.dead || p.gap > 0 && int(p.gapAt)*textUnit+int(p.gap) > len(p.text) {
		return fmt.Errorf("I9: page %d: %d bytes of text, %d of them dead, but %d live", n, len(p.text), p.dead, live)
	}
	spare := 0
	for slot := p.freeRecords; slot != 0 && spare <= pageNodes; slot = uint16(p.records[slot-1].firstDep) {
		spare++
	}
	if records != p.usedRecords || records+spare != len(p.records) {
		return fmt.Errorf("I9: page %d: %d owner records of %d are used, counted as %d, and %d are free", n, records, len(p.records), p.usedRecords, spare)
	}
	return nil
}

// checkIndex compares the index with the nodes. The index leads to each UID's node and to
// no other. checkKeys finds the nodes that the index lacks.
func (g *Graph) checkIndex() error {
	x := &g.index
	found, deep := 0, 0
	for at, s := range x.segments() {
		d, n := x.heads[at], 0
		for i := range len(x.heads) >> d.depth {
			if other := x.heads[at+i]; other.depth != d.depth || i > 0 && other.used != 0 || len(x.few) == 0 && x.dir[at+i] != x.dir[at] {
				return fmt.Errorf("I1: a segment of depth %d is not at entry %d", d.depth, at+i)
			}
		}
		for id, h := range g.members(s) {
			if n++; !g.inner().InUse(id) || g.at(id).is(groupMemberMark) || x.head(h) != &x.heads[at] {
				return fmt.Errorf("I1: the index leads to node %d", id)
			}
		}
		if int(d.depth) == x.depth() {
			deep++
		}
		if n != int(d.used) || bits.OnesCount(uint(len(s))) != 1 {
			return fmt.Errorf("I1: a segment of %d buckets has %d nodes, counted as %d", len(s), n, d.used)
		}
		found += n
	}
	if found+len(g.groupNodes) != g.live || deep != x.deep {
		return fmt.Errorf("I1: the index leads to %d nodes of %d; %d segments are deep, counted as %d", found, g.live-len(g.groupNodes), deep, x.deep)
	}
	return nil
}

// checkBuckets compares the hints of the buckets with the nodes.
func (g *Graph) checkBuckets() error {
	for at, s := range g.index.segments() {
		passed := make([]uint64, len(s))
		for i := range s {
			for j, id := range s[i].ids {
				want := uint64(0)
				if h := g.index.hash(g.at(id).uid); id != 0 {
					want = hint(h, g.index.heads[at].depth)
					for home := int(h) & (len(s) - 1); home != i; home = (home + 1) & (len(s) - 1) {
						passed[home]++
						want |= displaced
					}
				}
				if s[i].hint(j) != want {
					return fmt.Errorf("I1: the index has the hint %#x of node %d, want %#x", s[i].hint(j), id, want)
				}
			}
		}
		for i := range s {
			if s[i].passed() != passed[i] {
				return fmt.Errorf("I1: %d nodes have passed a bucket by, counted as %d", passed[i], s[i].passed())
			}
		}
	}
	return nil
}
