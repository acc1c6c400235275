package ownergraph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// TestSweepPhaseCountsFirst: in a large store the proof that a holder is there may
// come before its members are counted. A phase that waits does not begin then.
func TestSweepPhaseCountsFirst(t *testing.T) {
	const others = 8000
	s := newStepped(t, sweeping(tenancy(
		finalizer.Phase{Kinds: []graph.Kind{"volume"}}, finalizer.Phase{Kinds: []graph.Kind{"secret"}, After: true},
	)), "tenant", "volume", "secret")
	var world strings.Builder
	for i := range others {
		fmt.Fprintf(&world, "volume/x%d#1; ", i)
	}
	s.put(world.String() + "volume/x#1")
	s.put("volume/1-v#1")
	if got := s.run(nil); len(got) > 0 {
		t.Fatalf("%v: nobody is marked", got)
	}
	s.put("tenant/1#2~[x.io/tenant]")
	s.e.Next(s.now, ownergraph.LaneStore) // the count begins
	s.put("secret/1-s#1")
	var fence uint64
	for range 3 {
		if c, _ := s.e.Next(s.now, ownergraph.LaneControl); c.Type == ownergraph.CallFence {
			s.done(c, nil)
			fence = c.Fence
			break
		}
	}
	if fence == 0 {
		t.Fatal("the secret needs a proof")
	}
	s.passed(fence, "tenant", "volume", "secret", "")
	s.put("secret/1-s#2")
	var first ownergraph.Call
	for n := 0; first.Type == ownergraph.CallUnset; n++ {
		if n > 100 {
			t.Fatal("nothing is swept")
		}
		if first, _ = s.e.Next(s.now, ownergraph.LaneStore); first.Type == ownergraph.CallUnset {
			if c, _ := s.e.Next(s.now, ownergraph.LaneControl); c.Type == ownergraph.CallFence {
				s.done(c, nil)
				s.passed(c.Fence, "tenant", "volume", "secret", "")
			}
		}
	}
	if first.Key.Name != "1-v" {
		t.Errorf("%s %s comes first, want the volume, which the secret waits for", first.Type, first.Key)
	}
	if got := s.run(nil); len(got) > 0 {
		t.Errorf("%v: the volume is still there", got)
	}
	s.see(graph.Event{Type: graph.Gone, Key: first.Key})
	if got := s.run(nil); fmt.Sprint(got) != "[delete secret/1-s]" {
		t.Errorf("%v, want the secret", got)
	}
}

// TestSweepWalkAsksHolders: what a walk over all nodes has counted concerns the
// holders alone. Those that a holder owns, and that wait for its fence, are not
// decided again with it.
func TestSweepWalkAsksHolders(t *testing.T) {
	const owned, phases = 50, 2
	s := newStepped(t, sweeping(tenancy(
		finalizer.Phase{Kinds: []graph.Kind{"volume"}}, finalizer.Phase{Kinds: []graph.Kind{"secret"}, After: true},
	)), "tenant", "pod", "volume", "secret")
	s.put("tenant/1#1[x.io/tenant]")
	for i := range owned {
		s.put(fmt.Sprintf("pod/p%d#1 -> tenant/1", i))
	}
	if got := s.run(nil); len(got) > 0 {
		t.Fatalf("%v: nobody is marked", got)
	}
	before := s.e.Stats().Decisions
	s.put("tenant/1#2~[foreground,x.io/tenant]")
	for more := true; more; { // nobody begins a fence
		c, at := s.e.Next(s.now, ownergraph.LaneStore)
		if more = !at.IsZero() && !at.After(s.now); c.Type != ownergraph.CallUnset {
			t.Fatalf("%s %s: without a fence", c.Type, c.Key)
		}
	}
	if got := s.e.Stats().Decisions - before; got < owned || got > owned+4*phases {
		t.Errorf("%d decisions about a holder and the %d that it owns, want one for each of these and a few", got, owned)
	}
}
