package view

import (
	"fmt"
	"strings"
	"unicode"
)

// Mermaid returns the picture as a Mermaid flowchart, as Markdown shows it. Owners stand
// above their dependents. A thick line is that of a controller, and the line of a blocking
// reference has a cross at its end. A wait is dotted. A word on the line names a policy. A plan has one subgraph for each wave.
//
// Mermaid draws at most 500 edges and 50,000 characters, unless a page raises its maxEdges and
// maxTextSize. A picture with a limit of 100 has at most 400 edges.
//
//test:by TestMermaidEscapes TestMermaidFits TestGolden
func (p Picture) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TB\n")
	labels := p.labels()
	used := [len(classNames)]bool{}
	for _, wave := range p.bands() {
		indent := "  "
		if wave.title != "" {
			fmt.Fprintf(&b, "  subgraph w%d[\"%s\"]\n", wave.number, mermaidText(wave.title))
			indent = "    "
		}
		for _, i := range wave.nodes {
			n := &p.nodes[i]
			used[n.class] = true
			lines := labels[i].lines()
			for j := range lines {
				lines[j] = mermaidText(lines[j])
			}
			open, shut := n.mermaidShape()
			fmt.Fprintf(&b, "%sn%d%s\"%s\"%s:::%s\n", indent, i, open, strings.Join(lines, "<br/>"), shut, n.class.css())
		}
		if wave.title != "" {
			b.WriteString("  end\n")
		}
	}
	rings := p.rings()
	for i, e := range p.edges {
		fmt.Fprintf(&b, "  n%d %s n%d\n", e.upper, e.mermaidLine(rings[i]), e.lower)
	}
	if lines := append(p.footer(), p.legend(false)...); len(lines) > 0 {
		for i := range lines {
			lines[i] = mermaidText(fit(lines[i], 2*maxCells))
		}
		fmt.Fprintf(&b, "  summary[\"%s\"]:::summary\n  classDef summary fill:none,stroke:none\n", strings.Join(lines, "<br/>"))
	}
	for c, ok := range used {
		if light, _ := colours(class(c)); ok {
			fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:#1b1b1b\n", class(c).css(), light.fill, light.line)
		}
	}
	return b.String()
}

// mermaidText writes the signs that Mermaid, Markdown or HTML may read as entities.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -.,:/()…", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// mermaidShape returns the brackets of a node. They stand for its shape.
func (n *node) mermaidShape() (open, shut string) {
	switch n.class {
	case live:
		return "(", ")"
	case waiting:
		return "{{", "}}"
	case orphaning:
		return "[/", "/]"
	case absent, unknown:
		return "([", "])"
	case kept:
		return "[[", "]]"
	case held, protected:
		return "[/", `\]`
	case actor:
		return ">", "]"
	}
	return "[", "]"
}

func (e *edge) mermaidLine(ring bool) string {
	word, line := "", ""
	switch {
	case ring:
		word, line = "ring", "-.->"
	case e.member && !e.owns:
		word, line = "member", "-.->"
	case !e.owns:
		word, line = "waits for", "-.->"
	case e.controller:
		line = "=="
	default:
		line = "--"
	}
	switch {
	case len(line) > 2:
	case e.block:
		line += "x"
	default:
		line += ">"
	}
	if w := e.policies.word(); w != "" && word != "" {
		word += ", " + w
	} else if w != "" {
		word = w
	}
	if word != "" {
		line += "|" + word + "|"
	}
	return line
}
