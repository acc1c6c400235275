package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// minGroup is the smallest number of objects that become one box.
const minGroup = 4

// Grouped returns the picture with one box for the dependents of one kind of an object, if there are
// four or more. The box counts them, drawn or not, and the objects that are below them alone are left
// out. A group that open names stays apart. So do the subject, objects with other owners, and objects
// whose reference has a flaw.
//
//test:by TestGrouped
func (p Picture) Grouped(open func(Box) bool) Picture {
	g := grouping{p: &p, group: make([]int, len(p.nodes)), uppers: make([]int, len(p.nodes))}
	for _, e := range p.edges {
		g.uppers[e.lower]++
	}
	for start := 0; start < len(p.edges); {
		end := start + 1
		for end < len(p.edges) && p.edges[end].upper == p.edges[start].upper && g.kindOf(end) == g.kindOf(start) {
			end++
		}
		if upper := &p.nodes[p.edges[start].upper]; upper.actor == "" && !open(Box{upper.key, g.kindOf(start)}) {
			g.take(start, end)
		}
		start = end
	}
	if len(g.nodes) == 0 {
		return p
	}
	g.hide()
	return g.picture()
}

// grouping makes groups of the nodes of a picture.
type grouping struct {
	p      *Picture
	group  []int // of each node: its number in nodes and 1, -1 for a hidden node, or 0
	uppers []int // the edges above each node
	nodes  []node
	edges  []edge // from the upper node, to the number in nodes
}

func (g *grouping) kindOf(e int) graph.Kind { return g.p.nodes[g.p.edges[e].lower].key.Kind }

// take makes one group of the dependents of one kind of a node.
func (g *grouping) take(start, end int) {
	upper := g.p.edges[start].upper
	kind := g.kindOf(start)
	more := 0
	for _, c := range g.p.nodes[upper].more {
		if c.kind == kind {
			more = c.n
		}
	}
	var taken []int
	for e := start; e < end; e++ {
		lower := g.p.edges[e].lower
		if n := &g.p.nodes[lower]; lower != upper && g.uppers[lower] == 1 && !n.subject && n.actor == "" && g.group[lower] == 0 && len(g.p.edges[e].notes) == 0 {
			taken = append(taken, e)
		}
	}
	if len(taken)+more < minGroup || len(taken) == 0 {
		return
	}
	n := node{group: len(taken) + more, of: g.p.nodes[upper].key}
	n.key.Kind = kind
	counts := map[class]int{}
	to := edge{upper: upper, lower: len(g.nodes), owns: true}
	for _, e := range taken {
		x := &g.p.edges[e]
		m := &g.p.nodes[x.lower]
		counts[m.class]++
		n.class = worse(n.class, m.class)
		to.block, to.controller, to.member, to.owns = to.block || x.block, to.controller || x.controller, to.member || x.member, to.owns && x.owns
		to.policies |= x.policies
		g.group[x.lower] = len(g.nodes) + 1
	}
	n.notes = wordsOf(counts, len(taken), more)
	g.nodes, g.edges = append(g.nodes, n), append(g.edges, to)
	g.p.nodes[upper].more = slices.DeleteFunc(slices.Clone(g.p.nodes[upper].more), func(c count) bool { return c.kind == kind })
}

// worse returns the class of the two that needs a look first.
func worse(a, b class) class {
	order := []class{classUnset, live, kept, going, protected, absent, unknown, orphaning, marked, waiting, held}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// wordsOf counts the objects of a group by class.
func wordsOf(counts map[class]int, looked, more int) (notes []string) {
	var list []string
	for c, n := range classNames {
		if k := counts[class(c)]; k > 0 {
			list = append(list, fmt.Sprintf("%d %s", k, n))
		}
	}
	s := strings.Join(list, ", ")
	if more > 0 {
		s = fmt.Sprintf("of the first %d: %s", looked, s)
	}
	return []string{s}
}

// hide hides the nodes that are below grouped or hidden nodes alone.
func (g *grouping) hide() {
	below := begins(g.p.edges, len(g.p.nodes), func(e *edge) int { return e.upper })
	var queue []int
	for i, n := range g.group {
		if n != 0 {
			queue = append(queue, i)
		}
	}
	for at := 0; at < len(queue); at++ {
		for _, e := range g.p.edges[below[queue[at]]:below[queue[at]+1]] {
			if g.uppers[e.lower]--; g.uppers[e.lower] == 0 && g.group[e.lower] == 0 && !g.p.nodes[e.lower].subject {
				g.group[e.lower] = -1
				queue = append(queue, e.lower)
			}
		}
	}
}

// picture returns the picture with the groups.
func (g *grouping) picture() Picture {
	out := *g.p
	out.nodes, out.edges = nil, nil
	at := make([]int, len(g.p.nodes))
	for i := range g.p.nodes {
		if g.group[i] == 0 {
			at[i] = len(out.nodes)
			out.nodes = append(out.nodes, g.p.nodes[i])
		}
	}
	first := len(out.nodes)
	out.nodes = append(out.nodes, g.nodes...)
	for _, e := range g.p.edges {
		if g.group[e.upper] == 0 && g.group[e.lower] == 0 {
			e.upper, e.lower = at[e.upper], at[e.lower]
			out.edges = append(out.edges, e)
		}
	}
	for _, e := range g.edges {
		if g.group[e.upper] == 0 {
			e.upper, e.lower = at[e.upper], first+e.lower
			out.edges = append(out.edges, e)
		}
	}
	return out.kept(first)
}

// kept returns the picture without the groups that no edge leads to, since their owner is in a group.
func (p Picture) kept(first int) Picture {
	led := make([]bool, len(p.nodes))
	for _, e := range p.edges {
		led[e.lower] = true
	}
	at, nodes := make([]int, len(p.nodes)), p.nodes[:0:0]
	for i := range p.nodes {
		if i < first || led[i] {
			at[i] = len(nodes)
			nodes = append(nodes, p.nodes[i])
		}
	}
	for i := range p.edges {
		p.edges[i].upper, p.edges[i].lower = at[p.edges[i].upper], at[p.edges[i].lower]
	}
	p.nodes = nodes
	slices.SortFunc(p.edges, func(a, b edge) int { return cmp.Or(a.upper-b.upper, a.lower-b.lower) })
	return p
}
