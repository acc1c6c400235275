package plan

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// edges returns the policies of an object's references: the word alone for the owner above it, and
// OWNER:POLICY for others. A text for several objects names no owner, since each has another one. It is
// empty for an object without policies.
//
//test:by TestTextOfPolicies
func (o *Object) edges(several bool) string {
	var list []string
	for _, e := range o.Edges {
		word := e.OnDelete.String()
		switch {
		case e.Owner == o.Parent:
			list = append([]string{word}, list...)
		case !several:
			list = append(list, name(e.Owner)+":"+word)
		case !slices.Contains(list, word):
			list = append(list, word)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + spell.Some(list) + ")"
}

// because names the owners whose cascade references delete an object, unless the text shows the object
// below the only one.
func (w *writer) because(o *Object) string {
	if o.Reason != policy.CascadeOwnerGone && o.Reason != policy.CascadeOwnerWaits {
		return ""
	}
	decided := slices.DeleteFunc(slices.Clone(w.decided[o.Key]), func(k graph.Key) bool { return k == o.Parent })
	if len(decided) == 0 {
		return ""
	}
	return " because of " + strings.Join(names(decided[:min(len(decided), maxNames)]), ", ")
}

// decided returns the owners whose cascade references decide the deletes, by the deleted object.
func (p *Plan) decided() map[graph.Key][]graph.Key {
	out := map[graph.Key][]graph.Key{}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Actor == Engine && s.Action == policy.Delete && len(s.Owners) > 0 {
			out[s.Key] = s.Owners
		}
	}
	return out
}
