package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestRetire: the finalizers of former guards and sweeps go, except on a marked root that a
// guard holds, and on the roots of the present guards.
func TestRetire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, fmt.Sprintf("a[%s]; b[%s]; c~[%s] ; d[x.io/old]; e[%s]; f[x.io/other]; g~[%s]", guarded, heldBy, heldBy, guarded, graph.FinalizerNew))
		r := collect(t, s, guarding(guard.Guard{Names: []string{"e"}, Always: true}))
		r.idle()
		got, err := r.Retire(t.Context(), graph.FinalizerHold)
		if err != nil || got.Objects != 2 || fmt.Sprint(got.Left) != "[c]" {
			t.Errorf("guards: %+v, %v, want 2 objects and c left", got, err)
		}
		got, err = r.Retire(t.Context(), "x.io/old")
		if err != nil || got.Objects != 1 || len(got.Left) != 0 {
			t.Errorf("a sweep: %+v, %v, want 1 object", got, err)
		}
		s.contains(t, fmt.Sprintf("a; b; c~[%s]; d; e[%s]; f[x.io/other]", heldBy, guarded))
	})
}

// TestRetireErrors: a finalizer in use stays.
func TestRetireErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := sweeping(tenancy())
		cfg.Handlers = map[string]finalizer.Handler{"x.io/work": func(context.Context, graph.Object) error { return nil }}
		r := collect(t, newTap(t, "a"), cfg)
		r.idle()
		for _, c := range []struct{ name, reason string }{
			{"", "no name"}, {"orphan", "a propagation's"}, {graph.FinalizerProtect, "each user's own"}, {graph.FinalizerNew, "it goes with hold"},
			{"x.io/work", "a handler has it"}, {tenancy().Finalizer, "a sweep has it"},
		} {
			if _, err := r.Retire(t.Context(), c.name); !errors.Is(err, ownergraph.ErrInvalid) {
				t.Errorf("Retire(%q) = %v, want an error: %s", c.name, err, c.reason)
			}
		}
	})
}

// TestWithheldMarkBesideOthers: an engine without the guard honours its hold, and lets a root that
// has passed go (RULES, G3).
func TestWithheldMarkBesideOthers(t *testing.T) {
	for _, p := range []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a!; c -> b")
			r := collect(t, s, guarding(guard.Guard{Names: []string{"a"}, Always: true}))
			collect(t, s, ownergraph.Config{})
			r.idle()
			s.delete(t, "a", p)
			pass(time.Hour)
			want := map[graph.Propagation]string{graph.Background: "", graph.Foreground: ",foreground", graph.Orphan: ",orphan"}[p]
			s.contains(t, "a~["+heldBy+want+"]; b -> a!; c -> b")
			s.finish(t, "a", heldBy)
			pass(time.Hour)
			s.contains(t, map[graph.Propagation]string{graph.Orphan: "b; c -> b"}[p])
		})
	}
}

// TestHandlersWaitForVerdict: a handler of a held root does not run before the hold is off.
func TestHandlersWaitForVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		cfg := guarding(guard.Guard{Names: []string{"a"}, Always: true})
		cfg.Handlers = map[string]finalizer.Handler{"x.io/disk": func(context.Context, graph.Object) error { runs++; return nil }}
		s := newTap(t, "a[x.io/disk]; b -> a")
		r := collect(t, s, cfg)
		r.idle()
		s.delete(t, "a", graph.Background)
		pass(time.Hour)
		if runs != 0 {
			t.Errorf("%d runs before the approval", runs)
		}
		s.finish(t, "a", heldBy)
		r.idle()
		s.contains(t, "")
		if runs != 1 {
			t.Errorf("%d runs, want one", runs)
		}
	})
}

// TestGuardReports: each verdict, approval and release by another writer is one event.
func TestGuardReports(t *testing.T) {
	for _, c := range []struct {
		start  string
		after  func(t *testing.T, r *rig)
		want   string
		reason string
	}{
		{"a; b -> a", func(t *testing.T, r *rig) { r.finish(t, "a", heldBy) }, "RootSeen RootSeen VerdictRefused HoldRemoved", "another writer"},
		{"a; b -> a", func(t *testing.T, r *rig) {
			one := 1
			if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &one}); err != nil {
				t.Error(err)
			}
		}, "RootSeen RootSeen VerdictRefused DeletionApproved", "a user of this collector"},
		{"a", func(*testing.T, *rig) {}, "RootSeen RootSeen VerdictPassed HoldGone", "nothing is below it"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var events []policy.Reason
			zero := 0
			cfg := guarding(guard.Guard{Names: []string{"a"}, Above: &zero})
			cfg.OnDecision = func(d engine.DecisionEvent) {
				if d.Key.Name == "a" && (d.Call != 0 || d.Reason == policy.HoldRemoved || d.Reason == policy.DeletionApproved) {
					events = append(events, d.Reason)
				}
			}
			s := newTap(t, c.start)
			r := collect(t, s, cfg)
			r.idle()
			s.delete(t, "a", graph.Background)
			r.idle()
			c.after(t, r)
			r.idle()
			got := ""
			for i, x := range events {
				if i > 0 {
					got += " "
				}
				got += x.Code()
			}
			if got != c.want {
				t.Errorf("%s, want %s: %s", got, c.want, c.reason)
			}
			if n := r.Stats().Guards; n.Passed+n.HoldRemoved+n.Approved != 1 || (n.Approved == 1) != strings.HasSuffix(got, "DeletionApproved") {
				t.Errorf("stats %+v: %s", n, c.reason)
			}
			s.contains(t, "")
		})
	}
}

// TestDeletePlannedProtected: a plan that keeps a protected object is carried out without that
// object, or refused by the request.
func TestDeletePlannedProtected(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a; c -> a")
			r := collect(t, s, protecting(guard.Protection{Names: []string{"b"}}))
			r.idle()
			req := request(t, "a", graph.Background)
			req.RefuseProtected = refuse
			p, err := r.Plan(t.Context(), req)
			if err != nil || outcomes(p) != "a removed; b held [by Protect[0]]; c removed" {
				t.Fatalf("%s, %v", outcomes(p), err)
			}
			err = r.DeletePlanned(t.Context(), p)
			r.idle()
			if refuse {
				if !errors.Is(err, plan.ErrProtected) {
					t.Errorf("error %v", err)
				}
				s.contains(t, "a; b -> a; c -> a")
				return
			}
			if err != nil {
				t.Error(err)
			}
			s.contains(t, "b -> a")
		})
	}
}

// TestApproveWithoutFences: on a store without fences no guard passes a root, and an approval
// does.
func TestApproveWithoutFences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		many := 9
		r := collectOn(t, plain{s}, s, guarding(guard.Guard{Names: []string{"a"}, Above: &many}))
		pass(time.Minute)
		s.delete(t, "a", graph.Background)
		pass(time.Hour)
		s.contains(t, "a~["+guarded+"]; b -> a")
		if held := r.Held(9); lines(held) != "a: a guard has to judge its deletion (guard Guards[0], the store has no fences)" {
			t.Errorf("held: %s", lines(held))
		}
		if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &many}); err != nil {
			t.Error(err)
		}
		pass(time.Minute)
		s.contains(t, "")
	})
}

// TestSickKindDelaysVerdict: a sick kind delays the verdict of every root, and Held names it.
func TestSickKindDelaysVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c")
		many := 9
		r := collect(t, s, guarding(guard.Guard{Names: []string{"a"}, Above: &many}))
		r.idle()
		if err := s.Inside(inside.Key{}).Sicken("c", "no answer"); err != nil {
			t.Fatal(err)
		}
		s.delete(t, "a", graph.Background)
		pass(time.Hour)
		if held := r.Held(9); len(held) != 1 || held[0].Reason != policy.NeedVerdict || !strings.Contains(lines(held), "c: no answer") {
			t.Errorf("held: %s", lines(held))
		}
		if err := s.Inside(inside.Key{}).Recover("c"); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		s.contains(t, "c")
	})
}

// TestNestedRoots: a guarded root below a guarded root is judged by itself, also in the plan of
// the outer one.
func TestNestedRoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		many, none := 9, 0
		cfg := ownergraph.Config{Guards: []guard.Guard{{Names: []string{"a"}, Above: &many}, {Names: []string{"b"}, Above: &none}}}
		s := newTap(t, "a; b -> a; c -> b; d -> a")
		r := collect(t, s, cfg)
		r.idle()
		p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
		if want := "a removed; b held [1 object ends, and the limit is 0 guard Guards[1]]; c kept by [b]; d removed"; err != nil || outcomes(p) != want {
			t.Errorf("%s, %v, want %s", outcomes(p), err, want)
		}
		s.delete(t, "a", graph.Background)
		r.idle()
		s.contains(t, "b~["+heldBy+"] -> a; c -> b")
	})
}

// TestBrakeLetsPassedRoots: the brake leaves the cascade of a root alone that its guard has let
// pass, or that a user has approved. It holds the cascade of another root.
func TestBrakeLetsPassedRoots(t *testing.T) {
	for _, c := range []struct {
		guard  guard.Guard
		want   string
		reason string
	}{
		{guard.Guard{Names: []string{"a"}, Protected: true}, "", "passed"},
		{guard.Guard{Names: []string{"a"}, Always: true}, "", "approved"},
		{guard.Guard{Names: []string{"x"}, Always: true}, "b -> a; c -> a", "not guarded"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := guarding(c.guard)
			cfg.Brake = engine.Brake{PerCascade: 1}
			s := newTap(t, "a; b -> a; c -> a")
			r := collect(t, s, cfg)
			r.idle()
			s.delete(t, "a", graph.Background)
			r.idle()
			if c.guard.Always && c.want == "" {
				two := 2
				if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &two}); err != nil {
					t.Error(err)
				}
				r.idle()
			}
			s.contains(t, c.want)
		})
	}
}

// TestManyNestedRoots: a chain of guarded roots is judged with one plan for each of them.
func TestManyNestedRoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines, many := []string{"k/0"}, 1000
		for i := 1; i < 40; i++ {
			lines = append(lines, fmt.Sprintf("k/%d -> k/%d", i, i-1))
		}
		s := newTap(t, strings.Join(lines, "; "))
		r := collect(t, s, guarding(guard.Guard{Kinds: []graph.Kind{"k"}, Above: &many}))
		r.idle()
		s.delete(t, "k/0", graph.Background)
		r.idle()
		s.contains(t, "")
	})
}
