package ownergraph_test

import (
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

// inPhases has guards for roots of the kinds r and s. Pods go before claims, and claims before
// the rest. Below s it is the other way round.
func inPhases() ownergraph.Config {
	pods, claims := guard.Phase{Name: "pods", Kinds: []graph.Kind{"pod"}}, guard.Phase{Name: "claims", Kinds: []graph.Kind{"claim"}}
	return ownergraph.Config{Guards: []guard.Guard{
		{Name: "tenants", Kinds: []graph.Kind{"r"}, Phases: []guard.Phase{pods, claims}},
		{Kinds: []graph.Kind{"s"}, Phases: []guard.Phase{claims, pods}},
	}}
}

// TestOrders: a Collector reports the phases of a cascade, and deletes in their order.
func TestOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "r; app -> r!; pod[x] -> app!; claim[x] -> app!; role -> r!")
		r := collect(t, s, inPhases())
		r.idle()
		if n := len(r.Orders(9)); n != 0 {
			t.Errorf("%d orders without a deletion", n)
		}
		s.delete(t, "r", graph.Foreground)
		for _, want := range []string{
			"[{Root:r Guard:tenants Phases:[{Name:pods Left:1 Waves:0} {Name:claims Left:2 Waves:0} {Name:the rest Left:1 Waves:0}] Open:1 Waves:0 MovedForward:1}]",
			"[{Root:r Guard:tenants Phases:[{Name:pods Left:0 Waves:0} {Name:claims Left:2 Waves:0} {Name:the rest Left:1 Waves:0}] Open:2 Waves:0 MovedForward:1}]",
		} {
			r.idle()
			got := strings.ReplaceAll(fmt.Sprintf("%+v", r.Orders(9)), fmt.Sprintf("%+v", r.Orders(9)[0].Root), "r")
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if strings.Contains(want, "Open:1") {
				s.finish(t, "pod", "x")
			}
		}
		s.finish(t, "claim", "x")
		if r.idle(); len(r.Orders(9)) != 0 {
			t.Errorf("the order outlives its root: %+v", r.Orders(9))
		}
		s.contains(t, "")
	})
}

// TestOrderExplained: the chain of an object that waits for its phase leads to the object that
// delays an earlier one. The chain of the root does as well.
func TestOrderExplained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "r; pod[x] -> r; claim -> r")
		r := collect(t, s, inPhases())
		r.idle()
		s.delete(t, "r", graph.Foreground)
		r.idle()
		for _, c := range []struct{ key, want, reason string }{
			{"claim", "exists wait NeedPhase; r waiting fence-passed; pod: NeedFinalizers controller [x]; pending", "the pod goes first"},
			{"r", "exists wait NeedPhase; pod: NeedFinalizers controller [x]; pending", "the root goes last, although no reference blocks it"},
		} {
			x, err := r.Explain(t.Context(), keyOf(t, c.key))
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(&x); got != c.want {
				t.Errorf("%s: got\n%s\nwant\n%s", c.reason, got, c.want)
			}
		}
	})
}

// phased returns the objects of a plan with their phases, in one line. A "<" marks an object
// that was moved forward.
func phased(p plan.Plan) string {
	var out []string
	for _, o := range p.Objects {
		text := fmt.Sprintf("%s %d", o.Key.Name, o.Phase)
		if o.Forward {
			text += "<"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// TestPlanPhases: a plan has the phases of the objects that go with an ordered root.
func TestPlanPhases(t *testing.T) {
	for _, c := range []struct {
		objects, root string
		how           graph.Propagation
		want, reason  string
	}{
		{"r; app -> r!; pod -> app!; claim -> app!; role -> r!", "r", graph.Foreground, "app 1<, claim 2, pod 1, r 0, role 3", "app is marked for the pod"},
		{"r; claim -> r!; role -> claim!; pod -> r!", "r", graph.Foreground, "claim 2, pod 1, r 0, role 2<", "the claim goes only after the role"},
		{"r; x; claim -> r!, x; pod -> r!", "r", graph.Foreground, "claim 0, pod 1, r 0", "x keeps the claim"},
		{"r; claim -> r!; pod -> r!", "r", graph.Orphan, "claim 0, pod 0, r 0", "nothing goes with an orphaning"},
		{"x; claim -> x!; pod -> x!", "x", graph.Foreground, "claim 0, pod 0, x 0", "no guard selects the root"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := collect(t, newTap(t, c.objects), inPhases())
			r.idle()
			p, err := r.Plan(t.Context(), request(t, c.root, c.how))
			if got := phased(p); err != nil || got != c.want {
				t.Errorf("%s: got %s, %v, want %s", c.reason, got, err, c.want)
			}
		})
	}
}

// TestOrderOfTwoRoots: a cascade below two roots with contrary guards comes to its end.
func TestOrderOfTwoRoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "r~[foreground]; s~[foreground]; pod[x] -> r!, s!; claim[x] -> r!, s!; role -> r!, s!") // both have passed
		r := collect(t, s, inPhases())
		r.idle()
		if n := len(r.Orders(9)); n != 2 {
			t.Errorf("%d orders of two roots", n)
		}
		s.finish(t, "pod", "x")
		s.finish(t, "claim", "x")
		r.idle()
		s.contains(t, "")
	})
}

// TestGuardPhasesChecked: a fault in the phases of a guard is an error of the configuration.
func TestGuardPhasesChecked(t *testing.T) {
	cfg := inPhases()
	cfg.Guards[1].Phases = append(cfg.Guards[1].Phases, guard.Phase{Kinds: []graph.Kind{"pod"}})
	_, err := engine.New(ownergraph.Level2, cfg)
	if want := "configure engine: Guards[1]: Phases[2]: it matches nothing: Phases[1] takes all of it: invalid"; !errors.Is(err, ownergraph.ErrInvalid) || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// TestOrderHeldBySickKind: the chain of an object leads to the kind that blocks the fence before
// its phase, and not to the objects of that phase.
func TestOrderHeldBySickKind(t *testing.T) {
	phases := []guard.Phase{{Kinds: []graph.Kind{"b"}}, {Kinds: []graph.Kind{"c"}}}
	s := newStepped(t, ownergraph.Config{Guards: []guard.Guard{{Kinds: []graph.Kind{"a"}, Phases: phases}}}, "a", "b", "c")
	s.put("a#1~[foreground]; c#1 -> a; c/d#1 -> a")
	s.see(graph.Event{Type: graph.KindSick, Kind: "b", Reason: "down"})
	s.passed(s.begin("the mark wants it"), "a", "c", "")
	root, err := graph.ParseObject("a#1~[foreground]")
	if err != nil {
		t.Fatal(err)
	}
	for c := s.next(engine.LaneStore); c.Type != engine.CallUnset; c = s.next(engine.LaneStore) {
		if c.Type != engine.CallRead {
			t.Errorf("%s %s before the fence has passed", c.Type, c.Key)
		}
		if err := s.e.Done(s.now, c.ID, engine.Result{Object: root}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := s.explains("c"), "exists wait NeedPhase; a waiting read-found; c: FenceHeld kind [b] [down]; stuck"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOrderHidesNoRead: the end of an object waits for the order, and the owner that orphans it
// waits for the loss of its reference. The explanation has the read that the loss needs.
func TestOrderHidesNoRead(t *testing.T) {
	e, err := engine.New(ownergraph.Level1, ownergraph.Config{
		Guards: []guard.Guard{{Kinds: []graph.Kind{"b"}, Phases: []guard.Phase{{Kinds: []graph.Kind{"a"}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := stepped{t, e, time.Unix(0, 0)}
	s.serve("a", "b")
	s.list("a", "b")
	s.put("a#1~[orphan] -> b; b#1~[foreground] -> a")
	c := s.next(engine.LaneStore)
	if c.Type != engine.CallRead || c.Key.Kind != "a" {
		t.Fatalf("the first call is %s %s", c.Type, c.Key)
	}
	for _, x := range []struct{ key, want string }{
		{"b", "exists verify NeedOwner; a orphaning watch-saw; a: NeedOwner work [the answer to a read of the owner]; moving"},
		{"a", "exists wait NeedDependents; b waiting watch-saw; a: NeedOwner work [the answer to a read of the owner]; moving"},
	} {
		if got := s.explains(x.key); got != x.want {
			t.Errorf("%s: got\n%s\nwant\n%s", x.key, got, x.want)
		}
	}
}
