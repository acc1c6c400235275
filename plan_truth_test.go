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
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// TestPlanLabels: labels that no plan knows may make members. No definite outcome rests on
// them, so it comes true (RULES, P3 and P4).
func TestPlanLabels(t *testing.T) {
	for _, c := range []struct {
		start, key   string
		propagation  graph.Propagation
		want, reason string
	}{
		{"tenant/1; volume/a[x]; volume/b", "tenant/1", graph.Foreground, "tenant/1 removed?", "a member may hold the tenant"},
		{"tenant/1 -> top!; top; volume/a[x]", "top", graph.Foreground, "tenant/1 removed?; top removed?", "the tenant blocks top"},
		{"tenant/1; top; volume/a[x]; other/d -> volume/a, top", "top", graph.Foreground, "other/d trimmed by [volume/a]; top removed", "no sweep is asked for"},
		{"tenant/1 -> top; top; volume/a; other/b -> volume/a; other/d -> other/b, top", "top", graph.Background, "other/d trimmed? by [other/b]; tenant/1 removed?; top removed", "b may hang below a member, and d below b"},
		{"tenant/1; volume/a; other/d -> volume/a, tenant/1", "tenant/1", graph.Foreground, "other/d trimmed? by [volume/a]; tenant/1 removed?", "the owner that stays may be a member"},
		{"tenant/1; volume/a; other/b -> volume/a; other/d -> other/b, tenant/1", "tenant/1", graph.Background, "other/d trimmed? by [other/b]; tenant/1 removed?", "the owner that stays may hang below a member"},
	} {
		synctest.Test(t, func(t *testing.T) {
			sweep := labelled("")
			sweep.Members[0].Kinds = []graph.Kind{"volume"}
			s := newTap(t, c.start)
			s.label(t, "volume/a", "x.io/of=1")
			r := collect(t, s, sweeping(sweep))
			r.idle()
			p, err := r.Plan(t.Context(), request(t, c.key, c.propagation))
			if err != nil || outcomes(p) != c.want {
				t.Errorf("%s: plan %s, %v, want %s: %s", c.start, outcomes(p), err, c.want, c.reason)
			}
			s.delete(t, c.key, c.propagation)
			pass(20 * time.Minute)
			again, err := r.Plan(t.Context(), plan.Request{}) // the due deletions, of which there are none
			if unmet := append(p.Unmet(s.Objects()), again.Unmet(s.Objects())...); err != nil || len(unmet) > 0 {
				t.Errorf("%s: plans %s and %s, end %s: %v, %v", c.start, outcomes(p), outcomes(again), s.shape(), unmet, err)
			}
		})
	}
}

// TestPlanLevel1: on a store without fences the definite outcomes come true, and the reads
// stay below the bound (RULES, P3).
func TestPlanLevel1(t *testing.T) {
	for _, c := range []struct {
		start, key string
		override   bool
		reason     string
	}{
		{"a; b; c; d -> a, b!, c", "a", false, "the solid owners b and c are read, too"},
		{"g/r; p/s/d~[z.io/r] -> p/s/o!; p/s/o[orphan] -> g/r", "g/r", true, "the delete of o is in the foreground or not, and d holds o"},
		{"g/r; p/s/d~[z.io/r] -> p/s/o!; p/s/o[orphan] -> g/r", "g/r", false, "o orphans d"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			r := collect(t, s, ownergraph.Config{Level: ownergraph.Level1, Override: c.override})
			r.idle()
			p, err := r.Plan(t.Context(), request(t, c.key, graph.Foreground))
			if err != nil {
				t.Fatal(err)
			}
			reads := s.count("get")
			s.delete(t, c.key, graph.Foreground)
			pass(20 * time.Minute)
			if unmet := p.Unmet(s.Objects()); len(unmet) > 0 {
				t.Errorf("%s: plan %s, end %s: %v: %s", c.start, outcomes(p), s.shape(), unmet, c.reason)
			}
			if n := s.count("get") - reads; n > p.Cost.Reads {
				t.Errorf("%s: %d reads, planned %s: %s", c.start, n, p.Cost, c.reason)
			}
		})
	}
}

// TestPlanFailing: a failing handler counts once for each object, and an unreadable owner a
// few times, however long the waits of the Config are.
func TestPlanFailing(t *testing.T) {
	var b strings.Builder
	b.WriteString("o")
	for i := range 99 {
		fmt.Fprintf(&b, "; k/%d[h] -> o; d/%d -> o, p/gone%d", i, i, i)
	}
	objects, err := graph.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	handlers := map[string]finalizer.Handler{"h": func(context.Context, ownergraph.Object) error { return nil }}
	dump := ownergraph.Dump{Objects: objects, Kinds: []ownergraph.KindInfo{{Kind: "p", Unwatched: true}}, Partial: []ownergraph.Kind{"p"}}
	req := request(t, "o", graph.Background)
	req.Failing = []string{"h"}
	for _, cfg := range []ownergraph.Config{{}, {FenceWait: 24 * time.Hour}, {AcknowledgeWithin: 24 * time.Hour}} {
		cfg.Handlers = handlers
		p, err := ownergraph.PlanDump(t.Context(), dump, cfg, req)
		if err != nil || p.Cost.Handlers != 99 || p.Cost.Reads != 6*99 || p.Totals[0].Held != 99 {
			t.Errorf("FenceWait %s, AcknowledgeWithin %s: %v, %s, %v", cfg.FenceWait, cfg.AcknowledgeWithin, err, p.Cost, p.Totals)
		}
		for _, a := range p.Assumptions {
			if a.Type == plan.HandlerFails && a.Count != 99 {
				t.Errorf("%s %s: %d objects, want 99", a.Type, a.Name, a.Count)
			}
		}
	}
}

// TestPlanBestEffort: a foreground deletion that goes on beside a sick kind is labelled
// (RULES, R7).
func TestPlanBestEffort(t *testing.T) {
	for _, c := range []struct {
		wait   time.Duration
		p      graph.Propagation
		want   bool
		reason string
	}{
		{time.Minute, graph.Foreground, true, "FenceWait releases the fence"},
		{0, graph.Foreground, false, "the fence waits"},
		{time.Minute, graph.Background, false, "background waits for no fence"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a!; k/x")
			s.watch = sickAfterList("k")
			r := collect(t, s, ownergraph.Config{FenceWait: c.wait})
			pass(time.Second)
			p, err := r.Plan(t.Context(), request(t, "a", c.p))
			if err != nil || p.BestEffort != c.want {
				t.Errorf("Plan: best effort %t, %v, want %t: %s", p.BestEffort, err, c.want, c.reason)
			}
		})
	}
}

// sickAfterList makes a kind sick in place of the end of its listing.
func sickAfterList(kind graph.Kind) func(context.Context, sinkFunc, watchFunc) error {
	return func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			if ev.Type == graph.ListEnded && ev.Kind == kind {
				return sink(ownergraph.Event{Type: graph.KindSick, Kind: kind, Reason: "no access"})
			}
			return sink(ev)
		})
	}
}

// TestPlanManyTargets: a request with many targets is planned, and one with too many gets an
// error. Names without UIDs find their objects.
func TestPlanManyTargets(t *testing.T) {
	var objects []graph.Object
	var req plan.Request
	for i := range 10_001 {
		k := ownergraph.Key{Kind: "k", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("u", i))}
		objects = append(objects, graph.Object{Key: k})
		if i%2 == 0 {
			k.UID = ""
		}
		req.Delete = append(req.Delete, plan.Target{Key: k})
	}
	dump := ownergraph.Dump{Objects: objects}
	_, err := ownergraph.PlanDump(t.Context(), dump, ownergraph.Config{}, req)
	if !errors.Is(err, ownergraph.ErrInvalid) || !strings.Contains(err.Error(), "plan: Delete: 10001 objects, more than 10000") {
		t.Errorf("PlanDump of 10,001 targets: %v", err)
	}
	req.Delete = req.Delete[:10_000]
	p, err := ownergraph.PlanDump(t.Context(), dump, ownergraph.Config{}, req)
	if err != nil || p.Totals[0].Removed != 10_000 || p.Request.Delete[4].Key.UID != "u4" {
		t.Errorf("PlanDump of 10,000 targets: %v, %v", p.Totals, err)
	}
}

// TestPlanTooEarly: before the collector knows a kind there is no plan.
func TestPlanTooEarly(t *testing.T) {
	c, err := ownergraph.New(newTap(t, "a; b -> gone"), ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Plan(t.Context(), plan.Request{}); !errors.Is(err, ownergraph.ErrKindUnknown) {
		t.Errorf("Plan before Run: %v, want that no kind is known", err)
	}
}

// TestPlanWithoutContext: a nil context is an error of the caller, and no panic.
func TestPlanWithoutContext(t *testing.T) {
	var none context.Context
	s := newTap(t, "a")
	c, err := ownergraph.New(s, ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	req := request(t, "a", graph.Background)
	for name, call := range map[string]func() error{
		"Plan":      func() error { _, err := c.Plan(none, req); return err },
		"PlanStore": func() error { _, err := ownergraph.PlanStore(none, s, ownergraph.Config{}, req); return err },
		"PlanDump": func() error {
			_, err := ownergraph.PlanDump(none, ownergraph.Dump{}, ownergraph.Config{}, req)
			return err
		},
		"DeletePlanned": func() error { return c.DeletePlanned(none, plan.Plan{Request: req}) },
	} {
		if err := call(); !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("%s without a context: %v", name, err)
		}
	}
}

// TestDeletePlannedGone: a target that is gone is a change of the plan, and its absence is
// named.
func TestDeletePlannedGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "k/a; k/b; d -> k/b")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, "k/b")}, {Key: keyOf(t, "k/a")}}})
		if err != nil {
			t.Fatal(err)
		}
		s.delete(t, "k/a", graph.Background)
		err = r.DeletePlanned(t.Context(), p)
		var changed *plan.ChangedError
		if !errors.As(err, &changed) || !errors.Is(err, ownergraph.ErrNotFound) || len(changed.Differences) != 1 || changed.Differences[0].Key.Name != "a" {
			t.Errorf("DeletePlanned: %v, want that k/a is gone", err)
		}
		s.contains(t, "d -> k/b; k/b")
	})
}

// TestDeletePlannedNamesTheKind: the error of a fence that does not pass names the kind that
// blocks it.
func TestDeletePlannedNamesTheKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; k/x")
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			return do(ctx, func(ev ownergraph.Event) error {
				if ev.Type == graph.FencePassed && ev.Kind == "k" {
					return nil
				}
				return sink(ev)
			})
		}
		r := collect(t, s, ownergraph.Config{})
		pass(time.Second)
		p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		if err := r.DeletePlanned(ctx, p); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "fence not passed by k") {
			t.Errorf("DeletePlanned: %v, want that k has not passed the fence", err)
		}
	})
}
