package ownergraph_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// An object that the fast path has kept is decided again when its evidence ends, although
// the object itself does not change.
func TestFastKeepEnds(t *testing.T) {
	for _, c := range []struct {
		reason string
		event  graph.Event
		doubt  graph.Doubt
	}{
		{"the owner's kind is not served any more", graph.Event{Type: graph.KindVanished, Kind: "a"}, graph.UnservedKind},
		{"another object has the owner's UID", graph.Event{Type: graph.Put, Object: graph.Object{
			Key: graph.Key{Kind: "b", Name: "x", UID: "u"}, Version: "3"}}, graph.SharedUID},
	} {
		s := newStepped(t, ownergraph.Config{}, "a", "b", "d")
		s.put("a/x@u#1; d#2 -> a/x@u")
		s.run(nil)
		s.see(c.event)
		s.run(nil)
		if h := s.e.Held(9); !slices.ContainsFunc(h, func(x ownergraph.Held) bool { return x.Key.Kind == "d" && x.Doubt == c.doubt }) {
			t.Errorf("held %v, want d: %s", h, c.reason)
		}
	}
}

// A read that showed an owner does not serve a later version of the dependent (R6). So the
// fast path keeps no dependent of an owner that the watch has not shown.
func TestFastKeepWantsWatch(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.see(graph.Event{Type: graph.KindSick, Kind: "a", Reason: "down"})
	s.put("b#2 -> a")
	s.answer(s.wants(ownergraph.CallRead, "a"), "a#1")
	s.run(nil)
	s.now = s.now.Add(time.Minute)
	s.put("b#3 -> a") // and a may be gone by now
	s.wants(ownergraph.CallRead, "a")
}

// An island is found by each audit, not by every other one.
func TestIslandsStay(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1 -> b; b#2 -> a")
	s.run(nil)
	for range 4 {
		s.now = s.now.Add(11 * time.Minute)
		s.run(nil)
		if h := s.e.Held(9); len(h) != 2 {
			t.Errorf("held %v after %d audits, want both", h, s.e.Stats().Audits)
		}
	}
}
