package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestNames: each value up to the last has a name of its own, and the next value has a
// number. The JSON form rests on that.
func TestNames(t *testing.T) {
	check := func(kind string, last int, name func(int) string) {
		seen := map[string]bool{}
		for v := range last + 1 {
			if n := name(v); n == "" || seen[n] || strings.Contains(n, "(") {
				t.Errorf("%s %d has the name %q", kind, v, n)
			}
			seen[name(v)] = true
		}
		if want := fmt.Sprintf("%s(%d)", kind, last+1); strings.ToLower(name(last+1)) != want || name(0) != "unset" && name(0) != "Unset" {
			t.Errorf("%s: value %d has the name %q, want %q, and value 0 %q", kind, last+1, name(last+1), want, name(0))
		}
	}
	check("outcome", int(plan.Held), func(v int) string { return plan.Outcome(v).String() })
	check("actor", int(plan.Container), func(v int) string { return plan.Actor(v).String() })
	check("assumption", int(plan.CascadesMeant), func(v int) string { return plan.AssumptionType(v).String() })
	check("action", int(policy.Attach), func(v int) string { return policy.Action(v).String() })
	check("propagation", int(graph.Orphan), func(v int) string { return graph.Propagation(v).String() })
	check("doubt", int(graph.Renamed), func(v int) string { return graph.Doubt(v).String() })
	check("reason", int(policy.GraceNeedsForeground), func(v int) string { return policy.Reason(v).Code() })
}

// TestAt: a plan finds each of its objects by the whole key, and no other object.
func TestAt(t *testing.T) {
	p := shop()
	for _, o := range p.Objects {
		if got, ok := p.At(o.Key); !ok || got.Key != o.Key || got.Outcome != o.Outcome {
			t.Errorf("At(%v) = %v, %v", o.Key, got, ok)
		}
	}
	for _, c := range []struct{ key, reason string }{
		{"deploy/shop/web@9", "another incarnation"},
		{"a", "before the first object"},
		{"z", "after the last object"},
	} {
		if got, ok := p.At(key(c.key)); ok || got.Key != (graph.Key{}) {
			t.Errorf("At(%s) = %v, %v: %s", c.key, got, ok, c.reason)
		}
	}
}
