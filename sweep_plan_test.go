package ownergraph_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// TestSweepPlanMarked: a plan asks for nothing for a holder that nobody deletes,
// nor for somebody who is no holder; and what it deletes is nobody else's.
func TestSweepPlanMarked(t *testing.T) {
	only := tenancy()
	only.Holders = func(o graph.Object) bool { return o.Name != "2" }
	p, err := plan.New(only)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		holder string
		want   int
		reason string
	}{
		{"tenant/1~[x.io/tenant]", 1, "it is marked"},
		{"tenant/1[x.io/tenant]", 0, "it lives"},
		{"tenant/2~[x.io/tenant]", 0, "it is none that holds"},
		{"team/1~[x.io/tenant]", 0, "nor is a team"},
	} {
		all, err := graph.Parse(tc.holder + "; volume/1-a; volume/2-a; volume/11-a")
		if err != nil {
			t.Fatal(err)
		}
		holder := all[0]
		for _, o := range all {
			if o.Kind != "volume" {
				holder = o
			}
		}
		step, err := p.Next(holder, all)
		if err != nil || len(step.Delete) != tc.want || tc.want == 0 && step.Done {
			t.Errorf("%s: %+v, %v, want %d deletions: %s", tc.holder, step, err, tc.want, tc.reason)
		}
		for _, d := range step.Delete {
			if d.Key.Name != "1-a" {
				t.Errorf("%s: %s is deleted", tc.holder, d.Key)
			}
		}
	}
}
