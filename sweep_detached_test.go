package ownergraph_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestSweepGhostUnserved: while the kind of the holders is not served, nobody can
// tell whether a holder that went unguarded has a namesake by now: what looks like
// its own stays.
func TestSweepGhostUnserved(t *testing.T) {
	sweep := tenancy()
	sweep.Unguarded = true
	s := newStepped(t, sweeping(sweep), "tenant", "volume")
	s.put("tenant/1#1")
	c := s.wants(ownergraph.CallPatch, "it is guarded")
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "tenant/1")})
	s.done(c, graph.ErrNotFound)
	if n := s.e.Stats().Sweeps.Running; n != 1 {
		t.Fatalf("%d sweeps, want that of the tenant that is gone", n)
	}
	s.see(graph.Event{Type: graph.KindVanished, Kind: "tenant"},
		graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "volume"}}})
	s.put("volume/1-a#1")
	if got := s.run(nil); len(got) > 0 {
		t.Errorf("%v: it may be a namesake's, whose kind is not served", got)
	}
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "tenant"}, {Kind: "volume"}}})
	s.list("tenant")
	if got := s.run(nil); len(got) != 1 || got[0] != "delete volume/1-a" {
		t.Errorf("%v: there is no namesake, and the volume goes", got)
	}
}

// TestSweepUnguardedUnseen: a holder that went while the watch had a gap may have
// been guarded and set free, or be of a history that is no more: it is reported, and
// what belongs to it stays.
func TestSweepUnguardedUnseen(t *testing.T) {
	key := keyOf(t, "tenant/1")
	put := func(k graph.Key, v ownergraph.Version) graph.Event {
		return graph.Event{Type: graph.Put, Object: graph.Object{Key: k, Version: v}}
	}
	gone := graph.Event{Type: graph.Gone, Key: key}
	list := []graph.Event{begun("tenant"), ended("tenant")}
	known := func(kinds ...graph.Kind) (e graph.Event) {
		e.Type = graph.KindsKnown
		for _, k := range kinds {
			e.Kinds = append(e.Kinds, graph.KindInfo{Kind: k})
		}
		return e
	}
	for _, tc := range []struct {
		name    string
		history []graph.Event
		deletes int
		reason  string
	}{
		{"told", []graph.Event{gone}, 1, "no version of it carried the finalizer"},
		{"told after a listing", []graph.Event{begun("tenant"), put(key, "1"), ended("tenant"), gone}, 1, "the listing has brought it as it was"},
		{"listed away", list, 0, "the finalizer was set, and somebody may have taken it off"},
		{"gone in a listing", []graph.Event{begun("tenant"), gone, ended("tenant")}, 0, "what was before the listing nobody has told"},
		{"behind a version that nobody understood", []graph.Event{put(key, ""), gone, list[0], list[1]}, 0, "that one may have carried the finalizer"},
		{"of a history that is no more", []graph.Event{{Type: graph.Rewound}, begun("volume"), put(keyOf(t, "volume/1-a"), "1"), ended("volume"),
			known("volume"), known("tenant", "volume"), list[0], list[1]}, 0, "in this one it may never have been there"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sweep := tenancy()
			sweep.Unguarded = true
			s := newStepped(t, sweeping(sweep), "tenant", "volume")
			s.put("tenant/1#1; volume/1-a#1")
			s.done(s.wants(ownergraph.CallPatch, "it is guarded"), nil)
			var got []string
			for _, ev := range tc.history {
				_ = s.e.Observe(s.now, ev) // one of them is refused
				got = append(got, s.run(nil)...)
			}
			s.now = s.now.Add(time.Minute) // a fence that was held is given up
			got = append(got, s.run(nil)...)
			if len(got) != tc.deletes {
				t.Errorf("%v, want %d deletions: %s", got, tc.deletes, tc.reason)
			}
			if n := s.e.Stats().Sweeps.Unguarded; n != 1 {
				t.Errorf("%d holders are reported, want 1", n)
			}
		})
	}
}
