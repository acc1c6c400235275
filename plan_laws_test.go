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
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// TestPlanIsSilent: the decisions of a forecast are about no store, so no report and no
// line of the log has them (RULES, P1).
func TestPlanIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reports, log := 0, &journal{}
		cfg := ownergraph.Config{Logger: log.logger(), OnDecision: func(engine.DecisionEvent) { reports++ }}
		r := collect(t, newTap(t, "a; b -> a!; c[x] -> b; d"), cfg)
		r.idle()
		before, said := reports, len(log.lines(""))
		if _, err := r.Plan(t.Context(), request(t, "a", graph.Foreground)); err != nil {
			t.Fatal(err)
		}
		r.idle()
		if reports != before || len(log.lines("")) != said {
			t.Errorf("%d reports and %q of a plan", reports-before, log.lines("")[said:])
		}
	})
}

// TestPlanKnowsAbsence: a forecast knows the owners that the collector has read and not
// found. It asks for none of them again (RULES, P2).
func TestPlanKnowsAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a; b -> a, a/gone; c -> a, a/gone"), ownergraph.Config{ObserveOnly: true})
		r.idle()
		p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
		if err != nil || outcomes(p) != "a removed; b removed; c removed" || p.Cost.Reads != 0 || len(p.Assumptions) != 0 {
			t.Errorf("Plan: %s, %+v, %v, %v, want no read", outcomes(p), p.Cost, p.Assumptions, err)
		}
	})
}

// TestPlanOfMarkedOwner: the end of a dependent ends an owner that waits for it. The plan
// has that owner, also where the reference names a UID alone.
func TestPlanOfMarkedOwner(t *testing.T) {
	for _, start := range []string{"o~[foreground]; d[x] -> o!", "o~[foreground]; d[x] -> o?!"} {
		synctest.Test(t, func(t *testing.T) {
			r := collect(t, newTap(t, start), ownergraph.Config{})
			r.idle()
			req := request(t, "d", graph.Background)
			req.Removed = []string{"x"}
			if p, err := r.Plan(t.Context(), req); err != nil || outcomes(p) != "d removed; o removed" {
				t.Errorf("%s: %s, %v, want that o ends with d", start, outcomes(p), err)
			}
		})
	}
}

// TestPlanNamesTheUnknown: a plan names each fact that it does not know, and each choice
// that the request leaves open (RULES, P4).
func TestPlanNamesTheUnknown(t *testing.T) {
	labelled := guard.Sweep{Finalizer: "x.io/t", Holder: "tenant", Members: []guard.Members{{By: guard.ByLabel, Label: "tenant"}}}
	sick := func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			if ev.Type == graph.ListEnded && ev.Kind == "k" {
				return sink(ownergraph.Event{Type: graph.KindSick, Kind: "k", Reason: "no access"})
			}
			return sink(ev)
		})
	}
	unwatched := func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			switch {
			case ev.Of() == "k":
				return nil
			case ev.Type == graph.KindsKnown:
				for i := range ev.Kinds {
					ev.Kinds[i].Unwatched = ev.Kinds[i].Kind == "k"
				}
			}
			return sink(ev)
		})
	}
	halting := func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			if ev.Type == graph.ListEnded && ev.Kind == "k" {
				return nil
			}
			return sink(ev)
		})
	}
	for _, c := range []struct {
		start       string
		propagation graph.Propagation
		watch       func(context.Context, sinkFunc, watchFunc) error
		want        string // of the assumptions
		reason      string
	}{
		{"a", graph.Unset, nil, "propagation assumed", "the request does not say it"},
		{"a[orphan]", graph.Unset, nil, "", "the object says it"},
		{"a~30", graph.Background, nil, "grace passes", "an agent has to end the grace period"},
		{"a; b -> a, k/gone; k/x", graph.Background, sick, "kind sick k no access", "the owner may exist"},
		{"a; b -> a, k/gone; k/x", graph.Background, halting, "kind unlisted k", "the owner may exist"},
		{"a; b -> a, k/gone; k/x", graph.Background, unwatched, "owner unknown k", "no watch shows the owner, and the store refuses the read"},
		{"tenant/a; b", graph.Background, nil, "labels unknown b", "the members are not selected"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			s.watch = c.watch
			s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
				if verb == "get" {
					return ownergraph.ErrRefused
				}
				return do()
			}
			r := collect(t, s, ownergraph.Config{Sweeps: []guard.Sweep{labelled}})
			pass(time.Second)
			key, _, _ := strings.Cut(c.start, ";")
			p, err := r.Plan(t.Context(), request(t, key, c.propagation))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range p.Assumptions {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", a.Type, a.Name, a.Detail)))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s: assumed %q, want %q: %s", c.start, got, c.want, c.reason)
			}
		})
	}
}

// TestDeletePlannedConflictLate: the store changes the second of three targets before its
// delete. The first one has gone, so the plan cannot be made again. The error names the
// target that was not sent.
func TestDeletePlannedConflictLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "k/a; k/b; k/c")
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" && key.Name == "b" {
				s.touch(t, "k/b")
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		req := plan.Request{Delete: []plan.Target{{Key: keyOf(t, "k/a")}, {Key: keyOf(t, "k/b")}, {Key: keyOf(t, "k/c")}}}
		p, err := r.Plan(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		err = r.DeletePlanned(t.Context(), p)
		if !errors.Is(err, ownergraph.ErrConflict) || !strings.Contains(err.Error(), "not sent: k/c") {
			t.Errorf("DeletePlanned: %v, want the conflict, and the target that was not sent", err)
		}
		if s.count("delete") != 2 {
			t.Errorf("%d deletes, want 2", s.count("delete"))
		}
	})
}
