package view

import (
	"fmt"
	"strings"
)

// stackGap is the distance between the boxes of a group, which lie behind each other.
const stackGap = 4

// box draws a node: its shape, and its lines. On a page it is a link.
func (d *drawing) box(i int) {
	n := &d.p.nodes[i]
	w, h := d.l.boxW, d.heights[d.l.places[i].row]
	x, y := d.middle(i)-w/2, d.top(i)
	look := n.class.css()
	if n.subject {
		look += " subject"
	}
	if n.maybe {
		look += " maybe"
	}
	address := ""
	if d.link != nil && n.actor == "" {
		address = d.link(n.box())
	}
	if address != "" {
		here := ""
		if n.subject {
			here = " aria-current=\"true\""
		}
		fmt.Fprintf(&d.out, "<a href=\"%s\"%s>", escape(address), here)
	}
	fmt.Fprintf(&d.out, "<g class=\"%s\"><title>%s</title>", look, escape(d.labels[i].full))
	if n.group > 0 {
		fmt.Fprintf(&d.out, "<path class=\"box\" d=\"%s\"/>", n.class.shape(x+stackGap, y+stackGap, w, h))
	}
	fmt.Fprintf(&d.out, "<path class=\"box\" d=\"%s\"/>\n", n.class.shape(x, y, w, h))
	rows := d.rows[i]
	start := y + (h-len(rows)*lineH)/2 + lineH - 4
	for row, s := range rows {
		style := ""
		if row == 0 {
			style = " class=\"kind\""
		}
		fmt.Fprintf(&d.out, "<text%s x=\"%d\" y=\"%d\">%s</text>\n", style, x+w/2, start+row*lineH, escape(s))
	}
	d.out.WriteString("</g>")
	if address != "" {
		d.out.WriteString("</a>")
	}
	d.out.WriteString("\n")
}

// box names the box of a node.
func (n *node) box() Box {
	if n.group > 0 {
		return Box{n.of, n.key.Kind}
	}
	return Box{Key: n.key}
}

// shape returns the path of a box. Each class has a shape of its own within the same
// rectangle.
func (c class) shape(x, y, w, h int) string {
	r, b := x+w, y+h
	switch c {
	case live:
		return rounded(x, y, w, h, 8)
	case kept:
		return rounded(x, y, w, h, 8) + rounded(x+3, y+3, w-6, h-6, 6)
	case unknown:
		return rounded(x, y, w, h, min(h/2, 30))
	case waiting:
		return fmt.Sprintf("M%d %dH%dL%d %dL%d %dH%dL%d %dZ", x+10, y, r-10, r, y+h/2, r-10, b, x+10, x, y+h/2)
	case orphaning:
		return fmt.Sprintf("M%d %dH%dL%d %dH%dZ", x+10, y, r, r-10, b, x)
	case held:
		return octagon(x, y, w, h)
	case protected:
		return octagon(x, y, w, h) + octagon(x+3, y+3, w-6, h-6)
	case going:
		return fmt.Sprintf("M%d %dH%dL%d %dV%dH%dZM%d %dV%dH%d", x, y, r-12, r, y+12, b, x, r-12, y, y+12, r)
	case actor:
		return fmt.Sprintf("M%d %dH%dL%d %dL%d %dH%dZ", x, y, r-10, r, y+h/2, r-10, b, x)
	}
	return fmt.Sprintf("M%d %dH%dV%dH%dZ", x, y, r, b, x)
}

func rounded(x, y, w, h, c int) string {
	return fmt.Sprintf("M%d %dH%dQ%d %d %d %dV%dQ%d %d %d %dH%dQ%d %d %d %dV%dQ%d %d %d %dZ",
		x+c, y, x+w-c, x+w, y, x+w, y+c, y+h-c, x+w, y+h, x+w-c, y+h, x+c, x, y+h, x, y+h-c, y+c, x, y, x+c, y)
}

func octagon(x, y, w, h int) string {
	const c = 10
	return fmt.Sprintf("M%d %dH%dL%d %dV%dL%d %dH%dL%d %dV%dZ", x+c, y, x+w-c, x+w, y+c, y+h-c, x+w-c, y+h, x+c, x, y+h-c, y+c)
}

// lines draws the parts of edges that pass rows, and the loops of nodes that own
// themselves.
func (d *drawing) lines() {
	looks := d.looks()
	for at := range d.l.places {
		p := &d.l.places[at]
		if !p.line {
			continue
		}
		x, y, from := d.middle(at), d.top(at), p.up[0]
		d.stroke(looks[at], d.middle(from), d.bottom(from), x, y, fmt.Sprint("V", d.bottom(at)), "")
	}
	for i, e := range d.p.edges {
		if e.upper == e.lower {
			x, y := d.middle(e.upper)+d.l.boxW/2, (d.top(e.upper)+d.bottom(e.upper))/2
			fmt.Fprintf(&d.out, "<path class=\"edge ring\" d=\"M%d %dC%d %d %d %d %d %d\"><title>%s</title></path>\n", x, y-8, x+18, y-14, x+18, y+14, x, y+8, escape(d.relation(i)))
		}
	}
}

// look returns the classes of an edge.
func (e *edge) look(ring bool) (s string) {
	switch {
	case ring:
		s = " ring"
	case e.member && !e.owns:
		s = " member"
	case !e.owns:
		s = " waits"
	case len(e.notes) > 0:
		s = " flawed"
	default:
		s = e.policies.styled()
	}
	if e.controller {
		s += " controller"
	}
	return s
}

// looks returns the look of each shared line: the look that all of its edges share, or the
// plain look. The lines of rings are apart from the others.
func (d *drawing) looks() []string {
	looks, known := make([]string, len(d.l.places)), make([]bool, len(d.l.places))
	join := func(at int, look string) {
		if known[at] && looks[at] != look {
			look = ""
			if strings.HasPrefix(looks[at], " ring") {
				look = " ring"
			}
		}
		looks[at], known[at] = look, true
	}
	for _, s := range d.l.segments {
		join(s.from, d.p.edges[s.edge].look(s.ring))
	}
	for i := range d.l.rows {
		for _, at := range d.l.rows[len(d.l.rows)-1-i] {
			if p := &d.l.places[at]; p.line && d.l.places[p.up[0]].line {
				join(p.up[0], looks[at])
			}
		}
	}
	return looks
}

// curve goes from the bottom of a row to the top of the next one.
func curve(x1, y1, x2, y2 int) string {
	m := (y1 + y2) / 2
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1, m, x2, m, x2, y2)
}

// segment draws the last part of an edge, with its end. The end is at the dependent, or at
// the node waited for.
func (d *drawing) segment(s segment) {
	e := &d.p.edges[s.edge]
	x1, y1, x2, y2 := d.middle(s.from), d.bottom(s.from), d.middle(s.to), d.top(s.to)
	d.stroke(e.look(s.ring), x1, y1, x2, y2, "", d.relation(s.edge))
	x, y, dir := x2, y2, 1
	if s.ring { // it leads up to the box of its upper end, along the shared line
		at := d.l.places[s.from].node
		x, y, dir = d.middle(at), d.bottom(at), -1
	}
	if e.block {
		fmt.Fprintf(&d.out, "<path class=\"end\" d=\"M%d %dh8v%dh-8Z\"/>\n", x-4, y, -8*dir)
	} else {
		fmt.Fprintf(&d.out, "<path class=\"end\" d=\"M%d %dl-4 %dh8Z\"/>\n", x, y, -8*dir)
	}
	d.policyWord(e, x1, y1, x2, y2)
}

// relation describes an edge in words.
func (d *drawing) relation(i int) string {
	e := &d.p.edges[i]
	upper, lower := fit(d.p.nodes[e.upper].name(), 2*columns), fit(d.p.nodes[e.lower].name(), 2*columns)
	switch {
	case e.member && !e.owns:
		return lower + " is a member of " + upper
	case !e.owns:
		return upper + " waits for " + lower
	}
	s := upper + " owns " + lower
	if e.controller {
		s += ", as its controller"
	}
	if e.block {
		s += ", which blocks a foreground deletion"
	}
	if w := e.policies.word(); w != "" {
		s += ", with the policy " + w
	}
	if d.l.ring[i] {
		s += "; a ring"
	}
	return s
}
