package ownergraph_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

// TestShortestWaits: no setting makes an engine poll. After a refused write, or a write
// without its event, the engine asks at most a hundred times a second. The waits are set
// to a nanosecond.
func TestShortestWaits(t *testing.T) {
	for _, tc := range []struct {
		write  error
		event  string // what a read finds then
		reason string
	}{
		{nil, "a/1#1 -> b/gone", "a write that was done has no event, and a read shows the former version"},
		{nil, "a/1#2", "the read shows another version, which the watch does not bring"},
		{ownergraph.ErrRefused, "a/1#1 -> b/gone", "the write is refused"},
	} {
		s := newStepped(t, probe.Tuned(ownergraph.Config{}, inside.Tuning{AwaitTimeout: 1, RefusedRetry: 1}), "a", "b")
		s.put("a/1#1 -> b/gone")
		o, err := graph.ParseObject(tc.event)
		if err != nil {
			t.Fatal(err)
		}
		const seconds = 10
		requests, turns := s.lasts(seconds*time.Second, func(c engine.Call) error {
			if c.Type == engine.CallDelete || c.Type == engine.CallPatch {
				return tc.write
			}
			return nil
		}, map[graph.Key]graph.Object{o.Key: o})
		if most := seconds*200 + 10; requests > most || turns > 2*most {
			t.Errorf("%d requests, %d turns, want at most %d: %s", requests, turns, most, tc.reason)
		}
		if requests < 2 {
			t.Errorf("%d requests: %s", requests, tc.reason)
		}
	}
}

// TestConflictWithoutEnd: a store answers each write with a conflict, and each read with
// the judged version. The engine asks it more and more rarely, and holds the object.
func TestConflictWithoutEnd(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("b/gone#1; a/1#1 -> b/gone")
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "b/gone")})
	o, err := graph.ParseObject("a/1#1 -> b/gone")
	if err != nil {
		t.Fatal(err)
	}
	answer := func(c engine.Call) error {
		if c.Type == engine.CallDelete {
			return ownergraph.ErrConflict
		}
		return nil
	}
	live := map[graph.Key]graph.Object{o.Key: o}
	first, _ := s.lasts(time.Hour, answer, live)
	if first > 96 {
		t.Errorf("%d requests in the first hour", first)
	}
	if later, _ := s.lasts(time.Hour, answer, live); later > 2*24 || later == 0 { // two for each attempt
		t.Errorf("%d requests in the second hour, want an attempt in each five minutes, or half of that", later)
	}
	held := s.e.Held(9)
	if len(held) != 1 || held[0].Reason != policy.Disturbed {
		t.Errorf("held: %v, want %v", held, policy.Disturbed)
	}
}

// TestHealthyObjectsAreLeftAlone: the engine decides no object again without a cause (L2).
// Kubernetes 141382 did so for 48 days.
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

// twice returns a set of kinds that has one kind twice. Every engine refuses it.
func twice() graph.Event {
	return graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "b", Scoped: true}}}
}

// TestKindsLostAreAskedFor: after a refused set of kinds, the engine asks for another set,
// more and more rarely. It stops after a good set. In between it asks for the listings of
// other kinds.
func TestKindsLostAreAskedFor(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	if err := s.e.Observe(s.now, twice()); err == nil {
		t.Fatal("a kind that is described twice was taken")
	}
	_ = s.e.Observe(s.now, graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "b", Name: "x", UID: "x"}}}) // without a version
	asked := map[graph.Kind]int{}
	count := func(c engine.Call) error {
		asked[c.Kind]++
		return nil
	}
	s.lasts(time.Hour, count, nil)
	if asked[""] < 6 || asked["b"] < 6 || asked[""]+asked["b"] > 24 {
		t.Errorf("asked %v times in an hour, for the set of kinds and for one that is to be listed", asked)
	}
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}})
	s.list("b")
	clear(asked)
	if s.lasts(time.Hour, count, nil); len(asked) > 0 {
		t.Errorf("asked %v times though the set is known", asked)
	}
}
