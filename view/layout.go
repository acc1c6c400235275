package view

import "slices"

// The measures of the drawing, in pixels.
const (
	gapX, gapY = 14, 30 // between boxes
	lane       = 10     // between a line and its neighbours
	margin     = 10
)

// The bounds of the layout.
const (
	sweeps = 8 // of the search for few crossings
	shifts = 6 // of the search for straight lines
	perRow = 8 // the largest number of boxes in one row, by default
)

// place is a place in a row: a box, or a line on its way down through the row.
type place struct {
	node  int // of the box, or the upper end of the line
	line  bool
	row   int
	x     int // of the middle
	order int // in the row
	up    []int
	down  []int
}

// segment is the last part of an edge: from a place of the row above to a box.
type segment struct {
	edge     int
	from, to int  // places; from is the upper one
	ring     bool // the edge leads up, from its upper end below to its lower end above
}

// layout is the drawing of a picture: rows of places, from top to bottom. An edge is a
// line of places down from its upper end, and a segment. Edges with one upper end share
// the line.
type layout struct {
	p           *Picture
	ring        []bool
	row         []int // of each node
	places      []place
	rows        [][]int // places in order
	segments    []segment
	far         int // edges that are too long to draw
	boxW, width int
}

// lay returns the layout of a picture with boxes of one width, and with at most perRow of them in a
// row. Equal pictures have equal layouts. The time is linear in nodes and edges, but for sorting.
//
//test:by TestLayout BenchmarkPictures
func lay(p *Picture, boxW, perRow int) *layout {
	l := &layout{p: p, ring: p.rings(), boxW: boxW}
	l.layer(perRow)
	l.thread()
	l.untangle()
	l.spread()
	return l
}

// rowOf returns the number of boxes in one row, by default. Small pictures have short rows, so that they are
// legible in a narrow column.
func (p *Picture) rowOf() int {
	switch n := len(p.nodes); {
	case n <= 9:
		return 3
	case n <= 60:
		return 5
	}
	return perRow
}

// down returns the ends of an edge as the drawing has them: the upper end above.
func (l *layout) down(e int) (from, to int) {
	if l.ring[e] {
		return l.p.edges[e].lower, l.p.edges[e].upper
	}
	return l.p.edges[e].upper, l.p.edges[e].lower
}

// layer gives each node a row below the rows of all its owners. A full row passes nodes on
// to the next one.
func (l *layout) layer(perRow int) {
	n := len(l.p.nodes)
	below, waits := make([][]int, n), make([]int, n)
	for e := range l.p.edges {
		if from, to := l.down(e); from != to {
			below[from] = append(below[from], to)
			waits[to]++
		}
	}
	l.row = make([]int, n)
	queue := make([]int, 0, n)
	for i := range n {
		if waits[i] == 0 {
			queue = append(queue, i)
		}
	}
	full := room{perRow, map[int]int{}, map[int]int{}}
	for at := 0; at < len(queue); at++ {
		i := queue[at]
		l.row[i] = full.take(l.row[i])
		for _, to := range below[i] {
			l.row[to] = max(l.row[to], l.row[i]+1)
			if waits[to]--; waits[to] == 0 {
				queue = append(queue, to)
			}
		}
	}
}

// room counts the boxes of the rows.
type room struct {
	size int
	used map[int]int
	next map[int]int // a row that may have room, for a full row
}

// take returns the first row with room from the given one on.
func (r *room) take(row int) int {
	at := row
	for r.used[at] == r.size {
		at = max(at+1, r.next[at])
	}
	for r.used[row] == r.size { // the next search is shorter
		row, r.next[row] = max(row+1, r.next[row]), at
	}
	r.used[at]++
	return at
}

// thread makes the places and the segments. The shortest lines come first. A bound on the
// places leaves out the longest lines, and the drawing counts their edges.
func (l *layout) thread() {
	last := 0
	for _, r := range l.row {
		last = max(last, r)
	}
	l.rows = make([][]int, last+1)
	for i := range l.p.nodes {
		l.add(place{node: i, row: l.row[i]})
	}
	order := make([]int, 0, len(l.p.edges))
	for e := range l.p.edges {
		if from, to := l.down(e); from != to {
			order = append(order, e)
		}
	}
	span := func(e int) int {
		from, to := l.down(e)
		return l.row[to] - l.row[from]
	}
	slices.SortStableFunc(order, func(a, b int) int { return span(a) - span(b) })
	ends := map[[2]int]int{} // the lowest place of a line, by upper end and direction
	left := 8*len(l.p.nodes) + 100
	for _, e := range order {
		from, to := l.down(e)
		line := [2]int{from, 0}
		if l.ring[e] {
			line[1] = 1
		}
		at, ok := ends[line]
		if !ok {
			at = from
		}
		if need := l.row[to] - 1 - l.places[at].row; need > left {
			l.far++
			continue
		}
		for l.places[at].row < l.row[to]-1 {
			next := l.add(place{node: from, line: true, row: l.places[at].row + 1})
			l.link(at, next)
			at = next
			left--
		}
		ends[line] = at
		l.segments = append(l.segments, segment{e, at, to, l.ring[e]})
		l.link(at, to)
	}
}

func (l *layout) add(p place) int {
	p.order = len(l.rows[p.row])
	l.rows[p.row] = append(l.rows[p.row], len(l.places))
	l.places = append(l.places, p)
	return len(l.places) - 1
}

func (l *layout) link(upper, lower int) {
	l.places[upper].down = append(l.places[upper].down, lower)
	l.places[lower].up = append(l.places[lower].up, upper)
}
