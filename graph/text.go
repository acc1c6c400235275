package graph

import (
	"encoding/binary"
	"slices"
)

// Each page keeps the text of its nodes in one slice of bytes: a byte for the
// length, then the content. So 512 names cost one allocation and two bytes of
// reference each, they go with their page, and no string of a caller is held on
// to: one may pin a buffer of any size. What is longer than mostText has an
// allocation of its own.

const (
	// mostText is the longest content that stands in the page: 512 of these are
	// within the reach of 16 bits, counted in textUnit.
	mostText = 240
	textUnit = 2
	textRoom = textUnit * (1<<16 - 2)
)

// content returns what is written of a node. It is the graph's own.
func (g *Graph) content(id NodeID) []byte {
	x, p := g.at(id), g.page(id)
	switch {
	case x.is(longText):
		return p.long[slotOf(id)]
	case x.text == 0:
		return nil
	}
	return p.textOf(x)
}

// textOf is that for a record whose text stands in the page.
func (p *page) textOf(x *node) []byte {
	at := int(x.text-1) * textUnit
	return p.text[at+1:][:p.text[at]]
}

// textSize is what content of a length takes in the page.
func textSize(n int) int { return (1 + n + textUnit - 1) &^ (textUnit - 1) }

// write replaces what is written of a node by a copy of b.
func (g *Graph) write(id NodeID, b []byte) {
	x, p := g.at(id), g.page(id)
	if x.text != 0 || x.is(longText) {
		if old := g.content(id); len(old) == len(b) {
			copy(old, b)
			return
		}
		g.erase(id)
	}
	switch {
	case len(b) == 0:
	case len(b) > mostText:
		if p.long == nil {
			p.long = map[uint16][]byte{}
		}
		p.long[slotOf(id)] = slices.Clone(b)
		x.set(longText, true)
	default:
		if n := textSize(len(b)); len(p.text)+n > min(cap(p.text), textRoom) {
			g.reserve(id, n)
		}
		x.text = uint16(len(p.text)/textUnit) + 1
		p.text = append(append(p.text, byte(len(b))), b...)
		if len(p.text)%textUnit != 0 {
			p.text = append(p.text, 0)
		}
	}
}

// erase takes away what is written of a node.
func (g *Graph) erase(id NodeID) {
	x, p := g.at(id), g.page(id)
	if x.is(longText) {
		delete(p.long, slotOf(id))
		if len(p.long) == 0 {
			p.long = nil
		}
	} else if x.text != 0 {
		p.dead += textSize(len(g.content(id)))
	}
	x.text = 0
	x.set(longText, false)
}

// reserve makes room for n more bytes at the end of the text of a node's page, and for
// a sixteenth more; a page begins with what the page before took. What is dead is
// left behind.
func (g *Graph) reserve(id NodeID, n int) {
	p := g.page(id)
	live := len(p.text) - p.dead
	room := live + n + max(live/16, 64)
	if before := id >> pageBits; before > 0 && live == 0 { // as much as the page before
		room = max(room, len(g.pages[before-1].text)-g.pages[before-1].dead)
	}
	to := slices.Grow([]byte(nil), min(room, textRoom))
	if p.dead == 0 {
		p.text = append(to, p.text...)
		return
	}
	for i := range p.nodes {
		x := &p.nodes[i]
		if x.text == 0 {
			continue
		}
		at := int(x.text-1) * textUnit
		x.text = uint16(len(to)/textUnit) + 1
		to = append(to, p.text[at:at+textSize(int(p.text[at]))]...)
	}
	p.text, p.dead = to, 0
}

// field reads a length and as many bytes, and returns what follows.
func field(b []byte) (f, rest []byte) {
	n, used := binary.Uvarint(b)
	b = b[used:]
	return b[:n], b[n:]
}

func appendField(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
