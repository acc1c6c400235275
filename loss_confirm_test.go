package ownergraph_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
)

var bothLevels = []ownergraph.Level{ownergraph.Level1, ownergraph.Level2}

func vanished(k graph.Kind) graph.Event { return graph.Event{Type: graph.KindVanished, Kind: k} }

// TestReadAliveAfterAbsent: a read shows an object alive that an earlier one did not find.
// That is a rewind, as if the watch had seen the object go (R5).
func TestReadAliveAfterAbsent(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1}, "a", "d")
	s.put("a#1~[foregroundDeletion]; d/1#1 -> a!")
	s.done(s.wants(ownergraph.CallRead, "a may not wait any more"), graph.ErrNotFound) // a user has freed it
	s.done(s.wants(ownergraph.CallDelete, "a was read as gone"), graph.ErrConflict)    // the store was restored
	s.answer(s.wants(ownergraph.CallRead, "a conflict"), "d/1#9 -> a!")
	s.answer(s.wants(ownergraph.CallRead, "a may be back"), "a#10") // it is, and nobody deletes it
	s.put("d/2#11 -> a!")                                           // a user makes it, after the restore
	for range 9 {
		c := s.next(ownergraph.LaneStore)
		if c.Type == ownergraph.CallRead {
			s.answer(c, "a#10")
		} else if c.Type == ownergraph.CallDelete {
			t.Errorf("deletes %s at version %s: the newest read has shown that its owner lives (rewinds: %d)",
				c.Key, c.Options.Precondition.Version, s.e.Stats().Rewinds)
		}
	}
}

// TestLossOfUnservedKind: that a kind is not served was observed before the loss, too. Its
// owners that were seen gone may be back, until the store has said again which kinds there
// are (R5).
func TestLossOfUnservedKind(t *testing.T) {
	for _, level := range bothLevels {
		s := newStepped(t, ownergraph.Config{
			Level: level, CompareVersions: func(_ graph.Kind, a, b graph.Version) int { return number(a) - number(b) },
		}, "a", "b", "c")
		s.put("a#5; b#1 -> a; c#2 -> a; b/high#90; c/high#91")
		s.see(gone("a"), vanished("a"))
		s.serve("b", "c")
		lost := s.wants(ownergraph.CallDelete, "a is gone")
		s.next(ownergraph.LaneHandler)
		s.done(lost, errNoAnswer) // down, and restored to when kind a was served and a lived
		answers := func() (c ownergraph.Call) {
			for c = s.next(ownergraph.LaneStore); c.Type == ownergraph.CallRead; c = s.next(ownergraph.LaneStore) {
				if c.Key.Kind == "a" {
					s.done(c, graph.ErrKindUnknown)
				} else {
					s.answer(c, map[graph.Kind]string{"b": "b#1 -> a", "c": "c#2 -> a"}[c.Key.Kind])
				}
			}
			return c
		}
		if c := answers(); c.Type != ownergraph.CallUnset {
			t.Errorf("level %v: %s %s: nothing has shown a, its kind or the set of kinds since", level, c.Type, c.Key)
		}
		if level < ownergraph.Level2 {
			s.done(s.next(ownergraph.LaneControl), nil) // the listing of b
			s.now = s.now.Add(time.Minute)
			if c := s.next(ownergraph.LaneControl); c.Type != ownergraph.CallList || c.Kind != "" {
				t.Errorf("level %v: %s of kind %q, want the set of kinds", level, c.Type, c.Kind)
			}
			s.serve("b", "c")
			s.see(begun("c"))
			s.put("c#2 -> a; c/high#91")
			s.see(ended("c"))
		} else {
			s.pass(s.fence())
		}
		s.now = s.now.Add(time.Minute) // the read of a is due again
		if c := answers(); c.Type != ownergraph.CallDelete {
			t.Errorf("level %v: %s %s, want a delete: kind a is still not served", level, c.Type, c.Key)
		}
	}
}

// TestLossOfForgottenKind: what is remembered of owners whose kind has no node left goes
// back to before the loss, too.
func TestLossOfForgottenKind(t *testing.T) {
	for _, first := range []bool{true, false} {
		for _, level := range bothLevels {
			s := newStepped(t, ownergraph.Config{Level: level, OwnerName: graph.NameAbsent}, "a", "b")
			s.put("a#5; b/x#1 -> b/y")
			s.see(gone("a"))
			s.done(s.wants(ownergraph.CallRead, "b/y was never seen"), graph.ErrNotFound)
			c := s.wants(ownergraph.CallDelete, "b/y is absent")
			leave := func() { s.see(vanished("a")); s.serve("b") }
			if first {
				leave()
			}
			s.done(c, errNoAnswer) // the store is restored, with a
			if !first {
				leave()
			}
			if level >= ownergraph.Level2 {
				s.pass(s.fence())
			} else {
				s.see(begun("b"))
				s.put("b/x#1 -> b/y")
				s.see(ended("b"))
			}
			for c := s.next(ownergraph.LaneStore); c.Type == ownergraph.CallRead; c = s.next(ownergraph.LaneStore) {
				s.answer(c, "b/x#1 -> b/y")
			}
			s.serve("a", "b")
			s.put("b/z#9 -> a") // kinds are not ordered
			if c := s.next(ownergraph.LaneStore); c.Type == ownergraph.CallDelete {
				t.Errorf("left first %t, level %v: deletes %s: a was seen gone before the loss, and nothing has shown it since", first, level, c.Key)
			}
		}
	}
}

// TestBuriedRewindsOnce: an owner that was seen gone, and is read alive after a restore,
// is one rewind, also where its kind is not watched any more.
func TestBuriedRewindsOnce(t *testing.T) {
	for _, level := range bothLevels {
		s := newStepped(t, ownergraph.Config{Level: level}, "d", "u")
		s.put("u#1")
		s.see(gone("u"))
		s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "d"}, {Kind: "u", Unwatched: true}}})
		s.e.WatchEnded(s.now, "connection reset", true) // the store is restored: u is back
		list := func() {
			s.see(begun("d"))
			s.put("d#1 -> u")
			s.see(ended("d"))
		}
		list()
		s.see(graph.Event{Type: graph.KindRecovered, Kind: "d"})
		for range 600 {
			for _, lane := range []ownergraph.Lane{ownergraph.LaneControl, ownergraph.LaneStore} {
				for c := s.next(lane); c.Type != ownergraph.CallUnset && s.e.Stats().Rewinds < 1000; c = s.next(lane) {
					switch {
					case c.Type == ownergraph.CallRead && c.Key.Kind == "u":
						s.answer(c, "u#1")
					case c.Type == ownergraph.CallRead:
						s.answer(c, "d#1 -> u")
					case c.Type == ownergraph.CallList:
						s.done(c, nil)
						list()
					case c.Type == ownergraph.CallFence:
						s.done(c, nil)
						s.pass(c.Fence)
					}
				}
			}
			if st := s.e.Stats(); st.Rewinds > 2 {
				t.Errorf("level %v: %d rewinds and %d reads within %v after one restore", level, st.Rewinds, st.Calls[ownergraph.CallRead], s.now.Sub(time.Unix(0, 0)))
				break
			}
			s.now = s.now.Add(time.Second)
		}
	}
}

// TestBuriedPhantomReturns: the watch shows an object that references still name and that
// it saw go. That is a rewind, though the bounded memory has forgotten the object (R5).
func TestBuriedPhantomReturns(t *testing.T) {
	s := newStepped(t, probe.Tuned(ownergraph.Config{Level: ownergraph.Level1}, inside.Tuning{AbsentOwners: 1}), "a", "b", "x")
	s.put("a#5; x/1#1; x/2#1; b/2#1[x.io/y] -> x/2")
	s.see(gone("a"))
	s.put("b/1#1[x.io/y] -> a")
	s.wants(ownergraph.CallDelete, "a was seen gone") // b/1 stays for its finalizer, and with it the phantom a
	for _, n := range []string{"1", "2"} {
		s.see(graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "x", Name: n, UID: graph.UID("x/" + n)}})
	}
	s.put("a#5") // the store was restored
	if c := s.next(ownergraph.LaneStore); c.Type == ownergraph.CallDelete {
		t.Errorf("%d rewinds, and deletes %s: a was seen gone and is back", s.e.Stats().Rewinds, c.Key)
	}
}

// TestConfirmedKindsLeave: the last kind that is not confirmed may leave. Then all ends go
// on that have waited for it.
func TestConfirmedKindsLeave(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1, AuditEvery: 24 * time.Hour}, "a", "b")
	s.run(nil)
	const n = 300
	s.e.WatchEnded(s.now, "connection reset", true)
	s.see(begun("b"))
	for i := range n {
		s.put(fmt.Sprintf("b/o%d#9~[foregroundDeletion]", i))
	}
	s.see(ended("b"), graph.Event{Type: graph.KindRecovered, Kind: "b"})
	ends := 0
	turn := func() {
		for c := s.next(ownergraph.LaneStore); c.Type != ownergraph.CallUnset; c = s.next(ownergraph.LaneStore) {
			ends++
			s.done(c, nil)
			s.see(graph.Event{Type: graph.Gone, Key: c.Key})
		}
	}
	turn()
	s.see(vanished("a"))
	s.serve("b")
	for range 600 {
		s.now = s.now.Add(time.Minute)
		turn()
	}
	if ends < n {
		t.Errorf("%d of %d ended in ten hours, idle %t, %d held: all that is served is confirmed and well", ends, n, s.e.Idle(), len(s.e.Held(999)))
	}
}

// tenHours passes every fence, leaves reads to the function, and returns what was deleted.
// The deletes stay under way.
func (s stepped) tenHours(read func(ownergraph.Call)) (deletes map[string]bool) {
	s.Helper()
	deletes = map[string]bool{}
	for range 600 {
		for _, lane := range []ownergraph.Lane{ownergraph.LaneStore, ownergraph.LaneControl} {
			for c := s.next(lane); c.Type != ownergraph.CallUnset; c = s.next(lane) {
				switch c.Type {
				case ownergraph.CallFence:
					s.done(c, nil)
					s.pass(c.Fence)
				case ownergraph.CallRead:
					read(c)
				case ownergraph.CallDelete:
					deletes[string(c.Key.Kind)+"/"+c.Key.Name] = true
				default:
					s.done(c, nil)
				}
			}
		}
		s.now = s.now.Add(time.Minute)
	}
	return deletes
}

// TestFenceConfirmsUnreadable: where owners may not be read, the fence that confirms their
// kind has their dependents decided again.
func TestFenceConfirmsUnreadable(t *testing.T) {
	s := newStepped(t, ownergraph.Config{AuditEvery: 24 * time.Hour}, "a", "b")
	s.run(graph.ErrRefused)
	s.put("a#5; b/1#1 -> a; b/2#2 -> a; b/3#3 -> a")
	s.see(gone("a"))
	s.done(s.wants(ownergraph.CallDelete, "a is gone"), errNoAnswer)
	deletes := s.tenHours(func(c ownergraph.Call) {
		if c.Key.Kind == "b" {
			s.answer(c, fmt.Sprintf("b/%s#%s -> a", c.Key.Name, c.Key.Name))
		} else {
			s.done(c, graph.ErrRefused)
		}
	})
	if !deletes["b/2"] || !deletes["b/3"] {
		t.Errorf("deletes %v in ten hours, %d fences, held %v", deletes, s.e.Stats().Fences.Passed, s.e.Held(9))
	}
}

// TestUnsureAndUnreadable: where an object may not be read, a fence tells what became of a
// write without an answer.
func TestUnsureAndUnreadable(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
	s.run(graph.ErrRefused)
	s.put("a#5; b/1#1 -> a; c/2#2 -> a; c/3#3 -> a")
	s.see(gone("a"))
	s.done(s.wants(ownergraph.CallDelete, "a is gone"), errNoAnswer)
	deletes := s.tenHours(func(c ownergraph.Call) {
		if c.Key.Kind == "a" {
			s.done(c, graph.ErrNotFound)
		} else {
			s.done(c, graph.ErrRefused)
		}
	})
	if st := s.e.Stats(); !deletes["c/2"] || !deletes["c/3"] {
		t.Errorf("deletes %v in ten hours, %d fences, %d reads; held %v", deletes, st.Fences.Passed, st.Calls[ownergraph.CallRead], s.e.Held(9))
	}
}

// TestAnyAnswerServes: an object that is read for any answer of the store alone needs no
// read once the store has answered something else.
func TestAnyAnswerServes(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Handlers: map[string]finalizer.Handler{
		"x.io/y": func(context.Context, graph.Object) error { return nil },
	}}, "h")
	s.put("h#1~[x.io/y]")
	s.next(ownergraph.LaneStore) // decides
	s.e.WatchEnded(s.now, "connection reset", true)
	s.next(ownergraph.LaneHandler)
	s.done(s.wants(ownergraph.CallRead, "the store has to answer"), graph.ErrRefused)
	s.see(begun("h"))
	s.put("h#1~[x.io/y]")
	s.see(ended("h"), graph.Event{Type: graph.KindRecovered, Kind: "h"})
	s.pass(s.fence())
	s.now = s.now.Add(10 * time.Minute)
	s.wants(ownergraph.CallUnset, "the fence was an answer")
	if c := s.next(ownergraph.LaneHandler); c.Type != ownergraph.CallHandle {
		t.Errorf("%s, want the run of the handler", c.Type)
	}
}
