package view

import (
	"fmt"
	"html"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	columns   = 26 // of one line in a box
	narrow    = 17 // of one line in a box of a picture with few boxes in a row
	lineH     = 16 // height of one line
	padding   = 8
	minWidth  = 320
	cellWidth = 15 // in halves of a pixel
)

// SVG returns the picture as a drawing: a box for each node in rows from top to bottom, owners above
// their dependents. Shape, colour and words of a box tell its class, and its wave in a plan. The
// drawing has a light and a dark look, a title and a description for screen readers, and neither
// scripts nor links. Long names lose their middle, and the title of a box has more of them.
//
//test:by TestSVGIsSound TestContrast TestSVGIsNarrow FuzzPicture
func (p Picture) SVG() string { return p.draw(p.rowOf(), nil) }

// Page returns the drawing for a page of HTML, with at most perRow boxes in a row. Each box is a link
// with the address that link returns, or no link without one. The page has the style sheet of Style.
// The drawing has no styles and no scripts, so a strict Content-Security-Policy permits it.
//
//test:by TestPage TestGrouped
func (p Picture) Page(perRow int, link func(Box) string) string {
	return p.draw(min(max(perRow, 1), perRowOfPage), link)
}

const perRowOfPage = 16

// Box names a box of a picture: an object, or with a Kind the group of the dependents of this kind.
type Box struct {
	Key  graph.Key
	Kind graph.Kind
}

func (p Picture) draw(perRow int, link func(Box) string) string {
	d := &drawing{p: &p, labels: p.labels(), link: link, columns: columns}
	if perRow < 3 {
		d.columns = narrow
	}
	boxW := d.measure()
	d.l = lay(&p, boxW, perRow)
	bottom := d.stack()
	d.w = max(d.l.width+2*margin+stackGap, minWidth)
	d.left = (d.w - stackGap - d.l.width) / 2
	captions := d.captions()
	d.h = bottom + len(captions)*lineH + margin
	d.open()
	for _, s := range d.l.segments {
		d.segment(s)
	}
	d.lines()
	for _, row := range d.l.rows { // a keyboard goes from top to bottom
		for _, at := range row {
			if !d.l.places[at].line {
				d.box(at)
			}
		}
	}
	for i, s := range captions {
		fmt.Fprintf(&d.out, "<text class=\"caption\" x=\"%d\" y=\"%d\">%s</text>\n", margin, bottom+(i+1)*lineH, escape(s))
	}
	d.out.WriteString("</svg>\n")
	return d.out.String()
}

// drawing is the text of an SVG under way.
type drawing struct {
	p       *Picture
	l       *layout
	link    func(Box) string // nil for a document of its own
	columns int              // of one line in a box
	labels  []label
	rows    [][]string // the lines of each box
	tops    []int      // of each row of boxes
	heights []int      // the same
	out     strings.Builder
	left    int
	w, h    int
}

// measure finds the lines of the boxes, and the width of all boxes.
func (d *drawing) measure() (boxW int) {
	wide := 12
	for i := range d.labels {
		l := &d.labels[i]
		rows := []string{fit(l.kind, d.columns)}
		if l.name != "" {
			rows = append(rows, fit(l.name, d.columns))
		}
		rows = append(rows, wrap(l.why, d.columns, 3)...)
		for _, s := range l.more {
			rows = append(rows, fit(s, d.columns))
		}
		d.rows = append(d.rows, rows)
		for row, s := range rows {
			rows[row] = bare(s)
			wide = max(wide, width(s))
		}
	}
	boxW = wide*cellWidth/2 + 2*padding
	return boxW + boxW%2
}

// stack gives each row its place from top to bottom, as high as its highest box. It returns the bottom.
func (d *drawing) stack() (y int) {
	y = margin
	for _, row := range d.l.rows {
		high := 0
		for _, at := range row {
			if !d.l.places[at].line {
				high = max(high, len(d.rows[at]))
			}
		}
		d.tops, d.heights = append(d.tops, y), append(d.heights, high*lineH+padding)
		y += high*lineH + padding + gapY
	}
	if len(d.p.nodes) == 0 {
		return margin
	}
	return y - gapY + margin
}

// captions has the lines below the drawing, and the meaning of its lines.
func (d *drawing) captions() (list []string) {
	room := (d.w - 2*margin) * 2 / cellWidth
	lines := append([]string{d.p.title}, d.p.footer()...)
	if d.link != nil { // the page has a title
		lines = lines[1:]
	}
	for _, s := range lines {
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
	for _, s := range d.p.legend(true) {
		list = append(list, wrap(s, room, 3)...)
	}
	return list
}

// open writes the head: the size, the texts for screen readers, and the looks.
func (d *drawing) open() {
	title, role := d.p.title, "img"
	if title == "" {
		title = "Nothing to draw"
	}
	if d.link != nil {
		role = "group"
	}
	fmt.Fprintf(&d.out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ownergraph\" role=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", role, d.w, d.h, d.w, d.h)
	fmt.Fprintf(&d.out, "<title>%s</title>\n<desc>%s</desc>\n", escape(title), escape(d.describe()))
	if d.link == nil {
		fmt.Fprintf(&d.out, "<style>\n%s</style>\n", d.style())
		fmt.Fprintf(&d.out, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", d.w, d.h)
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

// middle, top and bottom place a place of the layout on the drawing.
func (d *drawing) middle(at int) int { return d.l.places[at].x + d.left }

func (d *drawing) top(at int) int { return d.tops[d.l.places[at].row] }

func (d *drawing) bottom(at int) int { return d.top(at) + d.heights[d.l.places[at].row] }

// escape writes a text as XML. The text has no control characters, because clean has
// replaced them.
func escape(s string) string { return html.EscapeString(s) }
