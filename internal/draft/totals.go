package draft

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/plan"
)

// Totals counts the objects by kind and outcome. They are sorted by key.
func Totals(objects []plan.Object) (out []plan.Total) {
	for i := range objects {
		o := &objects[i]
		if len(out) == 0 || out[len(out)-1].Kind != o.Key.Kind {
			out = append(out, plan.Total{Kind: o.Key.Kind})
		}
		t := &out[len(out)-1]
		t.Affected++
		if o.Possible {
			t.Possible++
		}
		switch o.Outcome {
		case plan.Removed:
			t.Removed++
		case plan.Orphaned:
			t.Orphaned++
		case plan.Trimmed:
			t.Trimmed++
		case plan.Kept:
			t.Kept++
		case plan.Held:
			t.Held++
		}
	}
	return out
}

// Scopes counts the objects that go by scope, in order of scopes.
func Scopes(objects []plan.Object) (out []plan.ScopeTotal) {
	count := map[string]int{}
	for i := range objects {
		if objects[i].Outcome == plan.Removed {
			count[objects[i].Key.Scope]++
		}
	}
	for _, scope := range slices.Sorted(maps.Keys(count)) {
		out = append(out, plan.ScopeTotal{Scope: scope, Removed: count[scope]})
	}
	return out
}
