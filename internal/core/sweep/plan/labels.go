package plan

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/selector"
)

// labelled reports whether membership depends on labels.
func (m *members) labelled() bool { return m.Label != "" || m.Selector != "" }

// LabelledMembers returns the indices in Sweep.Members of the members that depend on
// labels. The caller owns the result.
func (p *Plan) LabelledMembers() (out []int) {
	for i := range p.sweep.Members {
		if p.members(i).labelled() {
			out = append(out, i)
		}
	}
	return out
}

// Takes reports whether objects of the kind may be members by the i-th Members.
func (p *Plan) Takes(i int, kind graph.Kind) bool {
	m := p.members(i)
	return (kind != p.sweep.Holder || slices.Contains(m.Kinds, kind)) && kindIn(m.Kinds, m.KindIs, kind)
}

// NeedsLabels reports whether the holders that the object names by the i-th Members
// depend on its labels.
func (p *Plan) NeedsLabels(i int, o graph.Object) bool {
	m := p.members(i)
	if !m.labelled() || p.excepted(o) || !p.may(m, o) {
		return false
	}
	if m.By == guard.ByLabel {
		return true
	}
	names := false
	p.claims(i, m, o, "", func(Claim) bool {
		names = true
		return false
	})
	return names
}

// maxNames bounds the holders that one selector names. With more holders the selector
// names none.
const maxNames = 32

// Select returns the selector of the objects that the i-th Members takes. It also returns
// the label whose value names their holder, "" for another way of naming. With a few
// names it selects only the objects that name these holders.
func (p *Plan) Select(i int, names []string) (text, label string) {
	m := p.members(i)
	s, _ := selector.Parse(m.Selector) // New has read it, and an empty text is the zero Selector
	if m.By != guard.ByLabel {
		return s.String(), ""
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" || !selector.ValidValue(n) })
	slices.Sort(names)
	names = slices.Compact(names)
	text = m.Label
	if len(names) > 0 && len(names) <= maxNames {
		text += " in (" + strings.Join(names, ",") + ")"
	}
	if s.String() != "" {
		text += "," + s.String()
	}
	return text, m.Label
}
