package ownergraph

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// TestPlanCopyRewound: a rewind takes back each absence, also for a copy under way. An
// owner that was absent before may be back, so the copy has it as unknown (RULES, R5).
func TestPlanCopyRewound(t *testing.T) {
	objects := many(2 * copySlice)
	objects[0] = "a#1 -> c, b/0"
	e := listed(t, Config{ObserveOnly: true}, objects...)
	e.answer(t, e.now, ErrNotFound)
	steps := 0
	end := func(p *planCopy) (c excerpt.State) {
		for done := false; !done; steps++ {
			var err error
			if done, err = p.step(e); err != nil || steps > 1000 {
				t.Fatalf("step %d of the copy: %v", steps, err)
			}
		}
		for _, part := range p.copy.Take() {
			if part.Object.Key == put("c#1").Object.Key {
				c = part.State
			}
		}
		return c
	}
	if c := end(copyOf(t, e, "a", 0)); c != excerpt.Absent {
		t.Fatalf("c is %s before the rewind, want absent", c)
	}
	late, early := copyOf(t, e, "a", steps-1), copyOf(t, e, "a", 0)
	e.observeEach(t, Event{Type: graph.Rewound, Reason: "restored"})
	for _, p := range []*planCopy{late, early} {
		if c := end(p); c != excerpt.Unknown || p.torn {
			t.Errorf("c is %s after the rewind, want unknown, and torn %t", c, p.torn)
		}
	}
}
