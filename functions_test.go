package ownergraph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// panics is a condition of the settings that panics.
func panics(graph.Object) bool { panic("no such field") }

// inPhase lets a condition of a phase panic, inProtection one of a protection.
func inPhase() ownergraph.Config {
	return ownergraph.Config{Guards: []guard.Guard{{Kinds: []ownergraph.Kind{"a"}, Above: new(int), Phases: []guard.Phase{{Name: "x", Where: panics}}}}}
}

func inProtection() ownergraph.Config {
	return ownergraph.Config{Protect: []guard.Protection{{Kinds: []ownergraph.Kind{"b"}, Where: panics}}}
}

func inMembers() ownergraph.Config {
	return sweeping(guard.Sweep{Finalizer: "x.io/a", Holder: "a", Members: []guard.Members{{By: guard.ByFunc, Named: func(graph.Object) string { panic("no such field") }}}})
}

func inHolders() ownergraph.Config {
	cfg := sweeping(tenancy())
	cfg.Sweeps[0].Holder, cfg.Sweeps[0].Holders = "a", panics
	return cfg
}

// TestFunctionPanics: the panic of a function of the settings is the error of each plan and of
// each explanation, and names the function. None of them goes through to the caller.
func TestFunctionPanics(t *testing.T) {
	const objects = "a; b -> a; c -> b"
	req := plan.Request{Delete: []plan.Target{{Key: keyOf(t, "a")}}}
	for _, c := range []struct {
		name string
		cfg  func() ownergraph.Config
		want string
	}{
		{"phase", inPhase, "Guards[0].Phases[0].Where of"},
		{"protection", inProtection, "Protect[0].Where of"},
		{"members", inMembers, "Sweeps[0].Members[0].Named of"},
		{"holders", inHolders, "Sweeps[0].Holders of"},
		{"guard", func() ownergraph.Config {
			cfg := inPhase()
			cfg.Guards[0].Where = panics
			return cfg
		}, "Guards[0].Where of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := graph.Parse(objects)
			if err != nil {
				t.Fatal(err)
			}
			_, err = ownergraph.PlanDump(t.Context(), ownergraph.Dump{Objects: list}, c.cfg(), req)
			names(t, "PlanDump", err, c.want)
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err = ownergraph.PlanStore(ctx, newTap(t, objects), c.cfg(), req)
				names(t, "PlanStore", err, c.want)
			})
		})
	}
}

func names(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "no such field") {
		t.Errorf("%s: error %v, want %q", what, err, want)
	}
}

// TestFunctionPanicsRunning: in a running collector the panic keeps the objects. A plan and a
// verdict are questions, so that the collector goes on and reports them. Otherwise Run ends with
// an error that names the function.
func TestFunctionPanicsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		r := collect(t, s, inPhase())
		r.idle()
		_, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, "a")}}})
		names(t, "Plan", err, "Guards[0].Phases[0].Where of")
		s.delete(t, "a", graph.Background)
		pass(time.Minute)
		if held := r.Held(10); len(held) != 1 || held[0].Reason != policy.JudgementFails || held[0].Status != engine.StatusStuck || !strings.Contains(held[0].LastError, "Guards[0].Phases[0].Where of") {
			t.Errorf("held: %s", lines(held))
		}
		if s.count("delete") != 0 || r.stop() != nil {
			t.Errorf("%d deletes", s.count("delete"))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		r := collect(t, s, inProtection())
		r.idle()
		s.delete(t, "a", graph.Background)
		pass(time.Minute)
		err := r.stop()
		names(t, "Run", err, "Protect[0].Where of")
		if !errors.Is(err, ownergraph.ErrBroken) || s.count("delete") != 0 {
			t.Errorf("error %v, %d deletes", err, s.count("delete"))
		}
	})
}

// TestFunctionPanicsExplained: an explanation that meets the panic is an error, and the engine
// goes on.
func TestFunctionPanicsExplained(t *testing.T) {
	fails := false
	s := newStepped(t, ownergraph.Config{Protect: []guard.Protection{{Kinds: []ownergraph.Kind{"a"}, Where: func(graph.Object) bool {
		if fails {
			panic("no such field")
		}
		return true
	}}}}, "a", "b")
	s.put("b#1; a#1 -> b")
	s.see(gone("b"))
	s.run(nil)
	fails = true
	_, err := s.e.Explain(keyOf(t, "a"))
	names(t, "Explain", err, "Protect[0].Where of a")
	if s.e.Err() != nil {
		t.Errorf("the engine stops: %v", s.e.Err())
	}
	fails = false
	if x := s.explained("a"); x.Decision.Reason != policy.Protected {
		t.Errorf("explained as %s", x.Text())
	}
}

// unwrapping is a store whose wrapper panics.
type unwrapping struct{ plain }

func (unwrapping) Unwrap() ownergraph.Store { panic("no store yet") }

// comparing is a store that panics when it compares versions.
type comparing struct{ *tap }

func (comparing) CompareVersions(ownergraph.Kind, ownergraph.Version, ownergraph.Version) int {
	panic("not a number")
}

// TestPlanStorePanics: a method of the store that panics ends PlanStore with an error.
func TestPlanStorePanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req := plan.Request{Delete: []plan.Target{{Key: keyOf(t, "a")}}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for want, store := range map[string]ownergraph.Store{
			"no store yet": unwrapping{plain{newTap(t, "a; b -> a")}},
			"not a number": comparing{newTap(t, "a; b -> a")},
		} {
			if _, err := ownergraph.PlanStore(ctx, store, ownergraph.Config{}, req); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	})
}
