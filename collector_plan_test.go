package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// request asks for the deletion of the object that is a line of the notation.
func request(t *testing.T, key string, p graph.Propagation) plan.Request {
	t.Helper()
	return plan.Request{Delete: []plan.Target{{Key: keyOf(t, key), Propagation: p}}}
}

// outcomes has the objects of a plan with their outcomes.
func outcomes(p plan.Plan) string {
	var out []string
	for _, o := range p.Objects {
		s := o.Key.String() + " " + o.Outcome.String()
		if o.Possible {
			s += "?"
		}
		if len(o.Owners) > 0 {
			s += fmt.Sprint(" by ", o.Owners)
		}
		if o.Outcome == plan.Held {
			s += fmt.Sprint(" ", o.Causes)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// TestPlanOutcomes has a plan of each outcome, and its cost.
func TestPlanOutcomes(t *testing.T) {
	for _, c := range []struct {
		start, key  string
		propagation graph.Propagation
		want        string
		cost        plan.Cost
		reason      string
	}{
		{"a; b -> a; c -> b", "a", graph.Background, "a removed; b removed; c removed", plan.Cost{Writes: 3}, "a chain goes, and no owner has to be read"},
		{"a; b -> a!; c -> b!", "a", graph.Foreground, "a removed; b removed; c removed", plan.Cost{Writes: 5, Reads: 2, Fences: 4}, "marks and releases of a and b"},
		{"a; b -> a; c -> b", "a", graph.Orphan, "a removed; b orphaned; c kept by [b]", plan.Cost{Writes: 3, Reads: 1, Fences: 2}, "b loses its reference"},
		{"a; b; c -> a, b", "a", graph.Background, "a removed; c trimmed by [b]", plan.Cost{Writes: 2}, "b keeps c"},
		{"a; b[x] -> a", "a", graph.Background, "a removed; b held [x]", plan.Cost{Writes: 2}, "the finalizer stays"},
		{"a; b[x] -> a!", "a", graph.Foreground, "a held [b]; b held [x]", plan.Cost{Writes: 2, Reads: 1, Fences: 2}, "a waits for b"},
		{"a", "a", graph.Background, "a removed", plan.Cost{Writes: 1}, "an object alone"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := collect(t, newTap(t, c.start), ownergraph.Config{})
			r.idle()
			p, err := r.Plan(t.Context(), request(t, c.key, c.propagation))
			if err != nil {
				t.Fatal(err)
			}
			if got := outcomes(p); got != c.want || p.Torn || p.Busy || p.Truncated > 0 {
				t.Errorf("%s; delete %s: %s, want %s: %s (torn %v, busy %v)", c.start, c.key, got, c.want, c.reason, p.Torn, p.Busy)
			}
			if p.Cost.Writes != c.cost.Writes || p.Cost.Reads > c.cost.Reads || p.Cost.Fences > c.cost.Fences {
				t.Errorf("%s; delete %s: %+v, want %+v: %s", c.start, c.key, p.Cost, c.cost, c.reason)
			}
		})
	}
}

// TestPlanAsksNothing: a plan makes no call of the store, and changes nothing in the
// collector (RULES, P1).
func TestPlanAsksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a!; c -> b; d[x] -> c; e -> gone; f")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		calls, stats, shape := s.count(""), r.Stats(), s.shape()
		for _, p := range []graph.Propagation{graph.Unset, graph.Background, graph.Foreground, graph.Orphan} {
			if _, err := r.Plan(t.Context(), request(t, "a", p)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Plan(t.Context(), plan.Request{}); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if got := s.count(""); got != calls || s.shape() != shape {
			t.Errorf("%d calls of the store while planning, want none; the store has %s", got-calls, s.shape())
		}
		if now := r.Stats(); now.Decisions != stats.Decisions || now.Calls != stats.Calls {
			t.Errorf("the collector has worked while planning: %+v, before %+v", now, stats)
		}
	})
}

// TestPlanErrors: wrong requests and unknown objects get a clear error.
func TestPlanErrors(t *testing.T) {
	key := func(line string) ownergraph.Key { return keyOf(t, line) }
	one := func(k ownergraph.Key) plan.Request { return plan.Request{Delete: []plan.Target{{Key: k}}} }
	for _, c := range []struct {
		req    plan.Request
		is     error
		want   string
		reason string
	}{
		{plan.Request{Limit: -1}, ownergraph.ErrInvalid, "plan: Limit: negative", "no such bound"},
		{one(ownergraph.Key{Kind: "k"}), ownergraph.ErrInvalid, "plan: Delete[0]: the key has no kind or no name", "the key names nothing"},
		{plan.Request{Delete: []plan.Target{{Key: key("a"), Propagation: 9}}}, ownergraph.ErrInvalid, "plan: Delete[0]: propagation propagation(9)", "no guess"},
		{plan.Request{Delete: []plan.Target{{Key: key("a")}, {Key: key("a")}}}, ownergraph.ErrInvalid, "plan: Delete[1]: a: twice", "one deletion an object"},
		{plan.Request{Delete: []plan.Target{{Key: key("a").Place()}, {Key: key("a")}}}, ownergraph.ErrInvalid, "plan: Delete[0]: a: twice", "two names of one object"},
		{plan.Request{Removed: []string{"orphan"}}, ownergraph.ErrInvalid, `plan: Removed[0]: "orphan" is no foreign finalizer`, "the engine removes it"},
		{plan.Request{Failing: []string{""}}, ownergraph.ErrInvalid, "plan: Failing[0]: empty", "no handler has it"},
		{one(key("k/missing")), ownergraph.ErrNotFound, "plan: Delete[0]: k/missing", "the object does not exist"},
		{one(ownergraph.Key{Kind: "k", Name: "missing"}), ownergraph.ErrNotFound, "plan: Delete[0]: k/missing", "no object has the name"},
		{one(key("other/x")), ownergraph.ErrNotFound, "plan: Delete[0]: other/x", "the collector does not watch its kind"},
		{one(key("gone")), ownergraph.ErrNotFound, "plan: Delete[0]: gone", "an owner that is only referred to"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := collect(t, newTap(t, "a; k/b; c -> gone, a"), ownergraph.Config{})
			r.idle()
			_, err := r.Plan(t.Context(), c.req)
			if !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("Plan: %v, want %q: %s", err, c.want, c.reason)
			}
		})
	}
}

// TestPlanEnds: a plan of a collector that has ended, or for a context that has, is an error.
func TestPlanEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a"), ownergraph.Config{})
		r.idle()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errTest)
		if _, err := r.Plan(ctx, request(t, "a", graph.Background)); !errors.Is(err, errTest) {
			t.Errorf("Plan for a context that has ended: %v", err)
		}
		_ = r.stop()
		if _, err := r.Plan(t.Context(), request(t, "a", graph.Background)); !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("Plan of a collector that has ended: %v", err)
		}
	})
}

// TestPlanByName: a name without a UID finds its object.
func TestPlanByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "k/s/a@u1; k/t/a@u2; d/s/b -> k/s/a@u1"), ownergraph.Config{})
		r.idle()
		p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: ownergraph.Key{Kind: "k", Scope: "s", Name: "a"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Request.Delete[0].Key.UID; got != "u1" || outcomes(p) != "d/s/b removed; k/s/a@u1 removed" {
			t.Errorf("planned for %s: %s", got, outcomes(p))
		}
	})
}

// TestPlanAssumes: a plan names what it takes for granted (RULES, P4), and the request
// changes it.
func TestPlanAssumes(t *testing.T) {
	handlers := map[string]finalizer.Handler{"h": func(context.Context, ownergraph.Object) error { return nil }}
	for _, c := range []struct {
		start  string
		req    plan.Request
		want   string
		named  string
		reason string
	}{
		{"a[h]", plan.Request{}, "a removed", "handler succeeds h", "a handler is assumed to succeed"},
		{"a[h]", plan.Request{Failing: []string{"h"}}, "a held [h: handler of h: assumed to fail]", "handler fails h", "the request says that it fails"},
		{"a[x]", plan.Request{}, "a held [x]", "finalizer stays x", "a foreign finalizer stays"},
		{"a[x]", plan.Request{Removed: []string{"x"}}, "a removed", "finalizer removed x", "the request says that its controller removes it"},
		{"a; b -> a, a/gone", plan.Request{}, "a removed; b removed", "", "the collector has found that gone does not exist"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := collect(t, newTap(t, c.start), ownergraph.Config{Handlers: handlers})
			r.idle()
			c.req.Delete = []plan.Target{{Key: keyOf(t, "a"), Propagation: graph.Background}}
			p, err := r.Plan(t.Context(), c.req)
			if err != nil {
				t.Fatal(err)
			}
			var named []string
			for _, a := range p.Assumptions {
				named = append(named, strings.TrimSpace(a.Type.String()+" "+a.Name))
			}
			if got := strings.Join(named, ", "); got != c.named || outcomes(p) != c.want {
				t.Errorf("%s: %s, assumed %q, want %s, %q: %s", c.start, outcomes(p), got, c.want, c.named, c.reason)
			}
		})
	}
}

// TestPlanLimit: a limit leaves objects out and says so, and the totals count them.
func TestPlanLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a; k/b -> a; k/c -> a; k/d -> a"), ownergraph.Config{})
		r.idle()
		whole, err := r.Plan(t.Context(), request(t, "a", graph.Background))
		req := request(t, "a", graph.Background)
		req.Limit = 2
		p, err2 := r.Plan(t.Context(), req)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if len(p.Objects) != 2 || p.Truncated != 2 || !slices.Equal(p.Totals, whole.Totals) || !slices.Equal(p.Scopes, whole.Scopes) || p.Goes() != 4 || p.Cost != whole.Cost || p.Fingerprint != whole.Fingerprint {
			t.Errorf("%d objects, %d left out, totals %v, cost %v", len(p.Objects), p.Truncated, p.Totals, p.Cost)
		}
		if len(p.Steps) != 2 || p.StepsTruncated != 2 {
			t.Errorf("%d steps, %d left out", len(p.Steps), p.StepsTruncated)
		}
	})
}

// TestPlanDue: a request without a target has the writes that a collector which only
// observes leaves out.
func TestPlanDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> b; d")
		r := collect(t, s, ownergraph.Config{ObserveOnly: true})
		r.idle()
		s.delete(t, "a", graph.Background)
		r.idle()
		p, err := r.Plan(t.Context(), plan.Request{})
		if err != nil || outcomes(p) != "b removed; c removed" || p.Cost.Writes != 2 {
			t.Errorf("Plan: %s, %+v, %v, want b and the objects below", outcomes(p), p.Cost, err)
		}
	})
}

// TestPlanStore: a plan without a running collector is that of one.
func TestPlanStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a!; c[x] -> b; d -> a, e; e")
		want, err := ownergraph.PlanStore(t.Context(), s, ownergraph.Config{}, request(t, "a", graph.Foreground))
		if err != nil {
			t.Fatal(err)
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		got, err := r.Plan(t.Context(), request(t, "a", graph.Foreground))
		if err != nil || plan.Compare(want, got) != nil || outcomes(got) != outcomes(want) {
			t.Errorf("Plan: %v, %s, PlanStore: %s", err, outcomes(got), outcomes(want))
		}
		dump, err := ownergraph.PlanDump(t.Context(), ownergraph.Dump{Objects: s.Objects()}, ownergraph.Config{}, request(t, "a", graph.Foreground))
		if err != nil || plan.Compare(want, dump) != nil || outcomes(dump) != outcomes(want) || len(dump.Steps) != len(want.Steps) {
			t.Errorf("PlanDump: %v, %s, PlanStore: %s", err, outcomes(dump), outcomes(want))
		}
	})
}

// TestPlanDump: a dump that has a kind in part proves no absence.
func TestPlanDump(t *testing.T) {
	objects, err := graph.Parse("k/a; d/b -> k/a, k/gone; d/c -> k/a, p/gone")
	if err != nil {
		t.Fatal(err)
	}
	p, err := ownergraph.PlanDump(t.Context(), ownergraph.Dump{
		Kinds: []ownergraph.KindInfo{{Kind: "k"}, {Kind: "d"}, {Kind: "p"}}, Partial: []ownergraph.Kind{"p"}, Objects: objects,
	}, ownergraph.Config{}, request(t, "k/a", graph.Background))
	if err != nil || outcomes(p) != "d/b removed; d/c held [p/gone]; k/a removed" {
		t.Errorf("PlanDump: %s, %v, want c held by its unknown owner", outcomes(p), err)
	}
	if !slices.ContainsFunc(p.Assumptions, func(a plan.Assumption) bool { return a.Type == plan.OwnerAbsent && a.Name == "k" }) {
		t.Errorf("assumed %v, want that k/gone is absent, since k is listed", p.Assumptions)
	}
	objects[0].UID = objects[1].UID
	if _, err := ownergraph.PlanDump(t.Context(), ownergraph.Dump{Objects: append(objects, graph.Object{Key: ownergraph.Key{Kind: "k"}})}, ownergraph.Config{}, plan.Request{}); !errors.Is(err, ownergraph.ErrInvalid) {
		t.Errorf("PlanDump of an object without name: %v", err)
	}
}

// TestPlanDumpDue: a plan without a target has every object whose owner is absent, also while
// the engine reads such owners and passes on what it knows of them.
func TestPlanDumpDue(t *testing.T) {
	for _, n := range []int{1, 10, 5000} {
		d := ownergraph.Dump{Kinds: []ownergraph.KindInfo{{Kind: "k"}, {Kind: "d"}}}
		gone := graph.Owner{Key: ownergraph.Key{Kind: "k", Name: "gone", UID: "gone"}}
		for i := range n {
			name := fmt.Sprint(i)
			d.Objects = append(d.Objects, graph.Object{Key: ownergraph.Key{Kind: "d", Name: name, UID: graph.UID(name)}, Owners: []graph.Owner{gone}})
		}
		p, err := ownergraph.PlanDump(t.Context(), d, ownergraph.Config{}, plan.Request{})
		removed := 0
		for _, o := range p.Objects {
			if o.Outcome == plan.Removed {
				removed++
			}
		}
		if err != nil || removed != n {
			t.Errorf("%d of %d objects without an owner are removed, %v", removed, n, err)
		}
	}
}

// TestDeletePlanned: a plan that is still valid is carried out under UID and version (RULES, P5).
func TestDeletePlanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a!; c -> b; d")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		p, err := r.Plan(t.Context(), request(t, "a", graph.Foreground))
		if err != nil {
			t.Fatal(err)
		}
		fences := s.count("fence")
		if err := r.DeletePlanned(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if s.count("fence") == fences {
			t.Error("no fence began after the call")
		}
		r.idle()
		s.contains(t, "d")
	})
}

// TestDeletePlannedChanged: a plan that is no longer valid deletes nothing. A change of a version
// alone is no such change.
func TestDeletePlannedChanged(t *testing.T) {
	for _, c := range []struct {
		change  func(t *testing.T, s *tap)
		changed bool
		reason  string
	}{
		{func(t *testing.T, s *tap) { s.create(t, "d/e -> a@a") }, true, "an object has come below the root"},
		{func(t *testing.T, s *tap) { s.finish(t, "c", "x") }, true, "c would go, too"},
		{func(t *testing.T, s *tap) { s.delete(t, "b", graph.Background) }, true, "b is gone"},
		{func(t *testing.T, s *tap) { s.create(t, "d/f") }, false, "f is not concerned"},
		{func(t *testing.T, s *tap) { s.touch(t, "b") }, false, "status is written all the time"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a; c[x] -> a; d")
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
			if err != nil {
				t.Fatal(err)
			}
			c.change(t, s)
			err = r.DeletePlanned(t.Context(), p)
			_, getErr := s.Store.Get(t.Context(), keyOf(t, "a"))
			if errors.Is(err, plan.ErrChanged) != c.changed || (err == nil) == c.changed || (getErr == nil) != c.changed {
				t.Errorf("DeletePlanned: %v, the root: %v: %s", err, getErr, c.reason)
			}
		})
	}
}

// touch makes a new version of an object without another change.
func (s *tap) touch(t *testing.T, key string) {
	t.Helper()
	o, err := s.Store.Get(t.Context(), keyOf(t, key))
	if err != nil {
		t.Fatal(err)
	}
	o.ObservedGeneration++
	if _, err := s.Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// TestDeletePlannedForeign: a plan of another store, one that is too old, and one that
// deletes nothing get clear errors.
func TestDeletePlannedForeign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other, err := ownergraph.PlanStore(t.Context(), newTap(t, "a@other; b -> a@other"), ownergraph.Config{}, request(t, "a@other", graph.Background))
		if err != nil {
			t.Fatal(err)
		}
		r := collect(t, newTap(t, "a; b2 -> a"), ownergraph.Config{})
		r.idle()
		err = r.DeletePlanned(t.Context(), other)
		if !errors.Is(err, ownergraph.ErrInvalid) || !strings.Contains(err.Error(), "it is of another store, or too old") {
			t.Errorf("DeletePlanned of a plan of another store: %v", err)
		}
		if err := r.DeletePlanned(t.Context(), plan.Plan{}); !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("DeletePlanned of no target: %v", err)
		}
	})
}

// TestDeletePlannedConflict: the store changes the root between the plan and its delete.
func TestDeletePlannedConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		left := 3
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" && key.Name == "a" && left > 0 {
				left--
				s.touch(t, "a")
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.DeletePlanned(t.Context(), p); err != nil || left > 0 {
			t.Errorf("DeletePlanned: %v, %d conflicts left", err, left)
		}
		r.idle()
		s.contains(t, "")
	})
}

// TestDeletePlannedFails: the store refuses the second of three targets. The error names
// the third.
func TestDeletePlannedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "k/a; k/b; k/c")
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" && key.Name == "b" {
				return fmt.Errorf("no: %w", ownergraph.ErrRefused)
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
		if !errors.Is(err, ownergraph.ErrRefused) || !strings.Contains(err.Error(), "not sent: k/c") {
			t.Errorf("DeletePlanned: %v, want the refusal, and the target that was not sent", err)
		}
		s.contains(t, "k/b; k/c")
	})
}

// TestPlanGoesOn: while plans of a large store are made, the collector works, and each plan
// is of one instant or says that it is not.
func TestPlanGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; k/k; new/new")
		for i := range 3000 {
			s.create(t, fmt.Sprintf("k/%d -> a", i))
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		done := make(chan error, 4)
		for range 4 {
			go func() {
				p, err := r.Plan(t.Context(), request(t, "a", graph.Background))
				if err == nil && !p.Torn && len(p.Objects) < 3001 {
					err = fmt.Errorf("%d objects", len(p.Objects))
				}
				done <- err
			}()
		}
		for i := range 100 {
			s.create(t, fmt.Sprintf("new/%d -> a", i))
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}
