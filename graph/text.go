package graph

import (
	"encoding/binary"
	"slices"
)

// Each page keeps the text of its nodes in one slice of bytes: a byte for the length,
// then the content. 512 names then cost one allocation and two bytes of reference each,
// and they go with their page. The graph keeps no string of a caller, because such a
// string may pin a buffer of any size. A text longer than maxShortText has an allocation
// of its own.

const (
	// maxShortText is the longest text in a page. 512 such texts are within the reach of
	// 16 bits, in units of textUnit.
	maxShortText = 240
	textUnit     = 2
	pageTextSize = textUnit * (1<<16 - 2)
	// minDead is the dead text in bytes that a page may always have.
	minDead = 16 << 10
)

// content returns the text of a node. The graph owns it.
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

// textOf is content for a record with its text in the page.
func (p *page) textOf(x *node) []byte {
	at := x.textAt()
	return p.text[at+1:][:p.text[at]]
}

// textAt is the begin of that text.
func (x *node) textAt() int { return int(x.text-1) * textUnit }

// textSize is the size in the page of a text of n bytes.
func textSize(n int) int { return (1 + n + textUnit - 1) &^ (textUnit - 1) }

// write replaces the text of a node by a copy of b. If more than half of the page's text
// is dead, it first drops the dead text. That copies less than has died.
func (g *Graph) write(id NodeID, b []byte) {
	if p := g.page(id); p.dead > max(len(p.text)/2, minDead) {
		g.growText(id, 0)
	}
	if g.overwrite(id, b) {
		return
	}
	g.erase(id)
	x, p := g.at(id), g.page(id)
	switch {
	case len(b) == 0:
	case len(b) > maxShortText:
		if p.long == nil {
			p.long = map[uint16][]byte{}
		}
		p.long[slotOf(id)] = slices.Clone(b)
		x.set(longText, true)
	default:
		at := g.allocText(id, textSize(len(b)))
		x.text = uint16(at/textUnit) + 1
		p.text[at] = byte(len(b))
		copy(p.text[at+1:], b)
	}
}

// allocText returns the place of n free bytes in a page's text. It takes them from the
// gap, which often has the length for the name of a successor. Otherwise it takes them
// from the end.
func (g *Graph) allocText(id NodeID, n int) (at int) {
	p := g.page(id)
	if n <= int(p.gap) {
		at = int(p.gapAt) * textUnit
		p.gap, p.gapAt, p.dead = p.gap-uint16(n), p.gapAt+uint16(n/textUnit), p.dead-n
		return at
	}
	at = len(p.text)
	if at+n > min(cap(p.text), pageTextSize) {
		g.growText(id, n)
		at = len(p.text)
	}
	p.text = p.text[:at+n]
	return at
}

// discard counts n bytes of the text as dead. The longest dead piece is the gap.
func (p *page) discard(at, n int) {
	p.dead += n
	if n > int(p.gap) {
		p.gap, p.gapAt = uint16(n), uint16(at/textUnit)
	}
}

// overwrite writes b over the present text if that is long enough. An object that is gone
// has a shorter text than before. Without overwrite its end would copy the page's text.
func (g *Graph) overwrite(id NodeID, b []byte) bool {
	x, p, old := g.at(id), g.page(id), g.content(id)
	switch long := x.is(longText); {
	case len(b) == 0 || len(b) > len(old), long && len(b) < len(old):
		return false
	case !long:
		at, n := x.textAt(), textSize(len(b))
		p.text[at] = byte(len(b))
		p.discard(at+n, textSize(len(old))-n)
	}
	copy(old, b)
	return true
}

// erase removes the text of a node.
func (g *Graph) erase(id NodeID) {
	x, p := g.at(id), g.page(id)
	if x.is(longText) {
		delete(p.long, slotOf(id))
		if len(p.long) == 0 {
			p.long = nil
		}
	} else if x.text != 0 {
		p.discard(x.textAt(), textSize(len(p.textOf(x))))
	}
	x.text = 0
	x.set(longText, false)
}

// growText makes space for n more bytes at the end of the text of a node's page, and for
// a sixteenth more. A new page begins with the size of the page before. growText drops
// the dead text.
func (g *Graph) growText(id NodeID, n int) {
	p := g.page(id)
	live := len(p.text) - p.dead
	room := live + n + max(live/16, 64)
	if before := id >> pageBits; before > 0 && live == 0 { // as much as the page before
		room = max(room, len(g.pages[before-1].text)-g.pages[before-1].dead)
	}
	to := slices.Grow([]byte(nil), min(room, pageTextSize))
	if p.dead == 0 {
		p.text = append(to, p.text...)
		return
	}
	for i := range p.nodes {
		x := &p.nodes[i]
		if x.text == 0 {
			continue
		}
		at := x.textAt()
		x.text = uint16(len(to)/textUnit) + 1
		to = append(to, p.text[at:at+textSize(int(p.text[at]))]...)
	}
	p.text, p.dead, p.gap = to, 0, 0
}

// field reads a length and as many bytes, and returns the rest.
func field(b []byte) (f, rest []byte) {
	n, used := binary.Uvarint(b)
	b = b[used:]
	return b[:n], b[n:]
}

func appendField(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
