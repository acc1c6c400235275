package ownergraph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestPlanGuardMissing: the plan of a root that carries hold, and that no guard selects, shows it
// as held. Nothing below it goes.
func TestPlanGuardMissing(t *testing.T) {
	for _, c := range []struct {
		start  string
		want   policy.Reason
		reason string
	}{
		{"k/a~[" + guarded + "]; k/b -> k/a", policy.GuardMissing, "it is marked and not judged"},
		{"k/a~[" + heldBy + "]; k/b -> k/a", policy.DeletionRefused, "it is marked and refused"},
		{"k/a[" + guarded + "]; k/b -> k/a", policy.GuardMissing, "it is not marked yet"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			r := collect(t, s, guarding(guard.Guard{Names: []string{"other"}, Always: true}))
			r.idle()
			p, err := r.Plan(t.Context(), request(t, "k/a", graph.Background))
			if err != nil || len(p.Objects) != 2 || len(p.Verdicts) != 0 {
				t.Fatalf("%s, %v, verdicts %v: %s", outcomes(p), err, p.Verdicts, c.reason)
			}
			const detail = "no guard of the settings selects k/a, which carries " + graph.FinalizerHold
			if o := p.Objects[0]; o.Outcome != plan.Held || o.Reason != c.want || len(o.Causes) != 1 || o.Causes[0] != detail {
				t.Errorf("%s, %s, want held for %s: %s", outcomes(p), o.Reason, c.want, c.reason)
			}
			if o := p.Objects[1]; o.Outcome != plan.Kept {
				t.Errorf("%s: %s", outcomes(p), c.reason)
			}
			if held := r.Held(9); strings.Contains(c.start, "~") && !strings.Contains(lines(held), detail) {
				t.Errorf("held: %s, want %q: %s", lines(held), detail, c.reason)
			}
		})
	}
}

// TestApproveGuardMissing: an approval of a root that no guard selects compares the cascade as it
// runs without the hold.
func TestApproveGuardMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a~["+guarded+"]; b -> a; c -> b")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		one, two := 1, 2
		if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &one}); !errors.Is(err, plan.ErrChanged) {
			t.Errorf("an approval of one object: %v", err)
		}
		s.contains(t, "a~["+guarded+"]; b -> a; c -> b")
		if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &two}); err != nil {
			t.Errorf("an approval of two objects: %v", err)
		}
		r.idle()
		s.contains(t, "")
	})
}

// TestJudgeSelectsAgain: an object gets another version between the selection and the judgement.
// Another selection follows, and then the verdict.
func TestJudgeSelectsAgain(t *testing.T) {
	for _, c := range []struct {
		guard  guard.Guard
		reason string
	}{
		{guard.Guard{Names: []string{"a"}, Protected: true}, "a protected object"},
		{guard.Guard{Names: []string{"a"}, Above: upTo(0)}, "the objects that go"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "k/a; l/b -> k/a; l/c -> k/a")
			s.label(t, "l/b", "keep=yes")
			cfg := protecting(guard.Protection{Kinds: []graph.Kind{"l"}, Selector: "keep=yes"})
			cfg.Guards = []guard.Guard{c.guard}
			r := collect(t, s, cfg)
			r.idle()
			changes := 0
			s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
				err := do()
				if verb == "select" && changes == 0 {
					changes++
					s.label(t, "l/b", "keep=yes,n=1")
					s.label(t, "l/c", "n=1")
				}
				return err
			}
			s.delete(t, "k/a", graph.Background)
			pass(time.Minute)
			if held := r.Held(9); changes != 1 || len(held) != 1 || held[0].Reason != policy.DeletionRefused {
				t.Errorf("held: %s after %d changes: %s", lines(held), changes, c.reason)
			}
		})
	}
}
