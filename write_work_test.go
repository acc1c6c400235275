package ownergraph_test

import (
	"context"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// garbage returns an engine that has handed out the delete of b, whose owner a
// is gone.
func garbage(t *testing.T) (*stepped, ownergraph.Call) {
	t.Helper()
	s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
	s.put("a#1; b#1 -> a; c#1")
	s.see(gone("a"))
	return &s, s.wants(ownergraph.CallDelete, "its owner is gone")
}

// TestRefusedWriteWaits: a write that the store refuses is not made again soon.
func TestRefusedWriteWaits(t *testing.T) {
	s, c := garbage(t)
	s.done(c, graph.ErrRefused)
	s.now = s.now.Add(time.Second)
	s.wants(ownergraph.CallUnset, "nothing has changed")
}

// TestUnseenContentIsNotJudged: what a read of the object itself answers is
// judged only after a conflict, and only where it is what the watch has shown but
// for the version: its owners have no evidence yet (R1).
func TestUnseenContentIsNotJudged(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		err          error
		pause        time.Duration
		want         ownergraph.CallType
		reason       string
	}{
		{"conflict", "b#2 -> a", graph.ErrConflict, 0, ownergraph.CallRead, "it was touched, and its owner is read again"},
		{"conflict, changed", "b#2 -> c", graph.ErrConflict, 0, ownergraph.CallUnset, "it has another owner"},
		{"lost", "b#2 -> a", errBusy, time.Minute, ownergraph.CallUnset, "its event is on its way, and nobody knows of what"},
	} {
		s, call := garbage(t)
		s.done(call, c.err)
		s.now = s.now.Add(c.pause)
		s.answer(s.wants(ownergraph.CallRead, c.name), c.answer)
		s.wants(c.want, c.name+": "+c.reason)
	}
}

// TestVanishedAsksForListing: an object that a write did not find, and that the
// watch does not take back, has its kind listed anew.
func TestVanishedAsksForListing(t *testing.T) {
	s, c := garbage(t)
	s.done(c, graph.ErrNotFound)
	s.wants(ownergraph.CallUnset, "the watch will say that it is gone")
	s.now = s.now.Add(time.Hour)
	s.wants(ownergraph.CallUnset, "the watch has to speak")
	if c := s.next(ownergraph.LaneControl); c.Type != ownergraph.CallList || c.Kind != "b" {
		t.Errorf("%s %s, want a listing of b", c.Type, c.Kind)
	}
}

// TestUnservedKindIsNotRead: what became of a write to an object whose kind is not
// served any more only a listing can say, once it is served again. Until then the
// object is held, and nobody asks.
func TestUnservedKindIsNotRead(t *testing.T) {
	s, c := garbage(t)
	s.done(c, nil)
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "c"}}})
	s.now = s.now.Add(time.Hour)
	s.done(s.wants(ownergraph.CallRead, "its event has not come"), graph.ErrKindUnknown)
	for range 3 {
		s.now = s.now.Add(time.Hour)
		s.wants(ownergraph.CallUnset, "nobody can answer")
	}
	if held := s.e.Held(9); len(held) != 1 || held[0].Reason != policy.KindUnserved {
		t.Errorf("held %v, want b, whose kind is not served", held)
	}
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}})
	s.list("b")
	s.run(nil)
	if held := s.e.Held(9); len(held) != 0 {
		t.Errorf("held %v: the listing did not bring b", held)
	}
}

// TestSickKindIsNamedAtOnce: whoever waits for a fence learns that it is held as
// soon as the last kind that is missing falls sick.
func TestSickKindIsNamedAtOnce(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o", "x")
	s.put("o#1~[foregroundDeletion]")
	fence := s.begin("o waits for one")
	s.see(graph.Event{Type: graph.FencePassed, Kind: "o", Fence: fence}, graph.Event{Type: graph.FencePassed, Fence: fence},
		graph.Event{Type: graph.KindSick, Kind: "x", Reason: "overload"})
	s.wants(ownergraph.CallUnset, "x may hold what blocks o")
	if held := s.e.Held(9); len(held) != 1 || held[0].Reason != policy.FenceHeld {
		t.Errorf("held %v, want o, by the fence", held)
	}
}

// TestKindsThatGoAreNotListed: a listing that was wanted of a kind is wanted no
// more when the kind goes.
func TestKindsThatGoAreNotListed(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "x")
	s.see(rewound(), graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}})
	s.list("a")
	for range 9 {
		s.now = s.now.Add(time.Hour)
		if c := s.next(ownergraph.LaneControl); c.Type == ownergraph.CallList {
			t.Fatalf("a listing of %s, want none", c.Kind)
		}
	}
}

// TestHandlersOfOneNameAreBounded: no more of them run at once than is set,
// however many objects are ready.
func TestHandlersOfOneNameAreBounded(t *testing.T) {
	s := newStepped(t, ownergraph.Config{HandlerWorkers: 1, Handlers: map[string]finalizer.Handler{
		"x.io/y": func(context.Context, graph.Object) error { return nil },
	}}, "h")
	s.put("h/1#1~[x.io/y]; h/2#1~[x.io/y]")
	s.run(nil)
	first := s.next(ownergraph.LaneHandler)
	if second := s.next(ownergraph.LaneHandler); first.Type != ownergraph.CallHandle || second.Type != ownergraph.CallUnset {
		t.Fatalf("%s and %s, want one run at a time", first.Type, second.Type)
	}
	s.done(first, nil)
	if second := s.next(ownergraph.LaneHandler); second.Type != ownergraph.CallHandle || second.Key == first.Key {
		t.Errorf("%s %s, want the other one's run", second.Type, second.Key)
	}
}

// TestHealthyObjectsAreLeftAlone: what has been decided is not decided again
// without a cause, as Kubernetes 141382 did for 48 days (L2).
func TestHealthyObjectsAreLeftAlone(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.run(nil)
	decided := s.e.Stats().Decisions
	for range 60 { // less than it takes to the next audit
		s.now = s.now.Add(time.Second)
		s.run(nil)
	}
	if n := s.e.Stats().Decisions - decided; n != 0 {
		t.Errorf("%d decisions about objects to which nothing has happened", n)
	}
}
