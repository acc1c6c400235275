package forecast

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
)

// constraints has the rules of the store's database that removals of the plan meet. A rule counts
// fully if a dependent of an object has its row in the table of the rule, and is still there when
// the object goes. Whether that row refers to the row of the object, the database alone knows.
//
//test:by ownergraph.TestPlanConstraints
func (f *forecast) constraints() (out []plan.Assumption) {
	if f.Unconstrained != "" {
		out = append(out, plan.Assumption{Type: plan.ConstraintsUnread, Detail: detail(f.Unconstrained)})
	}
	for i := range f.Constraints {
		c := &f.Constraints[i]
		if c.Effect != graph.EffectRefuses && c.Effect != graph.EffectRemoves {
			continue
		}
		removed, met := f.removals(c)
		for kind, n := range removed {
			t := plan.OnlyDependentsRefer
			switch {
			case met[kind] && c.Effect == graph.EffectRefuses:
				t = plan.RemovalsAllowed
			case met[kind]:
				t = plan.RowsKept
			}
			out = append(out, plan.Assumption{Type: t, Name: string(kind), Count: n, Detail: detail(c.String())})
		}
	}
	return out
}

// removals counts the objects by kind whose removal may meet a rule, and has the kinds of those that
// do meet it.
func (f *forecast) removals(c *graph.Constraint) (removed map[graph.Kind]int, met map[graph.Kind]bool) {
	removed, met = map[graph.Kind]int{}, map[graph.Kind]bool{}
	for i := range f.Parts {
		p := &f.Parts[i]
		if !p.Member || p.State != excerpt.Exists || !has(c.Owners, p.Object.Kind, c.Unread) {
			continue
		}
		if _, stays := f.store.At(p.Object.Key); !stays {
			removed[p.Object.Kind]++
			met[p.Object.Kind] = met[p.Object.Kind] || f.meets(int32(i), c)
		}
	}
	return removed, met
}

// maxDetail bounds the text of a database, in bytes.
const maxDetail = 512

func detail(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxDetail)], "") }

// has reports whether a list has a kind, or may have it.
func has(list []graph.Kind, kind graph.Kind, unread bool) bool {
	return unread || slices.Contains(list, kind)
}

// meets reports whether the removal of a part meets a rule.
func (f *forecast) meets(i int32, c *graph.Constraint) bool {
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
