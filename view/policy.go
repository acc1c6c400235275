package view

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// policies is the set of the policies of the references between two nodes. It is empty if no
// reference is known. Several references to one owner may have different policies, a flaw.
type policies uint8

// otherPolicy stands for all policies that this version does not know.
const otherPolicy = graph.OnDeleteCascade + 1

// policyOf returns the set of one policy.
func policyOf(d graph.OnDelete) policies { return 1 << min(d, otherPolicy) }

func (s policies) has(d graph.OnDelete) bool { return s&policyOf(d) != 0 }

// word names the policies, or is empty for references without a policy.
//
//test:by TestPolicyWords
func (s policies) word() string {
	if s&^policyOf(graph.OnDeleteUnset) == 0 {
		return ""
	}
	var list []string
	for d := graph.OnDeleteUnset; d <= otherPolicy; d++ {
		switch {
		case !s.has(d):
		case d == otherPolicy:
			list = append(list, "unknown policy")
		default:
			list = append(list, d.String())
		}
	}
	return strings.Join(list, ", ")
}

// only reports whether the set has the policy, and no other one.
func (s policies) only(d graph.OnDelete) bool { return s == policyOf(d) }

// policyMeaning is the meaning of a policy in a legend, and its line in a drawing.
type policyMeaning struct {
	of         graph.OnDelete
	line, text string
}

// policyMeanings has the policies that a legend explains.
func policyMeanings() []policyMeaning {
	return []policyMeaning{
		{graph.OnDeleteCascade, "two lines", "cascade: the dependent goes with this owner, even if its other owners exist"},
		{graph.OnDeleteRelease, "long dashes", "release: the owner's deletion drops the reference, which neither keeps nor deletes the dependent"},
		{graph.OnDeleteRestrict, "line with bars", "restrict: the owner is not deleted before the dependent is being deleted"},
	}
}

// used returns the policies of the edges.
func (p *Picture) used() (s policies) {
	for i := range p.edges {
		s |= p.edges[i].policies
	}
	return s
}

// legend explains the policies of the picture, one in each line. With drawn it names their lines.
// It is empty for a picture without policies.
func (p *Picture) legend(drawn bool) (list []string) {
	used := p.used()
	for _, m := range policyMeanings() {
		switch {
		case !used.has(m.of):
		case drawn:
			list = append(list, m.line+", "+m.text)
		default:
			list = append(list, m.text)
		}
	}
	return list
}

// styled returns the class of the line of an edge with one policy, or "".
func (s policies) styled() string {
	for _, m := range policyMeanings() {
		if s.only(m.of) {
			return " " + m.of.String()
		}
	}
	return ""
}

// policyStyle has the looks of the policies, for drawings that have some.
const policyStyle = `.ownergraph .release{stroke-dasharray:14 5}
.ownergraph .bars{fill:none;stroke-width:9;stroke-dasharray:2 7}
.ownergraph .word{font-size:11px;font-style:italic;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}
`

// policyPage has their colours on one page.
func policyPage(to *strings.Builder, back, edge string) {
	fmt.Fprintf(to, ".ownergraph .bars{stroke:%s}\n.ownergraph .word{stroke:%s}\n", edge, back)
}

// stroke writes a line from one point to another with a tail, in its look. The line of cascade is double,
// and that of restrict has bars. The title may be empty.
func (d *drawing) stroke(look string, x1, y1, x2, y2 int, tail, title string) {
	end := "/>"
	if title != "" {
		end = "><title>" + escape(title) + "</title></path>"
	}
	path := func(class string, dx, dy int) {
		fmt.Fprintf(&d.out, "<path class=\"%s\" d=\"%s%s\"%s\n", class, curve(x1+dx, y1+dy, x2+dx, y2+dy), tail, end)
	}
	switch {
	case strings.Contains(look, " cascade"):
		dy := 1
		if x2 > x1 {
			dy = -1 // the two lines stay apart where they are flat
		}
		path("edge"+look, 2, dy)
		path("edge"+look, -2, -dy)
	case strings.Contains(look, " restrict"):
		path("edge"+look, 0, 0)
		path("bars", 0, 0)
	default:
		path("edge"+look, 0, 0)
	}
}

// policyWord writes the word of a policy at the middle of the last part of an edge.
func (d *drawing) policyWord(e *edge, x1, y1, x2, y2 int) {
	if w := e.policies.word(); w != "" {
		fmt.Fprintf(&d.out, "<text class=\"word\" x=\"%d\" y=\"%d\">%s</text>\n", (x1+x2)/2, (y1+y2)/2+4, escape(w))
	}
}
