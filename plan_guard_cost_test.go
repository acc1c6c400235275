package ownergraph_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestPlanFencesOfGuards: a plan bounds the fences also where each guarded object below the root
// needs a judgement of its own.
func TestPlanFencesOfGuards(t *testing.T) {
	phases := []guard.Phase{{Kinds: []graph.Kind{"l"}}}
	for _, c := range []struct {
		start  string
		phases []guard.Phase
		reason string
	}{
		{"k/a; k/b -> k/a!; k/c -> k/a!", nil, "two guarded dependents, which the engine marks one after the other"},
		{"k/a; k/b -> k/a!; k/c -> k/a!", phases, "each mark is repeated in the foreground"},
		{"k/a; m/x -> k/a!; k/b -> m/x!; k/c -> m/x!", nil, "they are below an object without a guard"},
		{"k/a; m/x -> k/a!; k/b -> m/x!; k/c -> m/x!", phases, "the same with phases"},
		{"k/a; k/b -> k/a; l/c -> k/b", phases, "one below the other"},
	} {
		for _, p := range []graph.Propagation{graph.Background, graph.Foreground} {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, c.start)
				r := collect(t, s, ownergraph.Config{Guards: []guard.Guard{{Kinds: []graph.Kind{"k"}, Above: upTo(9), Phases: c.phases}}})
				r.idle()
				made, err := r.Plan(t.Context(), request(t, "k/a", p))
				if err != nil {
					t.Fatal(err)
				}
				before := s.count("fence")
				s.delete(t, "k/a", p)
				pass(20 * time.Minute)
				s.contains(t, "")
				if n := s.count("fence") - before; n > made.Cost.Fences {
					t.Errorf("%s %s: %d fences, planned %s: %s", c.start, p, n, made.Cost, c.reason)
				}
			})
		}
	}
}
