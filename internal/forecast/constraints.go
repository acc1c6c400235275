package forecast

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
)

// constraints has the rules of the store's database that removals of the plan meet. A rule counts
// for an object if a dependent of it has its row in the table of the rule, and is still there when
// the object goes. Whether that row refers to the row of the object, the database alone knows.
//
//test:by ownergraph.TestPlanConstraints
func (f *forecast) constraints() (out []plan.Assumption) {
	if f.Unconstrained != "" {
		out = append(out, plan.Assumption{Type: plan.ConstraintsUnread, Detail: detail(f.Unconstrained)})
	}
	for _, c := range f.Constraints {
		t := plan.RemovalsAllowed
		switch c.Effect {
		case graph.EffectRefuses:
		case graph.EffectRemoves:
			t = plan.RowsKept
		default:
			continue
		}
		of := map[graph.Kind]int{}
		for i := range f.Parts {
			if p := &f.Parts[i]; p.Member && p.State == excerpt.Exists && has(c.Owners, p.Object.Kind, c.Unread) && f.meets(int32(i), &c) {
				of[p.Object.Kind]++
			}
		}
		for kind, n := range of {
			out = append(out, plan.Assumption{Type: t, Name: string(kind), Count: n, Detail: detail(c.String())})
		}
	}
	return out
}

// maxDetail bounds the text of a database, in bytes.
const maxDetail = 512

func detail(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxDetail)], "") }

// has reports whether a list has a kind, or may have it.
func has(list []graph.Kind, kind graph.Kind, unread bool) bool {
	return unread || slices.Contains(list, kind)
}

// meets reports whether the end of a part meets a rule.
func (f *forecast) meets(i int32, c *graph.Constraint) bool {
	if _, stays := f.store.At(f.Parts[i].Object.Key); stays {
		return false
	}
	if !c.OfObjects {
		return true
	}
	return slices.ContainsFunc(f.links.dependents[i], func(d int32) bool {
		p := &f.Parts[d]
		return d != i && p.State == excerpt.Exists && has(c.Dependents, p.Object.Kind, c.Unread) && f.outlives(d, i, c)
	})
}

// outlives reports whether a dependent may be there when its owner goes. The row of an object that
// goes later than its owner counts for a handler alone, if the database takes the row along.
func (f *forecast) outlives(d, owner int32, c *graph.Constraint) bool {
	o := &f.Parts[d].Object
	_, stays := f.store.At(o.Key)
	if !stays && c.Effect == graph.EffectRemoves {
		return len(o.Finalizers) > 0
	}
	blocks := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.Block && r.UID == f.Parts[owner].Object.UID })
	return stays || !f.waited[owner] || !blocks
}
