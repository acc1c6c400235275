package ownergraph_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// begin returns the fence that is wanted, handed out and begun.
func (s stepped) begin(reason string) uint64 {
	s.Helper()
	c := s.next(ownergraph.LaneControl)
	for ; c.Type == ownergraph.CallList; c = s.next(ownergraph.LaneControl) {
		s.done(c, nil)
	}
	if c.Type != ownergraph.CallFence {
		s.Fatalf("%s, want a fence: %s", c.Type, reason)
	}
	s.done(c, nil)
	return c.Fence
}

// TestJoiningKindTakesBackCalls: what was decided on the strength of a fence is
// not done once a kind has joined that the fence says nothing of (R7).
func TestJoiningKindTakesBackCalls(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o")
	s.put("o#1~[foregroundDeletion]")
	s.pass(s.begin("o waits for one"))
	s.next(ownergraph.LaneHandler) // decides, and takes no store call
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "o"}, {Kind: "x"}}})
	s.wants(ownergraph.CallUnset, "x may hold what blocks o")
}

// TestIdleAfterDamage: an engine that has refused an event is not idle before a listing
// has said what the kind holds, also while that is under way.
func TestIdleAfterDamage(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o", "x")
	s.run(nil)
	if !s.e.Idle() {
		t.Fatal("nothing is to be done")
	}
	if err := s.e.Observe(s.now, graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "x", Name: "x", UID: "x"}}}); err == nil {
		t.Fatal("an object without a version is taken")
	}
	idle := func(want bool, when string) {
		t.Helper()
		if s.run(nil); s.e.Idle() != want {
			t.Errorf("idle: %t %s", s.e.Idle(), when)
		}
	}
	c := s.next(ownergraph.LaneControl)
	if c.Type != ownergraph.CallList {
		t.Fatalf("%s, want a listing", c.Type)
	}
	s.done(c, nil)
	idle(false, "when nothing has been listed")
	s.see(graph.Event{Type: graph.ListBegun, Kind: "x"})
	idle(false, "while it is listed")
	s.see(graph.Event{Type: graph.ListEnded, Kind: "x"})
	idle(true, "when it has been")
}

// TestDamagedKindHoldsFences: a kind of which an event was refused passes no
// fence before it is listed anew: nobody knows what the event said (R7).
func TestDamagedKindHoldsFences(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o", "x")
	if err := s.e.Observe(s.now, graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "x", Name: "x", UID: "x"}}}); err == nil {
		t.Fatal("an object without a version was taken")
	}
	s.put("o#1~[foregroundDeletion]")
	s.pass(s.begin("o waits for one"))
	s.wants(ownergraph.CallUnset, "what x said may have blocked o")
}

// TestRecoveredStaysDamaged: that the watch of a kind is well again says nothing of an
// event that was refused. Only a listing heals that, and not one of which the event
// was part: a Collector whose watch was down takes the kind for well at its end.
func TestRecoveredStaysDamaged(t *testing.T) {
	refused := graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "x", Name: "x", UID: "x"}}}
	sick, well := graph.Event{Type: graph.KindSick, Kind: "x"}, graph.Event{Type: graph.KindRecovered, Kind: "x"}
	for name, history := range map[string][]graph.Event{
		"said for nothing":    {refused, well},
		"sick before":         {sick, refused, well},
		"sick after":          {refused, sick, well},
		"listed as it was":    {sick, begun("x"), refused, ended("x"), well},
		"damaged once more":   {refused, begun("x"), refused, ended("x"), well},
		"the listing goes on": {begun("x"), refused, sick, well},
	} {
		s := newStepped(t, ownergraph.Config{}, "o", "x")
		for _, ev := range history {
			if err := s.e.Observe(s.now, ev); (err != nil) != (ev.Type == graph.Put) {
				t.Fatal(err)
			}
		}
		s.put("o#1~[foregroundDeletion]")
		s.pass(s.begin("o waits for one"))
		if c := s.next(ownergraph.LaneStore); c.Type != ownergraph.CallUnset {
			t.Errorf("%s: %s %s, and what x said may have blocked it", name, c.Type, c.Key)
		}
		s.list("x")
		s.now = s.now.Add(time.Minute)
		s.pass(s.begin(name + ": o waits for one"))
		if c := s.next(ownergraph.LaneStore); c.Type != ownergraph.CallPatch {
			t.Errorf("%s: %s, want the end of o: x has been listed", name, c.Type)
		}
	}
}

// TestFenceLostAfterOutage: fences that were held for long, and gave way to others, say
// nothing of how soon a report is taken for lost.
func TestFenceLostAfterOutage(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o", "x")
	s.wants(ownergraph.CallUnset, "nothing is there")
	s.see(graph.Event{Type: graph.KindSick, Kind: "x"})
	for i := range 10 { // each wants a newer one
		s.put(fmt.Sprintf("o/s-%d#%d~[foregroundDeletion]", i, i+1))
		id := s.begin("one more waits")
		s.see(graph.Event{Type: graph.FencePassed, Fence: id}, graph.Event{Type: graph.FencePassed, Kind: "o", Fence: id})
		s.now = s.now.Add(time.Minute)
	}
	s.put("o#11~[foregroundDeletion]")
	s.begin("the last one of the outage")
	s.see(graph.Event{Type: graph.KindRecovered, Kind: "x"})
	s.now = s.now.Add(time.Minute)
	s.pass(s.begin("its report was lost"))
	s.wants(ownergraph.CallPatch, "all has passed it")
}

// TestKindsLostHoldFences: after a set of kinds was refused, nothing ends before there is
// one that is not: what the other had may block it (R7).
func TestKindsLostHoldFences(t *testing.T) {
	for _, level := range []ownergraph.Level{ownergraph.Level1, ownergraph.Level2} {
		t.Run(level.String(), func(t *testing.T) {
			s := newStepped(t, ownergraph.Config{Level: level}, "o")
			s.put("o#1~[foregroundDeletion]")
			if level == ownergraph.Level2 {
				s.pass(s.begin("o waits for one"))
			}
			s.next(ownergraph.LaneHandler) // decides, and takes no store call
			twice := graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "o"}, {Kind: "x"}, {Kind: "x", Scoped: true}}}
			if err := s.e.Observe(s.now, twice); err == nil {
				t.Fatal("a kind that is described twice was taken")
			}
			s.wants(ownergraph.CallUnset, "what was decided before is taken back")
			if level == ownergraph.Level2 {
				s.pass(s.begin("o waits for another"))
			}
			s.wants(ownergraph.CallUnset, "x may hold what blocks o")
			if held := s.e.Held(1); len(held) != 1 || held[0].Reason != policy.FenceHeld || !slices.Equal(held[0].Detail, []string{"the newest set of kinds was refused"}) {
				t.Errorf("held: %+v", held)
			}
			s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "o"}}})
			if level == ownergraph.Level2 {
				s.pass(s.begin("o waits for one once more"))
			}
			s.wants(ownergraph.CallPatch, "o is the only kind")
		})
	}
}

// TestKindsLostVoidFence: a fence under way that the former set of kinds has passed
// does not pass once another set was refused, whatever the kinds say.
func TestKindsLostVoidFence(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o")
	s.put("o#1~[foregroundDeletion]")
	id := s.begin("o waits for one")
	s.see(graph.Event{Type: graph.FencePassed, Fence: id})
	twice := graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "o"}, {Kind: "x"}, {Kind: "x", Scoped: true}}}
	if err := s.e.Observe(s.now, twice); err == nil {
		t.Fatal("a kind that is described twice was taken")
	}
	s.see(graph.Event{Type: graph.FencePassed, Kind: "o", Fence: id})
	s.wants(ownergraph.CallUnset, "x may hold what blocks o")
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "o"}}})
	s.pass(s.begin("o waits for another"))
	s.wants(ownergraph.CallPatch, "o is the only kind")
}

// TestFenceBegunAnew: a fence that cannot pass any more gives way to another: at
// once where that is known, and otherwise when it has taken too long.
func TestFenceBegunAnew(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		spoil        func(s *stepped)
	}{
		{"vanished", "a kind that is not served passes none", func(s *stepped) {
			s.begin("o waits for one")
			s.see(graph.Event{Type: graph.KindVanished, Kind: "x"})
		}},
		{"failed", "one that was not begun passes nowhere", func(s *stepped) {
			s.done(s.next(ownergraph.LaneControl), errBusy)
			s.now = s.now.Add(2 * time.Second)
		}},
		{"lost", "its reports may have gone with a watch", func(s *stepped) {
			s.begin("o waits for one")
			s.now = s.now.Add(time.Minute)
		}},
	} {
		s := newStepped(t, ownergraph.Config{}, "o", "x")
		s.put("o#1~[foregroundDeletion]")
		c.spoil(&s)
		s.pass(s.begin(c.name + ": " + c.reason))
		s.wants(ownergraph.CallPatch, "the second fence has passed")
	}
}

// TestFencePatience: each fence that is given up in a row is waited for twice as
// long as the one before, and one that passes ends the row.
func TestFencePatience(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o")
	given := func(want time.Duration, reason string) {
		t.Helper()
		s.begin(reason)
		s.now = s.now.Add(want - time.Second)
		if c := s.next(ownergraph.LaneControl); c.Type != ownergraph.CallUnset {
			t.Errorf("%s after less than %s: %s", c.Type, want, reason)
		}
		s.now = s.now.Add(time.Second)
	}
	s.put("o#1~[foregroundDeletion]")
	given(30*time.Second, "the first")
	given(time.Minute, "one was given up")
	s.pass(s.begin("two were"))
	s.put("o#2")
	s.put("o#3~[foregroundDeletion]")
	given(30*time.Second, "one has passed since")
	s.pass(s.begin("one was given up"))
}

// TestFenceWaitIsOfWhoWaits: how long a deletion has waited for a fence is counted
// from when its mark was seen, or little before, and not from when fences have been
// wanted without a break, or by a history that is no more.
func TestFenceWaitIsOfWhoWaits(t *testing.T) {
	for _, rewinds := range []bool{false, true} {
		s := newStepped(t, ownergraph.Config{FenceWait: time.Hour}, "o", "x")
		s.put("o/0#1~[foregroundDeletion]")
		fence := s.begin("o/0 waits for one")
		for i := 1; i < 10; i++ { // before one has passed, somebody wants the next
			s.put(fmt.Sprintf("o/%d#1~[foregroundDeletion]", i))
			s.next(ownergraph.LaneHandler) // decides, and takes no fence
			s.now = s.now.Add(10 * time.Minute)
			if !rewinds {
				s.pass(fence)
				fence = s.begin("another one waits")
			}
		}
		if rewinds {
			s.see(rewound())
			s.list("x")
			s.see(begun("o"))
			s.put("o/9#1~[foregroundDeletion]")
			s.see(ended("o"))
			s.next(ownergraph.LaneHandler) // takes the listing in
			fence = s.begin("o/9 waits for one")
		}
		s.see(graph.Event{Type: graph.KindSick, Kind: "x"},
			graph.Event{Type: graph.FencePassed, Kind: "o", Fence: fence}, graph.Event{Type: graph.FencePassed, Fence: fence})
		for _, want := range []bool{false, true} {
			s.now = s.now.Add(time.Minute)
			ends := false
			s.next(ownergraph.LaneControl)
			for c := s.next(ownergraph.LaneStore); c.Type != ownergraph.CallUnset; c = s.next(ownergraph.LaneStore) {
				ends = ends || c.Key.Name == "9"
			}
			if ends != want {
				t.Errorf("rewinds: %t: ends is %t, want %t: the wait of an hour began with its mark", rewinds, ends, want)
			}
			s.now = s.now.Add(time.Hour)
		}
	}
}
