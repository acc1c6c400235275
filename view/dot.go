package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

const maxCells = 48 // columns of one line of a label

// DOT returns the picture as a graph for Graphviz. Owners stand above their dependents. The
// edge of a controller is bold, and the edge of a blocking reference ends in a box. A wait
// is dotted. A label names the policy of a reference. A plan has one cluster for each wave.
//
//test:by TestDOTIsRead FuzzPicture
func (p Picture) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph ownership {\n  graph [rankdir=TB, labelloc=b, fontname=\"sans-serif\", label=%s];\n", dotLines(slices.Concat([]string{p.title}, p.footer(), p.legend(false))))
	b.WriteString("  node [shape=box, style=\"filled\", fontname=\"sans-serif\", fontcolor=\"#1b1b1b\"];\n  edge [color=\"#555555\"];\n")
	labels := p.labels()
	for _, wave := range p.bands() {
		indent := "  "
		if wave.title != "" {
			fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n    color=\"#8a8a8a\";\n", wave.number, dotLines([]string{wave.title}))
			indent = "    "
		}
		for _, i := range wave.nodes {
			n := &p.nodes[i]
			fmt.Fprintf(&b, "%sn%d [label=%s, tooltip=%s, %s];\n", indent, i, dotLines(labels[i].lines()), dotLines([]string{labels[i].full}), n.dotLook())
		}
		if wave.title != "" {
			b.WriteString("  }\n")
		}
	}
	rings := p.rings()
	for i, e := range p.edges {
		fmt.Fprintf(&b, "  n%d -> n%d%s;\n", e.upper, e.lower, e.dotLook(rings[i]))
	}
	b.WriteString("}\n")
	return b.String()
}

// lines returns the lines of a label, each of a bounded width.
func (l *label) lines() []string {
	list := []string{fit(l.kind, maxCells)}
	if l.name != "" {
		list = append(list, fit(l.name, maxCells))
	}
	list = append(list, wrap(l.why, maxCells, 3)...)
	for _, s := range l.more {
		list = append(list, fit(s, maxCells))
	}
	return list
}

// dotLines quotes lines. Graphviz reads entities and escapes in quoted text.
func dotLines(lines []string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, s := range lines {
		if i > 0 {
			b.WriteString(`\n`)
		}
		for _, pair := range [][2]string{{`\`, `\\`}, {`"`, `\"`}, {"&", "&amp;"}} {
			s = strings.ReplaceAll(s, pair[0], pair[1])
		}
		b.WriteString(s)
	}
	b.WriteByte('"')
	return b.String()
}

// dotLook returns the shape and the colours of a node.
func (n *node) dotLook() string {
	shape := [...]string{
		live: "shape=box, style=\"filled,rounded\"", marked: "shape=box, style=\"filled,dashed\"", waiting: "shape=hexagon",
		orphaning: "shape=parallelogram", absent: "shape=box, style=\"filled,dotted\"", unknown: "shape=ellipse, style=\"filled,dotted\"",
		kept: "shape=box, style=\"filled,rounded\", peripheries=2", held: "shape=octagon", protected: "shape=doubleoctagon",
		going: "shape=note", actor: "shape=cds", classUnset: "shape=box",
	}[n.class]
	light, _ := colours(n.class)
	s := fmt.Sprintf("%s, fillcolor=\"%s\", color=\"%s\"", shape, light.fill, light.line)
	if n.subject {
		s += ", penwidth=3"
	}
	return s
}

// dotLook returns the attributes of an edge.
func (e *edge) dotLook(ring bool) string {
	var list []string
	if e.controller {
		list = append(list, "penwidth=2.5")
	}
	if e.block {
		list = append(list, "arrowhead=\"normalbox\"")
	}
	list = append(list, e.policies.dotLine()...)
	word := e.policies.word()
	label := func(s string) string {
		if word != "" {
			s += ", " + word
		}
		return `label="` + s + `"`
	}
	switch {
	case ring:
		list = append(list, `style="dashed"`, label("ring"), `constraint="false"`)
	case e.member && !e.owns:
		list = append(list, `style="dashed"`, label("member"))
	case !e.owns:
		list = append(list, `style="dotted"`, label("waits for"))
	case len(e.notes) > 0:
		list = append(list, `style="dashed"`)
	}
	if word != "" && e.owns && !ring {
		list = append(list, `label="`+word+`"`)
	}
	if len(list) == 0 {
		return ""
	}
	return " [" + strings.Join(list, ", ") + "]"
}

// dotLine returns the attributes of a line with one policy: two lines for cascade, a circle at the owner
// for release, and a bar there for restrict. The label has the word.
func (s policies) dotLine() []string {
	switch {
	case s.only(graph.OnDeleteCascade):
		return []string{`color="#555555:invis:#555555"`}
	case s.only(graph.OnDeleteRelease):
		return []string{`dir="both"`, `arrowtail="odot"`}
	case s.only(graph.OnDeleteRestrict):
		return []string{`dir="both"`, `arrowtail="tee"`}
	}
	return nil
}
