package ownergraph_test

import (
	"context"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// later lets time pass.
func (s *stepped) later(d time.Duration) { s.now = s.now.Add(d) }

// unfinished fails unless the oldest unfinished object is that one, for that long. Without a
// key none may be unfinished.
func (s stepped) unfinished(key graph.Kind, age time.Duration, reason string) {
	s.Helper()
	got := s.e.Stats().Unfinished
	if got.Oldest.Kind != key || key != "" && s.now.Sub(got.Since) != age || key == "" && (got.Objects > 0 || !got.Since.IsZero()) {
		s.Errorf("%s: %+v, for %v; want %q for %v", reason, got, s.now.Sub(got.Since), key, age)
	}
	if err := probe.Check(s.e); err != nil {
		s.Errorf("%s: %v", reason, err)
	}
}

// orphaned returns an engine whose object b has lost its only owner in this minute. Its delete
// is not handed out yet.
func orphaned(t *testing.T, cfg ownergraph.Config) *stepped {
	t.Helper()
	s := newStepped(t, cfg, "a", "b", "c")
	s.put("a#1; b#1 -> a")
	s.run(nil)
	s.unfinished("", 0, "both are kept")
	s.see(gone("a"))
	return &s
}

// TestUnfinished: each state in which the engine has something to do for an object counts from
// the first of them on.
func TestUnfinished(t *testing.T) {
	const minute = time.Minute
	for _, c := range []struct {
		reason string
		do     func(s *stepped)
		want   graph.Kind
		age    time.Duration
	}{
		{"its owner has to fan out", func(s *stepped) { s.later(minute) }, "a", minute},
		{"its delete is in flight", func(s *stepped) {
			s.wants(engine.CallDelete, "its owner is gone")
			s.later(time.Hour)
		}, "b", time.Hour},
		{"its delete failed, and is put off", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), errNoAnswer)
			s.later(1)
		}, "b", 1},
		{"it is read again after a failure", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), errNoAnswer)
			s.later(minute)
			s.wants(engine.CallRead, "nothing answered")
			s.later(minute)
		}, "b", 2 * minute},
		{"the store has deleted it, and the watch does not show it", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), nil)
			s.later(time.Second)
		}, "b", time.Second},
		{"the watch stands still for hours, and reads find nothing", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), nil)
			for range 3 {
				s.later(time.Hour)
				s.run(graph.ErrNotFound)
			}
		}, "b", 3 * time.Hour},
		{"the store has marked it, and its removal is awaited", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), nil)
			s.later(minute)
			s.put("b#2~ -> a")
			s.run(nil)
			s.later(1)
		}, "", 0}, // it is held with the reason
		{"it waits for the read of its owner", func(s *stepped) {
			s.see(gone("b"))
			s.put("c#1 -> a/never")
			s.wants(engine.CallRead, "its owner was never seen")
			s.later(minute)
		}, "c", minute},
		{"it waits for a fence", func(s *stepped) {
			s.see(gone("b"))
			s.put("c#1~[orphan]")
			s.begin("of the mark")
			s.later(minute)
		}, "c", minute},
		{"it is gone", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), nil)
			s.see(gone("b"))
			s.run(nil)
		}, "", 0},
		{"it is gone while its delete is in flight", func(s *stepped) {
			s.wants(engine.CallDelete, "its owner is gone")
			s.see(gone("b"))
			s.run(nil)
		}, "", 0},
		{"it is gone, and another one has its place", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), nil)
			s.later(time.Hour)
			s.see(gone("b"))
			s.put("b@new#7 -> a")
			s.run(nil)
			s.later(minute)
		}, "b", minute},
		{"its owner is back in another version of it", func(s *stepped) {
			s.wants(engine.CallDelete, "its owner is gone")
			s.put("b#2")
			s.run(nil)
		}, "b", 0}, // until its call is over
		{"a finalizer holds it", func(s *stepped) {
			s.put("b#2~[x.io/h] -> a")
			s.run(nil)
			s.later(time.Hour)
		}, "", 0},
		{"its dependents hold it", func(s *stepped) {
			s.see(gone("b"))
			s.put("a/2#2~[foreground]; c#1~[x.io/h] -> a/2!")
			s.run(nil)
			s.later(time.Hour)
		}, "", 0},
		{"the store refuses its delete", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), graph.ErrRefused)
			s.later(time.Second)
		}, "", 0},
		{"the store has put its delete off", func(s *stepped) {
			s.done(s.wants(engine.CallDelete, "its owner is gone"), busyFor(minute))
			s.later(time.Second)
		}, "", 0},
		{"its kind is sick, and its delete fails", func(s *stepped) {
			call := s.wants(engine.CallDelete, "its owner is gone")
			s.see(graph.Event{Type: graph.KindSick, Kind: "b", Reason: "down"})
			s.done(call, errNoAnswer)
			s.later(time.Hour)
		}, "", 0},
		{"the engine is paused", func(s *stepped) {
			if _, err := s.e.Pause(s.now, engine.Extent{All: true}); err != nil {
				s.Fatal(err)
			}
			s.run(nil)
			s.later(time.Hour)
		}, "", 0},
		{"the engine was paused for an hour", func(s *stepped) {
			if _, err := s.e.Pause(s.now, engine.Extent{All: true}); err != nil {
				s.Fatal(err)
			}
			s.run(nil)
			s.later(time.Hour)
			if err := s.e.Resume(s.now, engine.Extent{All: true}); err != nil {
				s.Fatal(err)
			}
			s.run(nil)
			s.later(minute)
		}, "b", minute},
	} {
		t.Run(c.reason, func(t *testing.T) {
			s := orphaned(t, ownergraph.Config{})
			c.do(s)
			s.unfinished(c.want, c.age, c.reason)
		})
	}
}

// TestUnfinishedRepeats: a delete that fails for ever counts from its beginning, at each try. In
// between it is held once it has failed several times. A try does not end its time.
func TestUnfinishedRepeats(t *testing.T) {
	s := orphaned(t, ownergraph.Config{})
	began, tries, held := s.now, 0, 0
	for range 200 {
		switch c := s.next(engine.LaneStore); {
		case c.Type == engine.CallRead && c.Key.Kind == "b":
			s.answer(c, "b#1 -> a")
		case c.Type == engine.CallRead:
			s.done(c, graph.ErrNotFound)
		case c.Type == engine.CallDelete:
			tries++
			s.unfinished("b", s.now.Sub(began), "a try is under way")
			s.done(c, errNoAnswer)
		case len(s.e.Held(9)) > 0:
			held++
			s.unfinished("", 0, "it is held until the next try")
			s.later(time.Minute)
		default:
			s.unfinished("b", s.now.Sub(began), "it is put off")
			s.later(time.Minute)
		}
	}
	if tries < 9 || held < 9 || s.now.Sub(began) < time.Hour {
		t.Errorf("%d tries and %d held objects in %v show nothing", tries, held, s.now.Sub(began))
	}
}

// TestUnfinishedQueue: objects that wait for their first decision count from the last one that
// was taken. So a queue that nothing takes from shows, and a long one that moves does not.
func TestUnfinishedQueue(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.later(time.Hour)
	s.put("b/1#1 -> a; b/2#1 -> a")
	s.later(time.Minute)
	s.put("b/3#1 -> a")
	s.later(time.Minute)
	s.unfinished("b", 2*time.Minute, "no lane was asked")
	s.run(errBusy)
	s.unfinished("b", 0, "all have their first decision, and the read of their owner is put off")
	s.later(time.Minute)
	s.run(graph.ErrNotFound)
	s.unfinished("b", time.Minute, "their deletes are in flight")
	if n := s.e.Stats().Unfinished.Objects; n != 3 {
		t.Errorf("%d objects, want 3", n)
	}
}

// TestUnfinishedRestart: an engine knows an unfinished object since it began with it itself.
func TestUnfinishedRestart(t *testing.T) {
	s := orphaned(t, ownergraph.Config{})
	s.wants(engine.CallDelete, "its owner is gone")
	s.later(time.Hour)
	s.unfinished("b", time.Hour, "before the restart")
	c := probe.Clone(s.e)
	if got := c.Stats().Unfinished; got != s.e.Stats().Unfinished {
		t.Errorf("%+v in a copy, want %+v", got, s.e.Stats().Unfinished)
	}
	n := newStepped(t, ownergraph.Config{}, "a", "b")
	n.later(2 * time.Hour)
	n.put("b#1 -> a")
	n.run(graph.ErrNotFound)
	n.later(time.Minute)
	n.unfinished("b", time.Minute, "after it")
}

// TestUnfinishedHandler: an object counts while its handler runs, and not while it waits for a
// handler that is busy with others.
func TestUnfinishedHandler(t *testing.T) {
	handler := func(context.Context, graph.Object) error { return nil }
	s := newStepped(t, ownergraph.Config{HandlerWorkers: 1, Handlers: map[string]finalizer.Handler{"x.io/h": handler}}, "a", "b")
	s.put("a#2~[x.io/h]; b#2~[x.io/h]")
	s.run(nil)
	s.later(time.Hour)
	s.unfinished("", 0, "no run has begun")
	c := s.next(engine.LaneHandler)
	s.later(time.Minute)
	s.unfinished(c.Key.Kind, time.Minute, "a run is under way")
	s.done(c, ownergraph.ErrNotBegun)
	s.unfinished("", 0, "no worker has begun it")
	c = s.next(engine.LaneHandler)
	s.later(time.Minute)
	s.done(c, nil)
	s.run(nil)
	s.unfinished(c.Key.Kind, time.Minute, "the finalizer of the handler goes")
}
