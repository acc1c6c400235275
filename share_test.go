package ownergraph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/share"
)

// of returns the set of the slots of some UIDs. Those of one or two letters have one slot together.
func of(uids ...graph.UID) share.Set {
	set := share.None()
	for _, uid := range uids {
		first := uint64(share.SlotOf(uid)) << 52
		slot, err := share.OfRanges(share.Range{First: first, Last: first | (1<<52 - 1)})
		if err != nil {
			panic(err) // the ranges of slots are sound
		}
		set = set.Or(slot)
	}
	return set
}

// ends returns the end of the object that has the name of its kind.
func ends(kind graph.Kind, uid graph.UID) graph.Event {
	return graph.Event{Type: graph.Gone, Key: graph.Key{Kind: kind, Name: string(kind), UID: uid}}
}

// shares sets the share of an engine, without an end.
func (s stepped) shares(set share.Set) {
	s.Helper()
	if err := s.e.SetShare(s.now, set, time.Time{}); err != nil {
		s.Fatal(err)
	}
}

// sound fails if an invariant of the engine is broken.
func (s stepped) sound() {
	s.Helper()
	if err := probe.Check(s.e); err != nil {
		s.Error(err)
	}
}

// TestShareOfCascade: an engine asks for nothing on behalf of objects of other shares, and holds
// them with the reason OtherShare and its own decision (RULES, H1 and H4).
func TestShareOfCascade(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Share: of("bbb")}, "a", "b", "c", "d")
	s.put("a@aaa#1; b@bbb#1 -> a@aaa; c@ccc#1 -> a@aaa; d@ddd#1 -> d/unseen")
	s.see(ends("a", "aaa"))
	if got := fmt.Sprint(s.run(ownergraph.ErrNotFound)); got != "[delete b@bbb]" {
		t.Errorf("writes %s, want the delete of b alone", got)
	}
	if n := s.e.Stats().Calls.Of(engine.CallRead); n != 0 {
		t.Errorf("%d reads, want none for the owner of d", n)
	}
	got := ""
	for _, h := range s.e.Held(9) {
		got += fmt.Sprintf("%s: %s, %s\n", h, h.Status, policy.OtherShare.Code())
		if h.Reason != policy.OtherShare {
			t.Errorf("%s has the reason %v", h.Key, h.Reason)
		}
	}
	if want := "c/c: it is in the share of another collector (delete: all owners are gone): pending, OtherShare\n" +
		"d/d: it is in the share of another collector (verify: an owner has to be read): pending, OtherShare\n"; got != want {
		t.Errorf("held:\n%swant:\n%s", got, want)
	}
	x, err := s.e.Explain(graph.Key{Kind: "c", Name: "c", UID: "ccc"})
	if err != nil || x.Decision.Action != policy.Delete || x.Decision.Barred != policy.OtherShare {
		t.Errorf("the explanation of c is %+v, error %v, want a delete that OtherShare bars", x.Decision, err)
	}
	s.sound()
	s.shares(of("bbb", "ccc", "ddd"))
	if got := fmt.Sprint(s.run(ownergraph.ErrNotFound)); got != "[delete c@ccc delete d@ddd]" {
		t.Errorf("writes %s after the share has grown, want c and d", got)
	}
	s.sound()
}

// TestShareLeaves: a change of the share takes back what no caller has begun. What was begun ends,
// and its outcome counts (RULES, H1).
func TestShareLeaves(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "c", "d")
	s.put("a#1; b#1 -> a; c#1 -> a")
	s.see(gone("a"))
	first, second := s.wants(engine.CallDelete, "a is gone"), s.wants(engine.CallDelete, "a is gone")
	s.put("d#1 -> d/unseen")
	before := s.e.Revision()
	s.shares(share.None())
	if s.e.Revision() == before {
		t.Error("the share has changed, and the revision has not")
	}
	s.done(first, ownergraph.ErrNotBegun)
	s.wants(engine.CallUnset, "the share is none, also for the read of the owner of d")
	s.done(second, nil)
	s.see(graph.Event{Type: graph.Gone, Key: second.Key})
	s.wants(engine.CallUnset, "the share is none")
	if !s.e.Idle() {
		t.Error("an engine without a share is not idle")
	}
	s.sound()
	s.shares(share.All())
	if got := fmt.Sprint(s.run(ownergraph.ErrNotFound)); got != fmt.Sprintf("[delete %s delete d]", first.Key) {
		t.Errorf("writes %s, want the delete that was given back, and d", got)
	}
}

// TestShareUnknownOutcome: a write of unknown outcome to an object that has left the share is read
// again when the object is back, and not before.
func TestShareUnknownOutcome(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.see(gone("a"))
	c := s.wants(engine.CallDelete, "a is gone")
	s.shares(share.None())
	s.done(c, errNoAnswer)
	s.now = s.now.Add(time.Hour)
	s.list("a") // the loss of an answer asks for listings
	s.see(begun("b"))
	s.put("b#1 -> a")
	s.see(ended("b"))
	s.wants(engine.CallUnset, "the share is none")
	s.shares(share.All())
	if c := s.next(engine.LaneStore); c.Type == engine.CallUnset {
		t.Errorf("no call for b, which is back: %v", s.e.Held(9))
	}
	s.sound()
}

// TestShareExpires: the share is none from its end on, before any call is handed out. Each renewal
// of the end counts.
func TestShareExpires(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
	s.put("a#1; b#1 -> a; c#1 -> a")
	until := func(d time.Duration) {
		if err := s.e.SetShare(s.now, share.All(), s.now.Add(d)); err != nil {
			t.Fatal(err)
		}
	}
	until(time.Second)
	s.now = s.now.Add(time.Second - 1)
	until(time.Second)
	s.now = s.now.Add(time.Second - 1)
	s.see(gone("a"))
	s.wants(engine.CallDelete, "the end was renewed")
	s.now = s.now.Add(1)
	s.wants(engine.CallUnset, "the end has come")
	if set := s.e.Stats().Share; set != share.None() {
		t.Errorf("the share is %v, want none", set)
	}
	until(-time.Second)
	s.wants(engine.CallUnset, "the end was over before")
	until(time.Minute)
	s.wants(engine.CallDelete, "the share is back")
	s.sound()
}

// TestShareMovesOnAndOn: a set that moves at each step keeps no object of it from its end.
func TestShareMovesOnAndOn(t *testing.T) {
	const many = 3000
	s := newStepped(t, ownergraph.Config{Share: share.None()}, "a", "b")
	s.put("a#1")
	for i := range many {
		s.put(fmt.Sprintf("b/%d@3f0a9c1e-0000-4000-8000-%012x#1 -> a", i, i))
	}
	s.see(gone("a"))
	s.run(nil)
	without, err := share.OfRanges(share.Range{First: 1 << 52, Last: ^uint64(0)})
	if err != nil {
		t.Fatal(err)
	}
	own, deletes := 0, 0
	for i := range many {
		if without.Has(graph.UID(fmt.Sprintf("3f0a9c1e-0000-4000-8000-%012x", i))) {
			own++
		}
	}
	for turn := 0; deletes < own && turn < 2*many; turn++ {
		s.shares([]share.Set{share.All(), without}[turn%2])
		for range 2 {
			if c, _ := s.e.Next(s.now, engine.LaneStore); c.Type == engine.CallDelete {
				s.done(c, nil)
				s.see(graph.Event{Type: graph.Gone, Key: c.Key})
				deletes++
			}
		}
	}
	if deletes < own {
		t.Errorf("%d of %d objects go while the set moves", deletes, own)
	}
	s.sound()
}

// TestStandby: an engine without a share begins nothing, and is ready at once (RULES, H2).
func TestStandby(t *testing.T) {
	for _, c := range []struct{ reason, objects, want string }{
		{"background", "b#1 -> a", "[delete b]"},
		{"foreground", "a#2~[foreground]; b#1 -> a!", "[delete b]"},
		{"orphan", "a#2~[orphan]; b#1 -> a", "[patch b]"},
		{"orphan without dependents", "a#2~[orphan]", "[patch a]"},
	} {
		s := newStepped(t, ownergraph.Config{Share: share.None()}, "a", "b")
		s.put("a#1; b#1")
		s.put(c.objects)
		if !strings.Contains(c.objects, "a#") {
			s.see(gone("a"))
		}
		if got := s.run(nil); len(got) > 0 || s.e.Stats().Calls != (engine.Stats{}.Calls) || !s.e.Idle() {
			t.Errorf("%s: writes %v, calls %+v, idle %t, want no call", c.reason, got, s.e.Stats().Calls, s.e.Idle())
		}
		s.shares(share.All())
		if got := fmt.Sprint(s.run(nil)); got != c.want {
			t.Errorf("%s: writes %s, want %s", c.reason, got, c.want)
		}
		s.sound()
	}
}

// TestStandbySelects: an engine without a share selects no labels of protected objects, and takes back the
// selections that it has asked for.
func TestStandbySelects(t *testing.T) {
	for _, objects := range []string{"b#1 -> a", "a#2~[foreground,x]; b#1 -> a"} {
		for _, first := range []share.Set{share.None(), share.All()} {
			cfg := ownergraph.Config{Share: first, Protect: []guard.Protection{{Kinds: []graph.Kind{"a", "b"}, Selector: "keep=yes"}}}
			s := newStepped(t, cfg, "a", "b")
			s.put("a#1; b#1")
			s.put(objects)
			if !strings.Contains(objects, "a#") {
				s.see(gone("a"))
			}
			s.next(engine.LaneStore)
			s.shares(share.None())
			s.next(engine.LaneStore)
			if c := s.next(engine.LaneControl); c.Type != engine.CallUnset || !s.e.Idle() {
				t.Errorf("%s, from %v: %v, idle %t, want no call", objects, first, c, s.e.Idle())
			}
			s.sound()
			s.shares(share.All())
			s.next(engine.LaneStore)
			if c := s.next(engine.LaneControl); c.Type != engine.CallSelect {
				t.Errorf("%s, from %v: %v, want a selection for all", objects, first, c)
			}
		}
	}
}

// TestShareOfMany: objects of other shares come and go by the thousand, until none is left. The graph
// frees the memory of their nodes then.
func TestShareOfMany(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Share: share.None()}, "a", "b")
	s.put("a#1")
	for i := range 2000 {
		s.put(fmt.Sprintf("b/%d@3f0a9c1e-0000-4000-8000-%012x#1 -> a", i, i))
	}
	s.see(gone("a"))
	s.run(nil)
	for i := range 2000 {
		s.see(graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "b", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprintf("3f0a9c1e-0000-4000-8000-%012x", i))}})
	}
	s.run(nil)
	if held := s.e.Held(9); len(held) > 0 || s.e.Stats().Nodes != 0 {
		t.Errorf("%d nodes are left, held: %v", s.e.Stats().Nodes, held)
	}
	s.sound()
}

// TestShareOfHandler: a run that fails after its object has left is no failure. The handler runs again
// when the object is back.
func TestShareOfHandler(t *testing.T) {
	s := newStepped(t, handled(), "a")
	s.put("a#2~[x]")
	s.next(engine.LaneStore)
	c := s.next(engine.LaneHandler)
	s.shares(share.None())
	s.done(c, errBusy)
	s.next(engine.LaneStore)
	if again := s.next(engine.LaneHandler); c.Type != engine.CallHandle || again.Type != engine.CallUnset || s.e.Stats().FailedHandlers != 0 {
		t.Errorf("%v, then %v, %d failures, want one run and none", c.Type, again.Type, s.e.Stats().FailedHandlers)
	}
	s.shares(share.All())
	s.next(engine.LaneStore)
	if again := s.next(engine.LaneHandler); again.Type != engine.CallHandle {
		t.Errorf("%v for the object that is back, want a run", again.Type)
	}
	s.sound()
}

// TestShareOfHolder: a holder waits for dependents of every share, behind a fence of its own engine
// (RULES, H3).
func TestShareOfHolder(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Share: of("aaa")}, "a", "b")
	s.put("a@aaa#1~[foreground]; b@bbb#1 -> a@aaa!")
	if got := s.run(nil); len(got) > 0 {
		t.Errorf("writes %v while b lives", got)
	}
	s.see(ends("b", "bbb"))
	if got := fmt.Sprint(s.run(nil)); got != "[patch a@aaa]" || s.e.Stats().Calls.Of(engine.CallFence) == 0 {
		t.Errorf("writes %s, want the end of a behind a fence", got)
	}
	s.sound()
}

// TestShareOfOrder: an engine opens the phases for its own objects by its view of all objects. The
// object of another share that a phase waits for is read, and one that stays delays no phase.
func TestShareOfOrder(t *testing.T) {
	cfg := inPhases()
	cfg.Protect = []guard.Protection{{Name: "kept", Names: []string{"kept"}}}
	cfg.Share = of("claim")
	s := newStepped(t, cfg, "r", "pod", "claim", "x")
	s.put("r#2~[foreground]; pod#1 -> r!; pod/kept@kept#1 -> r; claim#1 -> r!")
	if got := s.run(nil); len(got) > 0 {
		t.Errorf("writes %v while the pod lives", got)
	}
	s.see(gone("pod"))
	if got := fmt.Sprint(s.run(nil)); got != "[delete claim]" {
		t.Errorf("writes %s, want the claim: its engine knows that the other pod stays\nheld %v", got, s.e.Held(9))
	}
	s.sound()
	s = newStepped(t, cfg, "r", "pod", "claim", "x")
	s.put("r#2~[foreground]; pod#1 -> r!, x/unseen; claim#1 -> r!")
	if got := fmt.Sprint(s.run(graph.ErrRefused)); got != "[delete claim]" {
		t.Errorf("writes %s, want the claim: an owner of the pod cannot be read, so the pod stays\nheld %v", got, s.e.Held(9))
	}
	s.sound()
}

// TestShareOfVerdict: the engine of a root judges it. A root that joins later, after its hold was
// taken off elsewhere, is no root that was deleted before its guard could hold it.
func TestShareOfVerdict(t *testing.T) {
	limit := 9
	cfg := guarding(guard.Guard{Kinds: []graph.Kind{"a"}, Above: &limit})
	cfg.Share = share.None()
	s := newStepped(t, cfg, "a", "b")
	s.put("a#1[" + guarded + "]; b#1 -> a")
	s.put("a#2~[" + guarded + ",foreground]")
	s.run(nil)
	if c := s.next(engine.LaneControl); c.Type != engine.CallUnset {
		t.Errorf("%v for a root of another share", c)
	}
	s.put("a#3~[foreground]")
	s.run(nil)
	s.shares(share.All())
	if got := fmt.Sprint(s.run(nil)); got != "[patch a delete b]" || s.e.Stats().Guards != (engine.GuardStats{}) {
		t.Errorf("writes %s, verdicts %+v, want the end of a, the delete of b, and no report", got, s.e.Stats().Guards)
	}
	s.sound()
	s.put("a/k@k#1[" + guarded + "]")
	s.put("a/k@k#2~[" + guarded + "]")
	s.run(nil)
	if n := s.e.Stats().Calls.Of(engine.CallJudge); n != 1 {
		t.Errorf("%d verdicts, want that on the own root", n)
	}
	s.sound()
}

// TestShareErrors: a broken engine returns its error, and an engine that only observes takes no
// share.
func TestShareErrors(t *testing.T) {
	for _, cfg := range []ownergraph.Config{{ObserveOnly: true}, {Level: ownergraph.Level0}} {
		s := newStepped(t, cfg, "a")
		if err := s.e.SetShare(s.now, share.All(), time.Time{}); !errors.Is(err, ownergraph.ErrRefused) {
			t.Errorf("observe only %t, level %v: error %v, want a refusal", cfg.ObserveOnly, cfg.Level, err)
		}
	}
	s := newStepped(t, ownergraph.Config{}, "a")
	s.e.Inside(inside.Key{}).Driver().Abandon(errors.New("by the test"))
	if err := s.e.SetShare(s.now, share.None(), time.Time{}); !errors.Is(err, ownergraph.ErrBroken) {
		t.Errorf("error %v, want the engine's own", err)
	}
}

// TestShareOfLateObject: an engine reads the owner of an object of another share that comes below an ordered
// root after its fence.
func TestShareOfLateObject(t *testing.T) {
	cfg := inPhases()
	cfg.Share = of("claim")
	s := newStepped(t, cfg, "r", "pod", "claim", "x")
	s.put("r#2~[foreground]; claim#1 -> r!")
	s.run(nil)
	s.put("pod@ppp#1 -> r!")
	if c := s.wants(engine.CallRead, "the pod may stay"); c.Key.Kind != "r" {
		t.Errorf("%v, want a read of the root", c)
	}
	s.sound()
}

// TestShareOfOrderedRoot: the engine of a root asks for the evidence about the objects of other shares
// that a phase waits for, in any order of events. A fence that passes for others before may be enough
// for the root.
func TestShareOfOrderedRoot(t *testing.T) {
	const root, below = "r#2~[foreground]", "pod#1 -> r!; pod/kept@kept#1 -> r; claim#1 -> r!"
	for _, events := range [][]string{{root + "; " + below}, {below, root}} {
		cfg := inPhases()
		cfg.Protect = []guard.Protection{{Name: "kept", Names: []string{"kept"}}}
		cfg.Share = of("r")
		s := newStepped(t, cfg, "r", "pod", "claim", "x")
		for _, objects := range events {
			s.put(objects)
			s.run(nil)
		}
		s.e.Inside(inside.Key{}).Driver().BeginWait(s.now)
		s.run(nil)
		s.see(gone("pod"))
		s.run(nil)
		s.see(gone("claim"))
		if got := fmt.Sprint(s.run(nil)); got != "[patch r]" {
			t.Errorf("%q: writes %s, want the end of the root\nheld %v", events, got, s.e.Held(9))
		}
		s.sound()
	}
}
