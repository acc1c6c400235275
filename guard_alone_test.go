package ownergraph_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestVerdictOfEachTarget: the verdict about each target of a plan counts the objects of its own
// plan.
func TestVerdictOfEachTarget(t *testing.T) {
	for _, c := range []struct {
		start   string
		targets string
		sweeps  bool
		want    string
		reason  string
	}{
		{"k/a; k/b; l/1 -> k/a; l/2 -> k/a; l/3 -> k/b", "k/a k/b", false, "k/a 2, k/b 1", "the objects are apart"},
		{"k/a; k/b; l/1 -> k/a, k/b; l/2 -> l/1", "k/a k/b", false, "k/a 0, k/b 0", "an object of both goes with neither alone"},
		{"k/a; k/b -> k/a; l/1 -> k/b", "k/a k/b", false, "k/a 1, k/b 1", "the guard of the lower one refuses it in the plan of the upper one"},
		{"k/a; m/b; l/1 -> k/a; l/2 -> m/b", "k/a m/b", false, "k/a 1", "a target without a guard has no verdict"},
		{"k/a; k/b; m/r -> k/a, k/b; l/1 -> m/r, k/a; l/2 -> k/b", "k/b k/a", false, "k/b 1, k/a 0", "in the order of the request"},
		{"k/a; tenant/1 -> k/a; k/b; volume/1-x; l/1 -> volume/1-x; l/2 -> k/b", "k/a k/b", true, "k/a 3, k/b 1", "the members of a holder below one"},
		{"k/a@a; k/b; p/1/x@x -> k/z@a; p/2/y -> p/2/x@x; l/2 -> k/b", "k/a@a k/b", false, "k/a@a 2, k/b 1", "objects that have the UID of one, each below the one before it"},
		{"k/a@a[f.io]; k/b; p/1/x@x -> k/z@a; p/2/y -> p/2/x@x; l/2 -> k/b", "k/a@a k/b", false, "k/a@a 2, k/b 1", "they go once the finalizer is off"},
		{"k/a@a[f.io]; k/b; l/2 -> k/a@a, m/z@o; m/o@o", "k/a@a k/b", false, "k/a@a 0, k/b 0", "another owner stays, under another name"},
		{"k/a@a; k/b; l/1@d -> l/z@a; l/2 -> k/a@a, l/1@d", "k/a@a k/b", false, "k/a@a 1, k/b 0", "another kind is absent at once, so an object has one owner left"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := guarding(guard.Guard{Kinds: []graph.Kind{"k"}, Above: upTo(0)})
			if c.sweeps {
				cfg.Sweeps = []guard.Sweep{tenancy()}
			}
			r := collect(t, newTap(t, c.start), cfg)
			r.idle()
			req := plan.Request{}
			for _, k := range strings.Fields(c.targets) {
				req.Delete = append(req.Delete, plan.Target{Key: keyOf(t, k), Propagation: graph.Background})
			}
			p, err := r.Plan(t.Context(), req)
			var got []string
			for _, v := range p.Verdicts {
				got = append(got, fmt.Sprintf("%s %d", v.Root, v.Ends))
			}
			if err != nil || strings.Join(got, ", ") != c.want {
				t.Errorf("%s, %v, want %s: %s", strings.Join(got, ", "), err, c.want, c.reason)
			}
		})
	}
}

// TestVerdictBesideTargets: the engine judges one of several roots once the others have gone. It may
// refuse that one for the objects that go only with all. So the plan does not say for good that the
// root goes (RULES, P3).
func TestVerdictBesideTargets(t *testing.T) {
	for _, c := range []struct{ start, targets, want, reason string }{
		{"k/a; k/b; l/1 -> k/a, k/b; l/2 -> l/1", "k/a k/b", "k/a removed?; k/b removed?; l/1 removed?; l/2 removed?", "two objects go with the last root"},
		{"k/a; m/b; l/1 -> k/a, m/b; l/2 -> l/1", "m/b k/a", "k/a removed?; l/1 removed?; l/2 removed?; m/b removed", "the other root has no guard"},
		{"k/a; k/b; l/1 -> k/a, k/b", "k/a k/b", "k/a removed; k/b removed; l/1 removed", "the guard passes one object"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			r := collect(t, s, guarding(guard.Guard{Kinds: []graph.Kind{"k"}, Above: upTo(1)}))
			r.idle()
			req := plan.Request{}
			for _, k := range strings.Fields(c.targets) {
				req.Delete = append(req.Delete, plan.Target{Key: keyOf(t, k), Propagation: graph.Background})
			}
			p, err := r.Plan(t.Context(), req)
			if err != nil || outcomes(p) != c.want {
				t.Errorf("%s, %v, want %s: %s", outcomes(p), err, c.want, c.reason)
			}
			for _, x := range req.Delete {
				s.delete(t, x.Key.Place().String(), graph.Background)
				pass(time.Hour)
			}
			if unmet := p.Unmet(s.Objects()); len(unmet) > 0 {
				t.Errorf("%s: %s: %s", s.shape(), unmet[0], c.reason)
			}
		})
	}
}

// TestVerdictLeavesMarked: an object that was marked before counts only if it goes because the
// root goes.
func TestVerdictLeavesMarked(t *testing.T) {
	for _, c := range []struct {
		start, marked string
		ends          int
		reason        string
	}{
		{"k/a; l/b~300 -> k/a; l/c -> k/a", "", 1, "it goes at the end of its grace period"},
		{"k/a; l/b~[foreground] -> k/a; l/x~300 -> l/b!; l/c -> k/a", "", 1, "it goes with its dependent, without the root's end"},
		{"k/a; l/b~[x.io/slow] -> k/a; l/c -> k/a", "", 1, "it stays"},
		{"k/a; tenant/1 -> k/a; l/c -> k/a; l/d -> tenant/1, l/c", "tenant/1", 3, "its member stays as long as the root does"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := guarding(guard.Guard{Kinds: []graph.Kind{"k"}, Above: upTo(c.ends)})
			cfg.Sweeps = []guard.Sweep{{Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByOwner}}}}
			s := newTap(t, c.start)
			r := collect(t, s, cfg)
			r.idle()
			if c.marked != "" {
				s.delete(t, c.marked, graph.Unset)
				r.idle()
			}
			p, err := r.Plan(t.Context(), request(t, "k/a", graph.Background))
			if err != nil || len(p.Verdicts) != 1 || p.Verdicts[0].Ends != c.ends {
				t.Errorf("%v, verdicts %v, want %d: %s", err, p.Verdicts, c.ends, c.reason)
			}
			s.delete(t, "k/a", graph.Background)
			if held := r.idle(); strings.Contains(lines(held), policy.DeletionRefused.String()) {
				t.Errorf("held: %s, want no refusal: %s", lines(held), c.reason)
			}
		})
	}
}

// TestMarkedRootsInRing: marked roots that own each other are judged with a bounded number of
// plans, also where each plan looks for the objects that go anyway.
func TestMarkedRootsInRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "k/a~["+guarded+"] -> k/c; k/b~["+guarded+"] -> k/a; k/c~["+guarded+"] -> k/b; l/x -> k/a, k/b; l/y~300 -> k/c")
		r := collect(t, s, guarding(guard.Guard{Kinds: []graph.Kind{"k"}, Above: upTo(9)}))
		r.idle()
		pass(time.Hour)
		s.contains(t, "l/y~300 -> k/c")
	})
}

// TestVerdictOfProtectedTarget: the protection of a target ends without another verdict. So the plan
// and the judgement count the objects that go then, whatever the propagation.
func TestVerdictOfProtectedTarget(t *testing.T) {
	for _, c := range []struct {
		phases []guard.Phase
		by     graph.Propagation
		reason string
	}{
		{[]guard.Phase{{Kinds: []graph.Kind{"b"}}}, graph.Background, "the engine repeats the deletion in the foreground"},
		{nil, graph.Background, "the dependents go after the target"},
		{nil, graph.Foreground, "they go before it"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a/i["+graph.FinalizerHold+","+graph.FinalizerNew+","+graph.FinalizerProtect+"]; b/j -> a/i!")
			r := collect(t, s, guarding(guard.Guard{Kinds: []graph.Kind{"a"}, Above: upTo(0), Phases: c.phases}))
			r.idle()
			p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, "a/i"), Propagation: c.by}}})
			if err != nil || len(p.Verdicts) != 1 || p.Verdicts[0].Ends != 1 || !p.Verdicts[0].Refused() {
				t.Errorf("%v, verdicts %+v, want a refusal because of b/j: %s", err, p.Verdicts, c.reason)
			}
			s.delete(t, "a/i", c.by)
			if held := r.idle(); len(held) != 1 || held[0].Reason != policy.DeletionRefused {
				t.Errorf("held: %s, want a refusal: %s", lines(held), c.reason)
			}
			_ = r.stop()
		})
	}
}

// TestVerdictOfFlawedDependent: a flawed dependent stays, whatever the propagation. So no verdict
// counts it.
func TestVerdictOfFlawedDependent(t *testing.T) {
	long := "a/" + strings.Repeat("i", 1100) // a text of the reference is longer than Limits permit
	for _, c := range []struct {
		protect string
		by      graph.Propagation
		reason  string
	}{
		{"", graph.Background, "nothing goes after the target"},
		{"", graph.Foreground, "nothing goes before it"},
		{"," + graph.FinalizerProtect, graph.Foreground, "nothing goes once the target is protected no longer"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, long+"["+graph.FinalizerHold+","+graph.FinalizerNew+c.protect+"]; b/j[x.io/h] -> "+long)
			r := collect(t, s, guarding(guard.Guard{Kinds: []graph.Kind{"a"}, Above: upTo(0)}))
			r.idle()
			p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, long), Propagation: c.by}}})
			if err != nil || len(p.Verdicts) != 1 || p.Verdicts[0].Ends != 0 || p.Verdicts[0].Refused() {
				t.Errorf("%v, verdicts %+v, want one that passes: %s", err, p.Verdicts, c.reason)
			}
			s.delete(t, long, c.by)
			for _, h := range r.idle() {
				if h.Reason == policy.DeletionRefused {
					t.Errorf("held: %.80s, want no refusal: %s", h.String(), c.reason)
				}
			}
			_ = r.stop()
		})
	}
}
