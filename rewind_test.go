package ownergraph_test

import (
	"cmp"
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// TestRewindHealsOnlyByListingsAnew: a listing that began before a rewind proves
// nothing, even if its end, or its sweep, comes afterwards (R5).
func TestRewindHealsOnlyByListingsAnew(t *testing.T) {
	e, err := ownergraph.NewEngine(ownergraph.Level1, ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	see := func(evs ...graph.Event) {
		t.Helper()
		for _, ev := range evs {
			if err := e.Observe(now, ev); err != nil {
				t.Fatal(err)
			}
		}
	}
	list := func(typ graph.EventType, k graph.Kind) graph.Event { return graph.Event{Type: typ, Kind: k} }
	garbage, err := graph.ParseObject("b#1 -> a/gone")
	if err != nil {
		t.Fatal(err)
	}
	deletes := func() (n int) {
		for {
			c, at := e.Next(now, ownergraph.LaneStore)
			switch {
			case c.Type == ownergraph.CallRead:
				if err := e.Done(now, c.ID, ownergraph.Result{Err: graph.ErrNotFound}); err != nil {
					t.Fatal(err)
				}
			case c.Type == ownergraph.CallDelete:
				n++
			case at.IsZero() || at.After(now):
				return n
			}
		}
	}
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}},
		list(graph.ListBegun, "a"), list(graph.ListEnded, "a"),
		graph.Event{Type: graph.Rewound, Reason: "restored"})
	deletes()
	see(list(graph.ListBegun, "a"), list(graph.ListBegun, "b"),
		graph.Event{Type: graph.Put, Object: garbage}, list(graph.ListEnded, "b"))
	if n := deletes(); n != 0 {
		t.Fatalf("%d deletes while kind a is still being listed anew", n)
	}
	see(list(graph.ListEnded, "a"))
	if n := deletes(); n != 1 {
		t.Fatalf("%d deletes once both kinds are listed anew, want 1", n)
	}
}

// TestRewindForgetsHandlers: what was to be cleaned up, and what has been, goes
// with the history that it belongs to (R5).
func TestRewindForgetsHandlers(t *testing.T) {
	cfg := ownergraph.Config{Handlers: map[string]finalizer.Handler{
		"x.io/y": func(context.Context, graph.Object) error { return nil },
	}}
	for _, c := range []struct {
		far    string // how far the handler is when history goes backwards
		reason string
	}{
		{"lined", "it would clean up behind an object that lives"},
		{"running", "its success would be that of another deletion"},
		{"done", "the next mark would end without it"},
	} {
		s := newStepped(t, cfg, "h")
		s.put("h#1~[x.io/y]")
		s.run(nil)
		var runs []ownergraph.Call
		take := func() {
			s.run(nil)
			if call, _ := s.e.Next(s.now, ownergraph.LaneHandler); call.Type == ownergraph.CallHandle {
				runs = append(runs, call)
			}
		}
		if c.far != "lined" {
			take()
		}
		if c.far == "done" {
			s.done(runs[0], nil)
		}
		s.see(graph.Event{Type: graph.Rewound, Reason: "restored"}, graph.Event{Type: graph.ListBegun, Kind: "h"})
		s.put("h#0[x.io/y]")
		s.see(graph.Event{Type: graph.ListEnded, Kind: "h"})
		before := len(runs)
		take()
		if len(runs) > before {
			t.Errorf("%s: a handler runs for an object that is not marked: %s", c.far, c.reason)
		}
		s.put("h#1~[x.io/y]")
		if c.far == "running" {
			s.done(runs[0], nil)
		}
		if w := s.run(nil); len(w) > 0 {
			t.Errorf("%s: %v, before the handler has run for this mark: %s", c.far, w, c.reason)
		}
		if take(); len(runs) == before {
			t.Errorf("%s: the handler does not run for the new mark: %s", c.far, c.reason)
		}
	}
}

// TestNoHandlerBeforeTheListing: after a rewind nothing is cleaned up before a
// listing has shown that the object is still marked, whatever has it looked at.
func TestNoHandlerBeforeTheListing(t *testing.T) {
	cfg := ownergraph.Config{Handlers: map[string]finalizer.Handler{
		"x.io/y": func(context.Context, graph.Object) error { return nil },
	}}
	for _, c := range []struct {
		failed bool
		wait   time.Duration
		reason string
	}{
		{false, 24 * time.Hour, "the audit looks at everything"},
		{true, time.Minute, "a run that failed is tried again"},
	} {
		s := newStepped(t, cfg, "h")
		s.put("h#1~[x.io/y]")
		s.run(nil)
		if c.failed {
			s.done(s.next(ownergraph.LaneHandler), errBusy)
			s.run(nil)
		}
		s.see(graph.Event{Type: graph.Rewound, Reason: "restored"})
		s.now = s.now.Add(c.wait)
		s.run(nil)
		if call := s.next(ownergraph.LaneHandler); call.Type != ownergraph.CallUnset {
			t.Errorf("%s %s before the listing: %s", call.Type, call.Key, c.reason)
		}
		s.see(graph.Event{Type: graph.ListBegun, Kind: "h"})
		s.put("h#1~[x.io/y]")
		s.see(graph.Event{Type: graph.ListEnded, Kind: "h"})
		s.run(nil)
		if call := s.next(ownergraph.LaneHandler); call.Type != ownergraph.CallHandle {
			t.Errorf("no run once it is listed anew: %s", c.reason)
		}
	}
}

// TestRewindBesideStrangeVersions: a version that cannot be compared hides no
// history that goes backwards.
func TestRewindBesideStrangeVersions(t *testing.T) {
	number := func(_ ownergraph.Kind, a, b ownergraph.Version) int {
		x, err1 := strconv.Atoi(string(a))
		y, err2 := strconv.Atoi(string(b))
		if err1 != nil || err2 != nil {
			return 0
		}
		return cmp.Compare(x, y)
	}
	s := newStepped(t, ownergraph.Config{CompareVersions: number}, "a", "b", "c")
	s.put("c#30; b#x; a#29")
	if n := s.e.Stats().Rewinds; n != 0 {
		t.Errorf("%d rewinds, nothing has gone backwards", n)
	}
	s.put("c#28")
	if n := s.e.Stats().Rewinds; n != 1 {
		t.Errorf("%d rewinds, c went from 30 to 28", n)
	}
	s.list("a", "b", "c")
	s.put("c/x#x; c/y#30; c/z#y")
	s.put("c/y#29")
	if n := s.e.Stats().Rewinds; n != 2 {
		t.Errorf("%d rewinds, y went from 30 to 29, beside what cannot be compared", n)
	}
}

// TestRestoredTwice: the store is restored, which shows in x that was seen gone and is
// back, and then once more, to before that: what the history between the two has shown
// of y is taken back, too.
func TestRestoredTwice(t *testing.T) {
	for _, again := range []struct {
		reason string
		events []graph.Event
	}{
		{"x went from 5 to 3", []graph.Event{begun("x"), {Type: graph.Put, Object: graph.Object{Key: keyOf(t, "x"), Version: "3"}}, ended("x")}},
		{"all of its kind did", []graph.Event{begun("x"), {Type: graph.ListEnded, Kind: "x", Version: "3"}}},
	} {
		s := newStepped(t, ownergraph.Config{CompareVersions: compareVersions}, "x", "y", "d")
		s.put("x#5; y#1; d#2 -> y")
		s.see(gone("x"))
		s.put("x#5")
		if n := s.e.Stats().Rewinds; n != 1 {
			t.Fatalf("%d rewinds after x is back, want 1", n)
		}
		s.see(gone("y"))
		s.list("y")
		s.see(begun("d"))
		s.put("d#2 -> y")
		s.see(ended("d"))
		s.see(again.events...)
		s.wants(ownergraph.CallUnset, again.reason+": y may be back")
	}
}
