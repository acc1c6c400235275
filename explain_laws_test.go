package ownergraph_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// explained returns the explanation of an object.
func (s stepped) explained(key string) explain.Explanation {
	s.Helper()
	x, err := s.e.Explain(keyOf(s.T, key))
	if err != nil {
		s.Fatal(err)
	}
	return x
}

// TestExplainOwners: each owner has its class, and an unknown one its doubt. The evidence
// is the observation that counts for the version of the dependent (RULES, X1).
func TestExplainOwners(t *testing.T) {
	for _, c := range []struct {
		do     func(s stepped)
		want   string // class, doubt, evidence
		reason string
	}{
		{func(s stepped) { s.put("b#1 -> x") }, "unknown UnservedKind unset", "the store does not serve the kind"},
		{func(s stepped) { s.put("b#1 -> a") }, "unknown Unobserved listed", "the listing did not bring the owner"},
		{func(s stepped) { s.put("b#1 -> a?") }, "unknown UnresolvedScope unset", "the store did not resolve the owner"},
		{func(s stepped) { s.put("a#1~[orphan]; b#1 -> a") }, "orphaning Unset watch-saw", "the owner carries the finalizer"},
		{func(s stepped) { s.put("a#1~[foreground]; b#1 -> a!") }, "waiting Unset watch-saw", "the watch has shown the mark"},
		{func(s stepped) {
			s.put("a#1~[foreground]; b#1 -> a!")
			s.passed(s.begin("the mark wants it"), "a", "b", "c", "")
			s.wants(engine.CallDelete, "the fence has passed")
		}, "waiting Unset fence-passed", "a fence began after the mark and the dependent were known"},
		{func(s stepped) {
			s.put("c#1~[foreground]")
			s.passed(s.begin("the mark of c wants it"), "a", "b", "c", "")
			s.wants(engine.CallPatch, "nothing depends on c")
			s.put("a#1~[foreground]; b#1 -> a!")
		}, "waiting Unset watch-saw", "the fence is older than the mark"},
	} {
		s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
		c.do(s)
		x := s.explained("b")
		if len(x.Owners) != 1 {
			t.Fatalf("%+v", x)
		}
		o := x.Owners[0]
		if got := fmt.Sprintf("%s %s %s", o.Class, o.Doubt.Code(), o.Evidence); got != c.want {
			t.Errorf("%s, want %s: %s", got, c.want, c.reason)
		}
	}
}

// TestExplainActors: a chain ends outside of the engine where the engine cannot go on by
// itself, and names everything that holds the object (RULES, X2).
func TestExplainActors(t *testing.T) {
	for _, c := range []struct {
		do     func(s *stepped)
		key    string
		want   string
		reason string
	}{
		{func(s *stepped) { s.put("a#1 -> b; b#1 -> a; c#1 -> a"); s.run(nil) }, "c",
			"exists keep OwnerSolid; a solid watch-saw; a: OwnerSolid ring a b; resting", "c leads to the ring, and is no member"},
		{func(s *stepped) { s.put("a#1~[x,y]"); s.run(nil) }, "a",
			"exists keep NeedFinalizers; a: NeedFinalizers controller [x]; a: NeedFinalizers controller [y]; pending", "both controllers have to act"},
		{func(s *stepped) {
			s.put("b#1 -> a")
			s.done(s.wants(engine.CallRead, "the owner is unknown"), errBusy)
		}, "b", "exists verify NeedOwner; a unknown listed; a: OwnerUnknown store [reads of the owner fail]; stuck", "the store fails the read"},
		{func(s *stepped) {
			s.put("a#1~[foreground]")
			s.see(graph.Event{Type: graph.KindSick, Kind: "b", Reason: "no access"}, graph.Event{Type: graph.KindSick, Kind: "c", Reason: "down"})
			s.passed(s.begin("the mark wants it"), "a", "")
			s.run(nil)
		}, "a", "exists wait FenceHeld; a: FenceHeld kind [b] [no access]; a: FenceHeld kind [c] [down]; stuck", "both kinds block the fence"},
		{func(s *stepped) {
			s.put("a#1~[foreground]")
			s.passed(s.begin("the mark wants it"), "a", "c", "")
			s.next(engine.LaneStore)
			s.now = s.now.Add(time.Minute)
			s.next(engine.LaneControl)
		}, "a", "exists wait NeedFence; a: FenceLost kind [b]; stuck", "the store has lost the report of b"},
	} {
		s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
		c.do(&s)
		if got := s.explains(c.key); got != c.want {
			t.Errorf("got\n%s\nwant\n%s\n%s", got, c.want, c.reason)
		}
	}
}

// TestExplainCut: an explanation counts what its bounds leave out: the end of a long chain,
// and dependents that hold the object behind many that do not (RULES, X2).
func TestExplainCut(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a")
	s.put("a/0#1")
	for i := range 100 {
		s.put(fmt.Sprintf("a/%d#1 -> a/%d", i+1, i))
	}
	s.put("a/m#1~[foreground]; a/b#1~[x] -> a/m!")
	for i := range 200 {
		s.put(fmt.Sprintf("a/n%d#1 -> a/m", i))
	}
	for _, key := range []string{"a/100", "a/m"} {
		if x := s.explained(key); x.Cut == 0 {
			t.Errorf("%s: nothing is counted:\n%s", key, x.Text())
		}
	}
}

// TestExplainHandlerRuns: the decision about a marked object is that of its handler, once
// the engine's rules leave the object to it (RULES, X1).
func TestExplainHandlerRuns(t *testing.T) {
	cfg := ownergraph.Config{Handlers: map[string]finalizer.Handler{"h": func(context.Context, graph.Object) error { return nil }}}
	s := newStepped(t, cfg, "a")
	s.put("a#1~[h]")
	if c := s.next(engine.LaneHandler); c.Type != engine.CallHandle {
		t.Fatalf("%s, want a run of the handler", c.Type)
	}
	x := s.explained("a")
	if pace, next := x.Pace(); x.Decision.Reason != policy.HandlerRuns || pace != explain.Moving || next.End != explain.Handler {
		t.Errorf("%s, %s by %s, want that the handler runs", x.Decision.Reason, pace, next.End)
	}
}

// TestExplainFailingWrite: a write that the store fails again and again is no work of the
// engine. The chain ends at the store, with its words and the time (RULES, X2).
func TestExplainFailingWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "delete" {
				return errTest
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "a", graph.Background)
		pass(time.Hour)
		x, err := r.Explain(t.Context(), keyOf(t, "b"))
		if err != nil {
			t.Fatal(err)
		}
		pace, next := x.Pace()
		if pace != explain.Stuck || next.End != explain.Store || next.Reason != policy.WriteFails || next.Text != errTest.Error() || time.Since(next.Since) < time.Minute {
			t.Errorf("%s: %+v", pace, next)
		}
	})
}

// TestExplainPace: an explanation tells stuck from slow by times: of the mark, and of the
// end of a grace period (RULES, X3).
func TestExplainPace(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a")
	s.now = s.now.Add(time.Hour)
	marked := s.now
	s.put("a/f#1~[x]; a/g#1~30")
	for _, c := range []struct {
		after  time.Duration
		key    string
		pace   explain.Pace
		end    explain.End
		next   time.Time
		reason string
	}{
		{time.Second, "a/f", explain.Pending, explain.Controller, time.Time{}, "the controller has had a second"},
		{time.Second, "a/g", explain.Moving, explain.Time, marked.Add(30 * time.Second), "the grace period runs"},
		{time.Hour, "a/g", explain.Stuck, explain.Store, marked.Add(30 * time.Second), "the period has been over for long"},
	} {
		s.now = marked.Add(c.after)
		s.put("a/other#1") // the engine takes the time
		x := s.explained(c.key)
		pace, next := x.Pace()
		if pace != c.pace || next.End != c.end || !next.Since.Equal(marked) || !next.Next.Equal(c.next) {
			t.Errorf("%s after %v: %s, %+v: %s", c.key, c.after, pace, next, c.reason)
		}
	}
}

// TestExplainElsewhere: an owner that a wrong reference means has its true place, and no other
// owner has one (RULES, X1).
func TestExplainElsewhere(t *testing.T) {
	for _, c := range []struct{ objects, want, reason string }{
		{"a/s/x@1#1; b/t/y#1 -> a/t/x@1", "unknown Misplaced a/s/x@1", "the owner is in another scope"},
		{"a/t/x@1#1; b/t/y#1 -> a/t/w@1", "unknown Renamed a/t/x@1", "the owner has another name"},
		{"a/t/x@1#1; b/t/y#1 -> a/t/x@1", "solid Unset none", "the reference is right"},
		{"b/t/y#1 -> a/t/x@1", "unknown Unobserved none", "no object has the UID"},
	} {
		s := newStepped(t, ownergraph.Config{})
		s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a", Scoped: true}, {Kind: "b", Scoped: true}}})
		s.list("a", "b")
		s.put(c.objects)
		x := s.explained("b/t/y")
		o, place := x.Owners[0], "none"
		if o.Elsewhere != (graph.Key{}) {
			place = o.Elsewhere.String()
		}
		if got := fmt.Sprintf("%s %s %s", o.Class, o.Doubt.Code(), place); got != c.want {
			t.Errorf("%s: %s, want %s: %s", c.objects, got, c.want, c.reason)
		}
	}
}
