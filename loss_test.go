package ownergraph_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

var errNoAnswer = errors.New("connection reset")

// cascading returns an engine that has handed out the delete of one of the three
// dependents of a, which is gone.
func cascading(t *testing.T, cfg ownergraph.Config) (stepped, ownergraph.Call) {
	s := newStepped(t, cfg, "a", "b")
	s.put("a#5; b/1#1 -> a; b/2#2 -> a; b/3#3 -> a")
	s.see(gone("a"))
	return s, s.wants(ownergraph.CallDelete, "its owner is gone")
}

// relist lists what cascading has put.
func relist(s stepped) {
	s.Helper()
	s.list("a")
	s.see(begun("b"))
	s.put("b/1#1 -> a; b/2#2 -> a; b/3#3 -> a")
	s.see(ended("b"))
}

// TestLossStopsWrites: after a write without an answer nothing is written on the
// strength of what was observed before, until the store says that it is still so (R5).
func TestLossStopsWrites(t *testing.T) {
	s, lost := cascading(t, ownergraph.Config{Level: ownergraph.Level1})
	s.done(lost, errNoAnswer)
	s.done(s.wants(ownergraph.CallRead, "a may be back"), errNoAnswer)
	s.now = s.now.Add(time.Minute)
	if w := s.run(graph.ErrNotFound); len(w) != 2 {
		t.Errorf("%v, want the two other deletes: a is still gone, and b/1 has to be seen to go", w)
	}
	if n := s.e.Stats().Losses; n != 1 {
		t.Errorf("%d losses, want 1", n)
	}
}

// TestLossBeforeRestore: a write without an answer is the first sign of a restore. The
// owner is read alive, which is a rewind, before the watch has shown it.
func TestLossBeforeRestore(t *testing.T) {
	s, lost := cascading(t, ownergraph.Config{Level: ownergraph.Level1})
	s.done(lost, errNoAnswer)
	s.answer(s.wants(ownergraph.CallRead, "a may be back"), "a#5")
	if n := s.e.Stats().Rewinds; n != 1 {
		t.Errorf("%d rewinds, want 1: a was seen gone, and is read alive", n)
	}
	s.now = s.now.Add(time.Minute)
	if w := s.run(errBusy); len(w) > 0 {
		t.Errorf("%v, and a lives", w)
	}
}

// TestLossAndVersions: where versions compare, a read that shows an object older than
// the watch did is a rewind (R5).
func TestLossAndVersions(t *testing.T) {
	s := newStepped(t, ownergraph.Config{
		Level:           ownergraph.Level1,
		CompareVersions: func(_ graph.Kind, a, b graph.Version) int { return number(a) - number(b) },
	}, "a", "b")
	s.put("a#5~[foregroundDeletion]; b#7 -> a!")
	s.answer(s.wants(ownergraph.CallRead, "a may not wait any more"), "a#3")
	if n := s.e.Stats().Rewinds; n != 1 {
		t.Errorf("%d rewinds, want 1: a was observed at version 5", n)
	}
}

// TestLossIsConfirmed: what began after the loss shows that history is the same. Then
// the owner need not be read.
func TestLossIsConfirmed(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    ownergraph.Config
		steps  func(s stepped)
		reason string
	}{
		{"fence", ownergraph.Config{}, func(s stepped) { s.pass(s.fence()) }, "the watch has passed an instant after the loss"},
		{"listing", ownergraph.Config{Level: ownergraph.Level1}, func(s stepped) { relist(s) }, "a listing that began after it does not bring a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, lost := cascading(t, c.cfg)
			s.done(lost, errNoAnswer)
			c.steps(s)
			if w := s.run(errBusy); len(w) != 2 {
				t.Errorf("%v, want two deletes and no answer to a read: %s", w, c.reason)
			}
		})
	}
}

// TestLossOfKindThatReturns: that every kind which is served is confirmed says nothing of
// one that is not. When it is served again, its owners may be back (simulator, seed 8472).
func TestLossOfKindThatReturns(t *testing.T) {
	for _, level := range []ownergraph.Level{ownergraph.Level1, ownergraph.Level2} {
		s, lost := cascading(t, ownergraph.Config{Level: level})
		s.done(lost, errNoAnswer)
		s.see(graph.Event{Type: graph.KindVanished, Kind: "a"})
		s.serve("b")
		if level >= ownergraph.Level2 {
			s.pass(s.fence())
		} else {
			s.list("b")
		}
		s.serve("a", "b")
		s.put("b/2#4 -> a; b/3#4 -> a")
		s.wants(ownergraph.CallRead, "a was seen gone before the loss, and nothing has shown it since")
	}
}

// TestLossEndsWithoutKind: an end that needs no fence does not wait for a kind that is
// not served.
func TestLossEndsWithoutKind(t *testing.T) {
	s, lost := cascading(t, ownergraph.Config{Level: ownergraph.Level1})
	s.done(lost, errNoAnswer)
	s.see(graph.Event{Type: graph.KindVanished, Kind: "a"})
	s.serve("b")
	s.list("b")
	s.put("b/o#9~[orphan]")
	s.wants(ownergraph.CallPatch, "b/o orphans, and all that is served is confirmed")
}

// TestLossAndRefusedReads: where owners may not be read, a listing tells whether they
// are back.
func TestLossAndRefusedReads(t *testing.T) {
	s, lost := cascading(t, ownergraph.Config{Level: ownergraph.Level1})
	s.done(lost, errNoAnswer)
	s.done(s.wants(ownergraph.CallRead, "a may be back"), graph.ErrRefused)
	c := s.next(ownergraph.LaneControl)
	if c.Type != ownergraph.CallList || c.Kind != "a" {
		t.Fatalf("%s %s, want a listing of a", c.Type, c.Kind)
	}
	relist(s)
	if w := s.run(errBusy); len(w) != 2 {
		t.Errorf("%v, want the two other deletes: the listing has not brought a", w)
	}
}

// TestConflictAfterRestore: the first sign of a restore may be a conflict. What is
// written for the version that its read shows takes newer evidence of the owner (R1).
func TestConflictAfterRestore(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1}, "a", "b")
	s.put("a#5; b#1 -> a")
	s.see(gone("a"))
	s.done(s.wants(ownergraph.CallDelete, "its owner is gone"), graph.ErrConflict)
	s.answer(s.wants(ownergraph.CallRead, "b has another version"), "b#9 -> a")
	s.answer(s.wants(ownergraph.CallRead, "a may be back"), "a#10")
	if n := s.e.Stats().Rewinds; n != 1 {
		t.Errorf("%d rewinds, want 1: a was seen gone, and is read alive", n)
	}
	s.wants(ownergraph.CallUnset, "every kind has to be listed anew")
}

// TestLossVoidsFences: a fence that passed before the loss ends no deletion: what it
// covered may be of a history that is no more (R3, R5).
func TestLossVoidsFences(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "o")
	s.put("a#1; o#1~[orphan]")
	first := s.fence()
	s.put("a#2 -> a/gone") // the read of its owner is under way
	s.pass(first)
	s.next(ownergraph.LaneHandler) // decides, and takes no store call
	s.e.WatchEnded(s.now, "connection reset", true)
	s.list("a")
	s.see(begun("o"))
	s.put("o#1~[orphan]")
	s.see(ended("o"))
	for c := s.next(ownergraph.LaneStore); c.Type != ownergraph.CallUnset; c = s.next(ownergraph.LaneStore) {
		if c.Type != ownergraph.CallRead {
			t.Errorf("%s %s: no fence has begun since", c.Type, c.Key)
		}
		s.done(c, errBusy)
	}
	s.pass(s.fence())
	s.wants(ownergraph.CallPatch, "the end of o, behind another fence")
}

// TestWatchBrokeIsALoss: a watch that breaks may be the first sign of a restore. One
// that is ended in order is none (R5).
func TestWatchBrokeIsALoss(t *testing.T) {
	for _, c := range []struct {
		broke  bool
		want   ownergraph.CallType
		reason string
	}{
		{true, ownergraph.CallRead, "the connection is lost, and history may be another"},
		{false, ownergraph.CallDelete, "the store has ended it in order"},
	} {
		s, _ := cascading(t, ownergraph.Config{Level: ownergraph.Level1})
		s.e.WatchEnded(s.now, "ended", c.broke)
		s.wants(c.want, c.reason)
	}
}

// TestLossOfAHandlersObject: no handler runs before the store has answered, and then
// it does.
func TestLossOfAHandlersObject(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1, Handlers: map[string]finalizer.Handler{
		"x.io/y": func(context.Context, graph.Object) error { return nil },
	}}, "h")
	s.put("h#1~[x.io/y]")
	s.next(ownergraph.LaneStore) // decides
	s.e.WatchEnded(s.now, "connection reset", true)
	if c := s.next(ownergraph.LaneHandler); c.Type != ownergraph.CallUnset {
		t.Errorf("%s of %s: it may live again", c.Type, c.Key)
	}
	s.answer(s.wants(ownergraph.CallRead, "the store has to answer"), "h#1~[x.io/y]")
	if c := s.next(ownergraph.LaneHandler); c.Type != ownergraph.CallHandle {
		t.Errorf("%s, want the run of the handler", c.Type)
	}
}
