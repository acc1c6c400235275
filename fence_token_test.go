package ownergraph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// asked returns the call for the fence that is wanted. It is under way.
func (s stepped) asked(reason string) engine.Call {
	s.Helper()
	c := s.next(engine.LaneControl)
	if c.Type != engine.CallFence {
		s.Fatalf("%s, want a fence: %s", c.Type, reason)
	}
	return c
}

func (s stepped) named(c engine.Call, token uint64) {
	s.Helper()
	if err := s.e.Done(s.now, c.ID, engine.Result{Fence: token}); err != nil {
		s.Fatal(err)
	}
}

// TestReportBeforeToken: the watch may report a fence before its call has returned the
// token. The fence passes with the token, and by the reports of that token alone. What
// voids a fence under way voids its early reports.
func TestReportBeforeToken(t *testing.T) {
	kinds := []graph.KindInfo{{Kind: "o"}, {Kind: "x"}}
	for _, c := range []struct {
		reason string
		before func(s stepped)
		token  uint64
		want   engine.CallType
	}{
		{"all reports have come", func(s stepped) { s.pass(9) }, 9, engine.CallPatch},
		{"they came twice", func(s stepped) { s.pass(9); s.pass(9) }, 9, engine.CallPatch},
		{"those of others came, too", func(s stepped) { s.pass(8); s.pass(9); s.pass(7) }, 9, engine.CallPatch},
		{"only those of others have come", func(s stepped) { s.pass(8) }, 9, engine.CallUnset},
		{"one kind is missing", func(s stepped) { s.passed(9, "o", "") }, 9, engine.CallUnset},
		{"the set of kinds is missing", func(s stepped) { s.passed(9, "o", "x") }, 9, engine.CallUnset},
		{"a kind has joined", func(s stepped) {
			s.pass(9)
			s.see(graph.Event{Type: graph.KindsKnown, Kinds: append(kinds, graph.KindInfo{Kind: "y"})})
		}, 9, engine.CallUnset},
		{"the set of kinds came again", func(s stepped) {
			s.pass(9)
			s.see(graph.Event{Type: graph.KindsKnown, Kinds: kinds})
		}, 9, engine.CallUnset},
		{"a kind has left", func(s stepped) {
			s.pass(9)
			s.see(graph.Event{Type: graph.KindVanished, Kind: "x"})
		}, 9, engine.CallUnset},
		{"history went backwards, and all is listed anew", func(s stepped) {
			s.pass(9)
			s.see(rewound())
			s.list("o")
			s.list("x")
			s.put("o#1~[foregroundDeletion]")
		}, 9, engine.CallUnset},
		{"the watch broke, and all is listed anew", func(s stepped) {
			s.pass(9)
			s.e.WatchEnded(s.now, "lost", true)
			s.see(graph.Event{Type: graph.KindRecovered, Kind: "o"}, graph.Event{Type: graph.KindRecovered, Kind: "x"})
		}, 9, engine.CallUnset},
		{"a listing is under way: the kind passes at its end", func(s stepped) {
			s.pass(9)
			s.see(begun("x"))
		}, 9, engine.CallUnset},
		{"a listing came meanwhile", func(s stepped) {
			s.pass(9)
			s.list("x")
			s.next(engine.LaneHandler) // prunes
		}, 9, engine.CallPatch},
	} {
		t.Run(c.reason, func(t *testing.T) {
			s := newStepped(t, ownergraph.Config{}, "o", "x")
			s.put("o#1~[foregroundDeletion]")
			call := s.asked("o waits for one")
			c.before(s)
			s.wants(engine.CallUnset, "no token names the fence yet")
			s.named(call, c.token)
			if got := s.next(engine.LaneStore); got.Type != c.want {
				t.Errorf("%s %s, want %s", got.Type, got.Key, c.want)
			}
		})
	}
}

// TestEarlyReportInListing: a kind that is being listed when the token comes passes at the
// end of the listing.
func TestEarlyReportInListing(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o", "x")
	s.put("o#1~[foregroundDeletion]")
	call := s.asked("o waits for one")
	s.pass(9)
	s.see(begun("x"))
	s.named(call, 9)
	s.wants(engine.CallUnset, "the listing may bring what blocks o")
	s.see(ended("x"))
	s.wants(engine.CallPatch, "it has not")
}

// TestTokenOfLostFence: the token and the reports of a fence that was given up pass no
// later one.
func TestTokenOfLostFence(t *testing.T) {
	for _, c := range []struct {
		reason string
		lose   func(s *stepped, first engine.Call)
		after  func(s *stepped, first engine.Call)
	}{
		{"the call failed", func(s *stepped, first engine.Call) { s.done(first, errBusy) }, func(*stepped, engine.Call) {}},
		{"the call returns when another one is under way", func(*stepped, engine.Call) {},
			func(s *stepped, first engine.Call) { s.named(first, 9) }},
	} {
		s := newStepped(t, ownergraph.Config{}, "o", "x")
		s.put("o#1~[foregroundDeletion]")
		first := s.asked("o waits for one")
		c.lose(&s, first)
		s.now = s.now.Add(time.Minute)
		second := s.asked("the first one is lost: " + c.reason)
		s.pass(9)
		c.after(&s, first)
		s.pass(9)
		s.wants(engine.CallUnset, c.reason)
		s.named(second, 10)
		s.pass(9)
		s.wants(engine.CallUnset, c.reason)
		s.pass(10)
		s.wants(engine.CallPatch, "the second fence has passed")
	}
}

// TestTokenRefused: a token of 0, and one that the store returned just before, name no
// fence. Another one begins.
func TestTokenRefused(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o", "x")
	s.put("o#1~[foregroundDeletion]")
	s.pass(s.begin("o waits for one"))
	s.wants(engine.CallPatch, "it has passed")
	s.put("o/2#1~[foregroundDeletion]")
	one := s.asked("another one waits")
	s.named(one, uint64(one.ID))
	s.pass(uint64(one.ID))
	former := s.e.Stats().Fences.Passed
	s.put("o/3#1~[foregroundDeletion]")
	for _, token := range []uint64{0, uint64(one.ID)} {
		c := s.asked("the third one waits")
		s.pass(token)
		s.named(c, token)
		s.pass(token)
		if got := s.e.Stats().Fences.Passed; got != former {
			t.Errorf("%d fences have passed, want %d: the token %d names none", got, former, token)
		}
		s.now = s.now.Add(2 * time.Second)
	}
	s.pass(s.begin("the store has come to its senses"))
	if got := s.e.Stats().Fences.Passed; got != former+1 {
		t.Errorf("%d fences have passed, want %d", got, former+1)
	}
}

// TestFenceTime: the time of a fence goes from its call until the last kind has passed.
func TestFenceTime(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o", "x")
	var want time.Duration
	for i, took := range []time.Duration{3 * time.Second, 0, 250 * time.Millisecond} {
		s.put(fmt.Sprintf("o/%d#1~[foregroundDeletion]", i))
		token := s.begin("an object waits for it")
		s.now = s.now.Add(took)
		s.pass(token)
		s.wants(engine.CallPatch, "the fence has passed")
		want += took
		if f := s.e.Stats().Fences; f.Time != want || f.Passed != uint64(i+1) {
			t.Errorf("%d fences have passed in %v, want %d in %v", f.Passed, f.Time, i+1, want)
		}
		s.now = s.now.Add(time.Hour)
	}
}
