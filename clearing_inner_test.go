package ownergraph

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// TestProvenUnserved: of a holder whose kind is not served nothing is proven, though
// every kind that takes part has passed the fence (R8).
func TestProvenUnserved(t *testing.T) {
	e, err := NewEngine(Level2, Config{Sweeps: []finalizer.Sweep{{
		Finalizer: "x.io/tenant", Holder: "tenant", Members: []finalizer.Members{{By: finalizer.ByName, Delimiter: "-"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	see := func(ev Event) {
		t.Helper()
		if err := e.Observe(time.Unix(0, 0), ev); err != nil {
			t.Fatal(err)
		}
	}
	see(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "tenant"}, {Kind: "volume"}}})
	e.kinds.OpenFence()
	e.kinds.PassFence("tenant", 1, 9)
	r := &clearing{holder: Object{Key: Key{Kind: "tenant", Name: "1", UID: "1"}}}
	if !e.proven(r, 1) || e.proven(r, 9) {
		t.Errorf("proven after 1: %t, after 9: %t; a fence has passed that began at 9", e.proven(r, 1), e.proven(r, 9))
	}
	see(Event{Type: graph.KindVanished, Kind: "tenant"})
	if e.proven(r, 1) {
		t.Error("nobody knows how things are with the holder")
	}
}
