package ownergraph_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestForgedUID: a reference may name a UID that the store makes later. A read that
// found nothing then says nothing of the object, nor of its dependents (R2, absence).
// In each history f is the reference of an attacker, a the owner that comes later,
// and d its dependent.
func TestForgedUID(t *testing.T) {
	for _, c := range []struct {
		name   string
		steps  func(s stepped)
		reason string
	}{
		{"late answer", func(s stepped) {
			s.put("f#1 -> a")
			read := s.wants(ownergraph.CallRead, "a was never observed")
			s.put("a#1; d#1 -> a")
			s.done(read, graph.ErrNotFound)
			s.wants(ownergraph.CallUnset, "the watch has shown a before the answer came")
		}, "the answer is older than the object"},
		{"answer first", func(s stepped) {
			s.put("f#1[x.io/held] -> a")
			s.done(s.wants(ownergraph.CallRead, "a was never observed"), graph.ErrNotFound)
			s.put("a#1; d#1 -> a")
			s.wants(ownergraph.CallUnset, "the watch has shown a since")
		}, "the watch takes the absence back"},
		{"dependent first", func(s stepped) {
			s.put("f#1[x.io/held] -> a")
			s.done(s.wants(ownergraph.CallRead, "a was never observed"), graph.ErrNotFound)
			s.done(s.wants(ownergraph.CallDelete, "f is garbage"), nil)
			s.put("d#1 -> a")
			s.wants(ownergraph.CallRead, "the read was begun before d was known")
		}, "kinds are not ordered: the dependent may come before its owner"},
		{"decided already", func(s stepped) {
			s.put("f#1 -> a; d#1 -> a")
			s.done(s.wants(ownergraph.CallRead, "a was never observed"), graph.ErrNotFound)
			s.next(ownergraph.LaneHandler) // decides, and takes no store call
			s.put("a#1")
			s.wants(ownergraph.CallUnset, "no delete has been handed out")
		}, "calls that are prepared rest on what is void"},
		{"phantom gone", func(s stepped) {
			s.put("f#1 -> a")
			s.done(s.wants(ownergraph.CallRead, "a was never observed"), graph.ErrNotFound)
			s.done(s.wants(ownergraph.CallDelete, "f is garbage"), nil)
			s.see(gone("f"))
			s.put("d#1 -> a")
			s.wants(ownergraph.CallRead, "nobody remembers that a was absent")
		}, "after a restart of the watch dependents may be listed before owners"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.steps(newStepped(t, ownergraph.Config{Level: ownergraph.Level1}, "a", "d", "f"))
		})
	}
}

// TestReadIsOvertaken: a read that finds nothing proves nothing where the watch has
// shown the object since it was handed out, in whatever version (R2, absence). The
// simulator found it at seed 53550.
func TestReadIsOvertaken(t *testing.T) {
	for _, overtaken := range []bool{true, false} {
		s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1}, "a", "d", "o")
		s.put("o#1; a#1 -> o; d#1 -> a")
		s.see(gone("o"))
		s.done(s.wants(ownergraph.CallDelete, "o is gone"), nil)
		s.now = s.now.Add(time.Minute)
		again := s.wants(ownergraph.CallRead, "the watch does not show the end of a")
		want, reason := ownergraph.CallDelete, "a is gone"
		if overtaken {
			s.see(begun("a"))
			s.put("a#1 -> o")
			want, reason = ownergraph.CallUnset, "the watch goes first"
		}
		s.done(again, graph.ErrNotFound)
		s.wants(want, reason)
	}
}

// TestWriteIsOvertaken: a write that does not find its object proves no more than a read.
func TestWriteIsOvertaken(t *testing.T) {
	for _, v := range []string{"1", "2"} {
		for _, level := range bothLevels {
			s := newStepped(t, ownergraph.Config{Level: level}, "a", "d", "o")
			s.put("o#1; a#1 -> o; d#1 -> a")
			s.see(gone("o"))
			del := s.wants(ownergraph.CallDelete, "o is gone")
			s.see(begun("a"))
			s.put("a#" + v + " -> o")
			s.see(ended("a"))
			s.done(del, graph.ErrNotFound)
			for c := s.next(ownergraph.LaneStore); c.Type == ownergraph.CallDelete; c = s.next(ownergraph.LaneStore) {
				if c.Key.Kind == "d" {
					t.Errorf("level %v, version %s: deletes d, and the watch has shown a since the write was handed out", level, v)
				}
			}
		}
	}
}

// TestBuriedEndsWithHistory: that the watch saw an owner go is of the history before a
// rewind. What a read finds after it serves no later dependent (R2, absence).
func TestBuriedEndsWithHistory(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1}, "a", "d", "f")
	s.put("a#1")
	s.see(gone("a"))
	s.put("f#1[x.io/held] -> a")
	s.done(s.wants(ownergraph.CallDelete, "a was seen gone"), nil)
	s.see(rewound()) // to before a was made
	s.list("a", "d")
	s.see(begun("f"))
	s.put("f#1[x.io/held] -> a")
	s.see(ended("f"))
	s.done(s.wants(ownergraph.CallRead, "a may be back"), graph.ErrNotFound)
	s.put("d#1 -> a") // the store has made a again, and d, which the watch shows first
	for c := s.next(ownergraph.LaneStore); c.Type != ownergraph.CallUnset; c = s.next(ownergraph.LaneStore) {
		if c.Type == ownergraph.CallDelete && c.Key.Kind == "d" {
			t.Errorf("deletes d: the read was begun before d was known")
		}
		if c.Type == ownergraph.CallRead {
			break
		}
	}
}
