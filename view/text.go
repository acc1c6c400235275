package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	spelling "github.com/ownergraph/ownergraph/internal/spell"
)

// maxDepth bounds the drawn levels of a text below a top.
const maxDepth = 32

// Text returns the picture as a tree for a terminal, one node in each line, in the order of
// the keys. It draws a node with several owners once, and mentions it again, so rings end.
// More than 10 dependents of one owner share a line if they are alike: of one kind, with one remark,
// and without dependents. A picture that was made with a limit has a line for each.
// The lines after the tree count the objects. The text has at most 32 levels, and at most
// twice as many lines as the limit of the picture.
//
//test:by TestTextShapes TestTextDrawsEachOnce TestTextIsBounded TestTextFolds
func (p Picture) Text() string {
	t := &tree{p: &p, below: make([][]int, len(p.nodes)), drawn: make([]bool, len(p.nodes))}
	for i, e := range p.edges {
		t.below[e.upper] = append(t.below[e.upper], i)
	}
	for _, top := range p.tops(t.below) {
		t.draw(top)
	}
	p.omitted -= t.merged
	for _, line := range slices.Concat(p.footer(), p.legend(false)) {
		fmt.Fprintln(&t.out, line)
	}
	return t.out.String()
}

// footer has the lines below the picture.
func (p *Picture) footer() []string {
	list := slices.Clone(p.summary)
	if p.omitted > 0 {
		list = append(list, numbered(p.omitted, "object")+" left out")
	}
	if p.cut > 0 {
		list = append(list, numbered(p.cut, "reference")+" left out")
	}
	return list
}

// tops returns the nodes at which the text begins: those below no other node, then the
// subject, and then others, each if no node before leads to it.
func (p *Picture) tops(below [][]int) (tops []int) {
	under, reached := make([]bool, len(p.nodes)), make([]bool, len(p.nodes))
	for _, e := range p.edges {
		under[e.lower] = under[e.lower] || e.lower != e.upper
	}
	for _, pick := range p.order(under) {
		for i := range p.nodes {
			if reached[i] || !pick(i) {
				continue
			}
			tops = append(tops, i)
			reached[i] = true
			for stack := []int{i}; len(stack) > 0; {
				at := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, e := range below[at] {
					if to := p.edges[e].lower; !reached[to] {
						reached[to] = true
						stack = append(stack, to)
					}
				}
			}
		}
	}
	return tops
}

// order has the order in which walks from the top begin: at the nodes below no other one,
// at the subject, and at the others.
func (p *Picture) order(under []bool) []func(i int) bool {
	return []func(i int) bool{
		func(i int) bool { return !under[i] },
		func(i int) bool { return p.nodes[i].subject },
		func(int) bool { return true },
	}
}

// tree is the text under way.
type tree struct {
	p     *Picture
	below [][]int // edges
	drawn []bool
	out   strings.Builder
	lines int
	path  []int // nodes from the top to the current line
	// merged counts the objects that are not drawn and that a line of several counts.
	merged int
}

// branch is one line of the drawing: a node below another one, or a remark.
type branch struct {
	node   int
	edge   int    // -1 at the top
	remark string // in place of a node
	depth  int
	prefix string // of the line
	indent string // of the lines below it
}

func (t *tree) draw(top int) {
	limit := 2 * t.p.limit
	for stack := []branch{{node: top, edge: -1}}; len(stack) > 0; {
		if t.lines == limit {
			t.lines++
			fmt.Fprintf(&t.out, "... (%d lines are drawn)\n", limit)
		}
		if t.lines > limit {
			return
		}
		t.lines++
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.remark != "" {
			fmt.Fprintf(&t.out, "%s%s\n", b.prefix, b.remark)
			continue
		}
		ring := slices.Contains(t.path[:b.depth], b.node)
		fmt.Fprintf(&t.out, "%s%s%s\n", b.prefix, spelling.Short(t.p.nodes[b.node].name()), t.note(b, ring))
		if !t.drawn[b.node] {
			t.drawn[b.node] = true
			t.path = append(t.path[:b.depth], b.node)
			stack = append(stack, t.under(b)...)
		}
	}
}

// name spells a node in one line.
func (n *node) name() string {
	if n.actor != "" {
		return n.actor
	}
	return spelling.Short(n.key.Text()) // as the commands read it
}

// under returns the branches under b, last first.
func (t *tree) under(b branch) []branch {
	edges, more := t.below[b.node], slices.Clone(t.p.nodes[b.node].more)
	var list []branch
	if b.depth == maxDepth && len(edges)+len(more) > 0 {
		n := len(edges)
		for _, c := range more {
			n += c.n
		}
		list = []branch{{remark: fmt.Sprintf("... and %s, too deep to draw", numbered(n, "dependent"))}}
		edges, more = nil, nil
	}
	list = append(list, t.lists(edges, more)...)
	for i := range list {
		list[i].depth = b.depth + 1
		list[i].prefix, list[i].indent = b.indent+"├── ", b.indent+"│   "
		if i == len(list)-1 {
			list[i].prefix, list[i].indent = b.indent+"└── ", b.indent+"    "
		}
	}
	slices.Reverse(list)
	return list
}

// lists returns the branches of dependents, and of the counts of others after each kind.
func (t *tree) lists(edges []int, more []count) (list []branch) {
	rest := func(c count) {
		if c.n > 0 {
			list = append(list, branch{remark: c.String()})
		}
	}
	folds := t.folds(edges)
	for _, e := range edges {
		to := t.p.edges[e].lower
		for len(more) > 0 && more[0].kind < t.p.nodes[to].key.Kind && t.p.nodes[to].actor == "" {
			rest(more[0])
			more = more[1:]
		}
		switch group, folded := folds[e]; {
		case !folded:
			list = append(list, branch{node: to, edge: e})
		case group != nil:
			list = append(list, branch{remark: t.fold(group, more)})
		}
	}
	for _, c := range more {
		rest(c)
	}
	return list
}

func (c count) String() string { return fmt.Sprintf("... and %d more %s", c.n, spellKind(c.kind)) }

// note returns the remarks of a line. They tell why no line follows below it, a wrong
// reference, the other owners, and the class with its reason.
func (t *tree) note(b branch, ring bool) string {
	var notes []string
	if b.edge >= 0 {
		if w := t.p.edges[b.edge].policies.word(); w != "" {
			notes = append(notes, w)
		}
	}
	switch {
	case ring:
		return remark(append(notes, "a ring: drawn above"))
	case t.drawn[b.node]:
		return remark(append(notes, "drawn above"))
	}
	n := &t.p.nodes[b.node]
	if b.edge >= 0 {
		e := &t.p.edges[b.edge]
		notes = append(notes, e.notes...)
		switch {
		case e.member && !e.owns:
			notes = append(notes, "member")
		case !e.owns && n.actor == "":
			notes = append(notes, "waited for")
		}
		notes = append(notes, n.others(func(k graph.Key) bool { return same(k, t.p.nodes[e.upper].key) })...)
	}
	if w := n.word(); w != classNames[live] {
		notes = append(notes, w)
	}
	if notes = append(notes, n.notes...); n.owners > 0 {
		notes = append(notes, numbered(n.owners, "more owner"))
	}
	return remark(notes)
}

// remark joins the remarks of a line.
func remark(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "  (" + strings.Join(notes, "; ") + ")"
}

// others names the owners other than the known ones.
func (n *node) others(known func(graph.Key) bool) []string {
	var list []graph.Owner
	for _, r := range n.refs {
		if !known(r.Key) {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []string{"also owned by " + some(list, spellOwner)}
}

// word returns the class in words, with the wave of a plan.
func (n *node) word() string {
	w := classNames[n.class]
	if n.maybe {
		w += " (possible)"
	}
	switch {
	case n.wave > 0 && n.class == going:
		w += fmt.Sprintf(" in wave %d", n.wave)
	case n.wave > 0:
		w += fmt.Sprintf("; wave %d", n.wave)
	}
	return w
}
