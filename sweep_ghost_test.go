package ownergraph_test

import (
	"testing"

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
	if n := s.e.Stats().Sweeping; n != 1 {
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
