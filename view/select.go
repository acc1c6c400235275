package view

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// selection are the nodes of a world that a picture draws.
type selection struct {
	w     *world
	order []int       // nearest first
	ways  map[int]way // from which the walk went on
	total int         // nodes of the picture without its bound
}

// around selects a node, the nodes above it and the nodes below it. The count has the nodes
// below.
func (w *world) around(start, limit int) (s selection, below int) {
	s = selection{w: w, ways: map[int]way{}}
	w.walk(start, false, maxFanOut, func(v visit) bool { return s.add(v, limit) })
	all := make([]way, len(w.nodes))
	w.walk(start, false, 0, func(v visit) bool {
		if all[v.node] == 0 {
			s.total++
		}
		if v.ways&downward != 0 && v.node != start {
			below++
		}
		all[v.node] |= v.ways
		return true
	})
	return s, below
}

// all selects from the whole world: the nodes around each start, then around each top, and
// then around each other node. So it takes one connected part after another.
func (w *world) all(starts []int, limit int) selection {
	s := selection{w: w, ways: map[int]way{}, total: len(w.nodes)}
	seen := make([]bool, len(w.nodes))
	part := func(start int) {
		if seen[start] {
			return
		}
		w.walk(start, true, 0, func(v visit) bool {
			seen[v.node] = true
			return true
		})
		w.walk(start, true, maxFanOut, func(v visit) bool { return s.add(v, limit) })
	}
	for _, i := range starts {
		part(i)
	}
	for _, alone := range []bool{false, true} {
		for i := range w.nodes {
			if w.up[i] == w.up[i+1] && (w.down[i] == w.down[i+1]) == alone {
				part(i)
			}
		}
	}
	for i := range w.nodes {
		part(i)
	}
	return s
}

func (s *selection) add(v visit, limit int) bool {
	if s.ways[v.node] == 0 {
		if len(s.order) == limit {
			return false
		}
		s.order = append(s.order, v.node)
	}
	s.ways[v.node] |= v.ways
	return true
}

// picture returns the selected nodes with the edges between them. The limit is that of the caller.
func (s *selection) picture(limit int) Picture {
	drawn := slices.Sorted(slices.Values(s.order))
	at := make(map[int]int, len(drawn))
	p := Picture{limit: bound(limit), open: limit > 0, omitted: s.total - len(drawn)}
	for to, from := range drawn {
		at[from] = to
		p.nodes = append(p.nodes, s.w.nodes[from])
	}
	for to, from := range drawn {
		p.nodes[to].more, p.nodes[to].owners = s.rest(from, at)
	}
	s.connect(&p, at)
	return p
}

// rest counts the neighbours of a node that are not drawn.
func (s *selection) rest(from int, at map[int]int) (more []count, owners int) {
	if s.ways[from]&downward != 0 {
		s.w.fanOut(from, 0, func(to int) {
			if _, ok := at[to]; ok {
				return
			}
			kind := s.w.nodes[to].key.Kind
			if n := len(more); n == 0 || more[n-1].kind != kind {
				more = append(more, count{kind: kind})
			}
			c := &more[len(more)-1]
			c.n++
			if note, ok := s.w.plain(to); ok {
				c.count(note)
			}
		})
	}
	if s.ways[from]&upward != 0 {
		for _, e := range s.w.aboveOf(from) {
			if _, ok := at[s.w.edges[e].upper]; !ok && (s.w.edges[e].owns || !s.w.edges[e].member) {
				owners++
			}
		}
	}
	return more, owners
}

func (c *count) count(note string) {
	if c.plain == nil {
		c.plain = map[string]int{}
	}
	c.plain[note]++
}

// connect adds the edges between the drawn nodes, up to a bound. The edge that leads to
// the nearest node comes first, so the bound tears off no node.
func (s *selection) connect(p *Picture, at map[int]int) {
	near := make([]int, len(s.w.nodes))
	for i, from := range s.order {
		near[from] = i + 1
	}
	var first, others []int
	for _, from := range s.order {
		best := -1
		check := func(e int) {
			other := s.w.other(e, from)
			if near[other] > 0 && near[other] < near[from] && (best < 0 || near[other] < near[s.w.other(best, from)]) {
				best = e
			}
		}
		for e := s.w.down[from]; e < s.w.down[from+1]; e++ {
			check(e)
		}
		for _, e := range s.w.aboveOf(from) {
			if check(e); near[s.w.edges[e].upper] > 0 {
				others = append(others, e)
			}
		}
		if best >= 0 {
			first = append(first, best)
		}
	}
	list := slices.Concat(first, others)
	taken := make(map[int]bool, len(list))
	for _, e := range list {
		if taken[e] {
			continue
		}
		if taken[e] = true; len(p.edges) == edgesPerNode*p.limit {
			p.cut++
			continue
		}
		c := s.w.edges[e]
		c.upper, c.lower = at[c.upper], at[c.lower]
		p.edges = append(p.edges, c)
	}
	slices.SortFunc(p.edges, byEnds)
}

// aboveOf returns the edges above a node.
func (w *world) aboveOf(n int) []int { return w.above[w.up[n]:w.up[n+1]] }

// other returns the other end of an edge.
func (w *world) other(e, end int) int {
	if w.edges[e].upper == end {
		return w.edges[e].lower
	}
	return w.edges[e].upper
}

// find returns the node with the key, or -1.
func (w *world) find(key graph.Key) int {
	return slices.IndexFunc(w.nodes, func(n node) bool { return n.actor == "" && n.key == key })
}
