package ownergraph

import (
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/rig"
	"github.com/ownergraph/ownergraph/plan"
)

// TestPlanAfterRewind: a plan does not count an absence from before a rewind (RULES, R5). The owner may
// be back, so the plan holds the object.
func TestPlanAfterRewind(t *testing.T) {
	e := rig.Listed(t, Config{ObserveOnly: true}, "b#1 -> c")
	rig.Answer(t, e, graph.ErrNotFound)
	c := drive(e)
	outcome := func() plan.Object {
		t.Helper()
		p, err := c.Plan(t.Context(), plan.Request{})
		if err != nil || len(p.Objects) != 1 {
			t.Fatalf("%+v, error %v", p.Objects, err)
		}
		return p.Objects[0]
	}
	if o := outcome(); o.Outcome != plan.Removed {
		t.Fatalf("before the rewind: %s %s, want removed", o.Outcome, o.Reason)
	}
	sick := graph.Event{Type: graph.KindSick, Kind: "c", Reason: "down"}
	if rig.Observe(t, e, sick); outcome().Outcome != plan.Removed {
		t.Fatalf("the absence counts while the kind is sick")
	}
	rig.Observe(t, e, graph.Event{Type: graph.Rewound, Reason: "restored"})
	rig.Observe(t, e, append(rig.Listing([]KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}, []Object{rig.Put("b#1 -> c").Object}), sick)...)
	for range 9 { // the listings end
		_, _ = e.Next(rig.Now(), engine.LaneHandler)
	}
	if o := outcome(); o.Outcome != plan.Held {
		t.Errorf("after the rewind: %s %s, want held", o.Outcome, o.Reason)
	}
}
