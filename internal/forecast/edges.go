package forecast

import (
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// edgesOf returns the references of an object with a policy, up to a bound.
func edgesOf(o *graph.Object) (out []plan.Edge) {
	for _, r := range o.Owners {
		if r.OnDelete != graph.OnDeleteUnset && r.OnDelete <= graph.OnDeleteCascade && len(out) < run.MaxNames {
			out = append(out, plan.Edge{Owner: r.Key, OnDelete: r.OnDelete})
		}
	}
	return out
}

// tryRefuse refuses the deletion of an unmarked object that other objects restrict, as a store of level 3
// does. It notes the refusal of a target, and the forecast goes on without the deletion. It reports false
// for another object. The draft store has no such rule.
//
//test:by ownergraph.TestPlanRestricted
func (f *forecast) tryRefuse(o *graph.Object) bool {
	n, ok := f.fork.Node(o.Key)
	if f.cfg.Level < engine.Level3 || !ok || o.Deleting || !n.Restricted() {
		return false
	}
	var by []graph.Key
	for d := range n.RestrictedBy() {
		by = append(by, d.Key())
	}
	if i, ok := f.links.index.Of(o.Key); ok && f.target[i] {
		e := graph.NewRestrictedError(o.Key, by)
		f.refusals = append(f.refusals, plan.Refusal{Target: o.Key, Dependents: e.Dependents, More: e.More})
	}
	return true
}

// refusalOf returns the refusal of a target, or nil.
func (f *forecast) refusalOf(target graph.Key) *plan.Refusal {
	for i := range f.refusals {
		if f.refusals[i].Target == target {
			return &f.refusals[i]
		}
	}
	return nil
}

// causesOf returns the restricting objects as the causes of a held object.
func causesOf(r *plan.Refusal) (out []string) {
	for _, k := range r.Dependents {
		out = append(out, k.String())
	}
	return out
}

// cascades counts the objects, by kind, that one cascade reference deletes. One wrong reference suffices
// to lose such an object.
func (f *forecast) cascades() (out []plan.Assumption) {
	count := map[graph.Kind]int{}
	for n := range f.steps {
		s := &f.steps[n]
		if s.Actor == plan.Engine && s.Action == policy.Delete && (s.Reason == policy.CascadeOwnerGone || s.Reason == policy.CascadeOwnerWaits) {
			count[s.Key.Kind]++
		}
	}
	for kind, n := range count {
		out = append(out, plan.Assumption{Type: plan.CascadesMeant, Name: string(kind), Count: n})
	}
	return out
}
