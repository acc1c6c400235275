package ownergraph_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

// lasts lets an engine work for a time, each call answered by answer, and returns how
// many requests it made, and how often it had to be asked.
func (s *stepped) lasts(span time.Duration, answer func(ownergraph.Call) error, live map[graph.Key]graph.Object) (requests, turns int) {
	s.Helper()
	for end := s.now.Add(span); s.now.Before(end); turns++ {
		if turns > 100_000 {
			s.Fatalf("asked %d times, %v before the end", turns, end.Sub(s.now))
		}
		next := end
		for _, lane := range []ownergraph.Lane{ownergraph.LaneControl, ownergraph.LaneStore} {
			c, at := s.e.Next(s.now, lane)
			if c.Type != ownergraph.CallUnset {
				requests++
				r := ownergraph.Result{Err: answer(c)}
				if r.Object = live[c.Key]; c.Type == ownergraph.CallRead && r.Err == nil && r.Object.UID == "" {
					r.Err = ownergraph.ErrNotFound
				}
				if err := s.e.Done(s.now, c.ID, r); err != nil {
					s.Fatal(err)
				}
				at = s.now
			}
			if !at.IsZero() && at.Before(next) {
				next = at
			}
		}
		s.now = next
	}
	return requests, turns
}

// TestShortestWaits: no setting makes an engine poll. A write whose event does not come,
// and one that is refused, are asked after at most a hundred times in a second, though
// the waits are a nanosecond long.
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
		requests, turns := s.lasts(seconds*time.Second, func(c ownergraph.Call) error {
			if c.Type == ownergraph.CallDelete || c.Type == ownergraph.CallPatch {
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

// TestConflictWithoutEnd: a store that answers each write with a conflict, and each read
// with the version that was judged, is asked more and more rarely, and the object is held.
func TestConflictWithoutEnd(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("b/gone#1; a/1#1 -> b/gone")
	s.see(graph.Event{Type: graph.Gone, Key: key(t, "b/gone")})
	o, err := graph.ParseObject("a/1#1 -> b/gone")
	if err != nil {
		t.Fatal(err)
	}
	answer := func(c ownergraph.Call) error {
		if c.Type == ownergraph.CallDelete {
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
