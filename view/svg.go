package view

import (
	"fmt"
	"html"
	"strings"
)

const (
	columns   = 34 // of one line in a box
	lineH     = 16 // height of one line
	padding   = 12
	minWidth  = 320
	cellWidth = 15 // in halves of a pixel
)

// SVG returns the picture as a drawing: a box for each node in rows from top to bottom,
// owners above their dependents, and a column for each wave of a plan. Shape, colour and
// words of a box tell its class. The drawing has a light and a dark look, a title and a
// description for screen readers, and neither scripts nor links. Long names lose their
// middle, and the title of a box has more of them.
//
//test:by TestSVGIsSound TestContrast FuzzPicture
func (p Picture) SVG() string {
	d := &drawing{p: &p, labels: p.labels()}
	boxW, boxH := d.measure()
	d.l = lay(&p, boxW, boxH)
	d.top = margin
	if p.waves > 0 {
		d.top += bandHead
	}
	d.w = max(d.l.width+2*margin, minWidth)
	captions := d.captions()
	bottom := d.top + len(d.l.rows)*(boxH+gapY) - gapY + margin
	if len(p.nodes) == 0 {
		bottom = margin
	}
	d.h = bottom + len(captions)*lineH + margin
	d.open(bottom)
	for _, s := range d.l.segments {
		d.segment(s)
	}
	d.lines()
	for i := range p.nodes {
		d.box(i)
	}
	for i, s := range captions {
		fmt.Fprintf(&d.out, "<text class=\"caption\" x=\"%d\" y=\"%d\">%s</text>\n", margin, bottom+(i+1)*lineH, escape(s))
	}
	d.out.WriteString("</svg>\n")
	return d.out.String()
}

// drawing is the text of an SVG under way.
type drawing struct {
	p      *Picture
	l      *layout
	labels []label
	rows   [][]string // the lines of each box
	out    strings.Builder
	top    int
	w, h   int
}

// measure finds the lines of the boxes, and the size of all boxes.
func (d *drawing) measure() (boxW, boxH int) {
	wide, high := 12, 1
	for i := range d.labels {
		l := &d.labels[i]
		rows := []string{fit(l.kind, columns)}
		if l.name != "" {
			rows = append(rows, fit(l.name, columns))
		}
		rows = append(rows, wrap(l.why, columns, 3)...)
		for _, s := range l.more {
			rows = append(rows, fit(s, columns))
		}
		d.rows = append(d.rows, rows)
		for _, s := range rows {
			wide = max(wide, width(s))
		}
		high = max(high, len(rows))
	}
	boxW = wide*cellWidth/2 + 2*padding
	return boxW + boxW%2, high*lineH + padding
}

// captions has the lines below the drawing, and the meaning of its lines.
func (d *drawing) captions() (list []string) {
	room := (d.w - 2*margin) * 2 / cellWidth
	for _, s := range append([]string{d.p.title}, d.p.footer()...) {
		if s != "" {
			list = append(list, wrap(s, room, 4)...)
		}
	}
	if d.l.far > 0 {
		list = append(list, numbered(d.l.far, "line")+" too long to draw")
	}
	var controller, block, waits, member, ring, flawed bool
	for i, e := range d.p.edges {
		controller, block, waits = controller || e.controller, block || e.block, waits || e.waits()
		member = member || e.member && !e.owns
		ring, flawed = ring || d.l.ring[i], flawed || len(e.notes) > 0
	}
	for _, key := range []struct {
		on   bool
		text string
	}{
		{controller, "thick line: the owner is the controller"},
		{block, "square end: the dependent blocks a foreground deletion of its owner"},
		{waits, "dotted line: the upper one waits for the lower one"},
		{member, "line of dots and dashes: the lower one is a member of the upper one"},
		{flawed, "dashed line: the reference has a flaw"},
		{ring, "dashed line up: it closes a ring"},
	} {
		if key.on {
			list = append(list, wrap(key.text, room, 3)...)
		}
	}
	return list
}

// open writes the head: the size, the texts for screen readers, the looks, and the waves.
func (d *drawing) open(bottom int) {
	title := d.p.title
	if title == "" {
		title = "Nothing to draw"
	}
	fmt.Fprintf(&d.out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ownergraph\" role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", d.w, d.h, d.w, d.h)
	fmt.Fprintf(&d.out, "<title>%s</title>\n<desc>%s</desc>\n", escape(title), escape(d.describe()))
	d.style()
	fmt.Fprintf(&d.out, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", d.w, d.h)
	if d.p.waves == 0 {
		return
	}
	for b, band := range d.l.bands {
		x, w := d.l.left[b]+margin-bandGap/3, d.l.right[b]-d.l.left[b]+2*(bandGap/3)
		fmt.Fprintf(&d.out, "<rect class=\"band\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", x, margin/2, w, bottom-margin)
		fmt.Fprintf(&d.out, "<text class=\"wave\" x=\"%d\" y=\"%d\">%s</text>\n", x+padding/2, margin/2+lineH, escape(band.title))
	}
}

// describe counts the nodes by class, for a reader who does not see the picture.
func (d *drawing) describe() string {
	counts := [len(classNames)]int{}
	for i := range d.p.nodes {
		counts[d.p.nodes[i].class]++
	}
	list := d.p.footer()
	for c, n := range counts {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s: %d", classNames[c], n))
		}
	}
	return strings.Join(list, "; ")
}

// middle and y place a place of the layout on the drawing.
func (d *drawing) middle(at int) int { return d.l.places[at].x + margin }

func (d *drawing) y(at int) int { return d.top + d.l.places[at].row*(d.l.boxH+gapY) }

// escape writes a text as XML. The text has no control characters, because clean has
// replaced them.
func escape(s string) string { return html.EscapeString(s) }
