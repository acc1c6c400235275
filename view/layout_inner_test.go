package view

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// drawGraph draws a picture with any edges, and with waves.
func drawGraph(t *rapid.T) *Picture {
	n := rapid.IntRange(0, 40).Draw(t, "nodes")
	p := &Picture{waves: rapid.IntRange(0, 3).Draw(t, "waves"), limit: 100}
	for i := range n {
		p.nodes = append(p.nodes, node{key: graph.Key{Name: fmt.Sprint(i)}, wave: rapid.IntRange(0, p.waves).Draw(t, "wave")})
	}
	seen := map[[2]int]bool{}
	for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
		ends := [2]int{rapid.IntRange(0, n-1).Draw(t, "upper"), rapid.IntRange(0, n-1).Draw(t, "lower")}
		if rapid.IntRange(0, 5).Draw(t, "forward") > 0 && ends[0] > ends[1] {
			ends[0], ends[1] = ends[1], ends[0]
		}
		if !seen[ends] {
			seen[ends] = true
			p.edges = append(p.edges, edge{upper: ends[0], lower: ends[1], owns: true})
		}
	}
	w := world{nodes: p.nodes, edges: p.edges}
	w.merge()
	p.edges = w.edges
	return p
}

// TestLayout: no two places overlap, each edge but those of rings goes down, a line passes
// each row between its ends, and each edge is drawn or counted.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawGraph(t)
		l := lay(p, 100, perRow)
		checkRows(t, l)
		checkEdges(t, p, l)
		for at := range l.places {
			if x := l.places[at].x; x-l.half(at) < 0 || x+l.half(at) > l.width {
				t.Fatalf("place %d at %d is outside of the width %d", at, x, l.width)
			}
		}
	})
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func checkRows(t fataler, l *layout) {
	seen := 0
	for i, row := range l.rows {
		boxes := 0
		for order, at := range row {
			p := &l.places[at]
			if seen++; p.row != i || p.order != order {
				t.Fatalf("place %d is in row %d at %d, and says row %d at %d", at, i, order, p.row, p.order)
			}
			if order > 0 && p.x-l.places[row[order-1]].x < l.apart(row[order-1], at) {
				t.Fatalf("places %d and %d of row %d overlap", row[order-1], at, i)
			}
			if !p.line {
				boxes++
			}
		}
		if boxes > perRow {
			t.Fatalf("%d boxes in row %d", boxes, i)
		}
	}
	if seen != len(l.places) {
		t.Fatalf("%d places in rows, want %d", seen, len(l.places))
	}
}

func checkEdges(t fataler, p *Picture, l *layout) {
	loops := 0
	for i, e := range p.edges {
		switch {
		case e.upper == e.lower:
			loops++
		case l.row[e.lower] > l.row[e.upper] == l.ring[i]:
			t.Fatalf("edge %v from row %d to row %d, ring %v", e, l.row[e.upper], l.row[e.lower], l.ring[i])
		}
	}
	if len(l.segments)+loops+l.far != len(p.edges) {
		t.Fatalf("%d segments, %d loops and %d left out, want %d", len(l.segments), loops, l.far, len(p.edges))
	}
	for _, s := range l.segments {
		from, to := &l.places[s.from], &l.places[s.to]
		if upper, lower := l.down(s.edge); from.node != upper || to.node != lower || to.line || from.row != to.row-1 {
			t.Fatalf("segment %v from place %+v to place %+v", s, from, to)
		}
		for at := from; at.line; at = &l.places[at.up[0]] {
			if up := &l.places[at.up[0]]; len(at.up) != 1 || up.node != at.node || up.row != at.row-1 {
				t.Fatalf("a line from %+v to %+v", up, at)
			}
		}
	}
}

// TestRings: without the edges that close rings there is no ring, and a picture without
// rings has no such edge.
func TestRings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawGraph(t)
		ring := p.rings()
		forward := true
		for _, e := range p.edges {
			forward = forward && e.upper < e.lower
		}
		left := make([]int, len(p.nodes))
		for i, e := range p.edges {
			if ring[i] && forward {
				t.Fatalf("edge %v closes no ring", e)
			}
			if !ring[i] {
				left[e.lower]++
			}
		}
		taken := 0
		for again := true; again; {
			again = false
			for n := range left {
				if left[n] != 0 {
					continue
				}
				left[n], again = -1, true
				taken++
				for i, e := range p.edges {
					if !ring[i] && e.upper == n {
						left[e.lower]--
					}
				}
			}
		}
		if taken != len(p.nodes) {
			t.Fatalf("a ring of edges is left: %v", p.edges)
		}
	})
}

// TestCrossings compares the count with a count of all pairs.
func TestCrossings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := lay(drawGraph(t), 100, perRow)
		want := 0
		for _, row := range l.rows {
			var lines [][2]int
			for _, at := range row {
				for _, to := range l.places[at].down {
					lines = append(lines, [2]int{l.places[at].order, l.places[to].order})
				}
			}
			for i, a := range lines {
				for _, b := range lines[:i] {
					if (a[0]-b[0])*(a[1]-b[1]) < 0 {
						want++
					}
				}
			}
		}
		if got := l.crossings(); got != want {
			t.Fatalf("%d crossings, want %d", got, want)
		}
	})
}

// TestUntangle: crossed lines that need not cross do not.
func TestUntangle(t *testing.T) {
	p := &Picture{limit: 10}
	for i := range 6 {
		p.nodes = append(p.nodes, node{key: graph.Key{Name: fmt.Sprint(i)}})
	}
	p.edges = []edge{{upper: 0, lower: 5}, {upper: 1, lower: 4}, {upper: 2, lower: 3}}
	if l := lay(p, 100, perRow); l.crossings() != 0 || len(l.rows) != 2 {
		t.Errorf("%d crossings in %d rows", l.crossings(), len(l.rows))
	}
}

// TestFullRows: a node that a full row passes on stays above its dependents.
func TestFullRows(t *testing.T) {
	p := &Picture{limit: 10}
	for i := range perRow + 3 {
		p.nodes = append(p.nodes, node{key: graph.Key{Name: fmt.Sprint(i)}})
	}
	p.edges = []edge{{upper: perRow, lower: perRow + 2}, {upper: perRow + 1, lower: perRow + 2}}
	l := lay(p, 100, perRow)
	checkRows(t, l)
	checkEdges(t, p, l)
	if l.row[perRow] != 1 || l.row[perRow+2] != 2 {
		t.Errorf("rows %v", l.row)
	}
}

// TestSharedLines: a line has the look that its edges share, and else the plain look.
func TestSharedLines(t *testing.T) {
	for _, tt := range []struct {
		controllers int
		want        string
		reason      string
	}{
		{1, "edge controller", "all are controllers"},
		{2, "edge", "some are controllers"},
	} {
		p := Picture{limit: 100, nodes: []node{{class: live}}}
		for i := range perRow + 10 {
			p.nodes = append(p.nodes, node{key: graph.Key{Name: fmt.Sprint(i)}, class: live})
			p.edges = append(p.edges, edge{upper: 0, lower: i + 1, owns: true, controller: i%tt.controllers == tt.controllers-1})
		}
		lines := 0
		for line := range strings.Lines(p.SVG()) {
			if look, d, ok := strings.Cut(strings.TrimPrefix(line, `<path class="`), `" d="`); ok && strings.HasPrefix(look, "edge") && strings.Contains(d, "V") {
				if lines++; look != tt.want {
					t.Errorf("a shared line is %q, want %q: %s", look, tt.want, tt.reason)
				}
			}
		}
		if lines == 0 {
			t.Error("no shared line")
		}
	}
}

// TestMerge: an edge has all that its references and waits say, in any order.
func TestMerge(t *testing.T) {
	wait, own, block := edge{upper: 0, lower: 1}, edge{upper: 0, lower: 1, owns: true, controller: true}, edge{upper: 0, lower: 1, owns: true, block: true}
	for _, edges := range [][]edge{{wait, own, block}, {block, own, wait}, {own, wait, block, wait}} {
		w := world{nodes: make([]node, 2), edges: edges}
		w.merge()
		if len(w.edges) != 1 || !w.edges[0].owns || !w.edges[0].block || !w.edges[0].controller {
			t.Errorf("%+v becomes %+v", edges, w.edges)
		}
	}
	w := world{nodes: make([]node, 2), edges: []edge{{upper: 1, lower: 0}, own}}
	if w.merge(); len(w.edges) != 1 || !w.edges[0].owns {
		t.Errorf("a wait for an owner turns the picture: %+v", w.edges)
	}
}

// TestLongLines: lines over many rows are bounded, and the drawing counts the others.
func TestLongLines(t *testing.T) {
	p := &Picture{limit: 1000}
	const n = 400
	for i := range n {
		p.nodes = append(p.nodes, node{key: graph.Key{Name: fmt.Sprint(i)}, class: live})
		if i > 0 {
			p.edges = append(p.edges, edge{upper: i - 1, lower: i, owns: true})
		}
		if i < n-2 {
			p.edges = append(p.edges, edge{upper: i, lower: n - 1, owns: true})
		}
	}
	w := world{nodes: p.nodes, edges: p.edges}
	w.merge()
	p.edges = w.edges
	if l := lay(p, 100, perRow); l.far == 0 || len(l.places) > 10*n {
		t.Errorf("%d places, and %d lines left out", len(l.places), l.far)
	}
}
