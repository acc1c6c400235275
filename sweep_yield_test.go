package ownergraph_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestSweepYield: a member that another holder contested goes as soon as that one
// is gone, also if it was never swept itself: nobody waits for an audit.
func TestSweepYield(t *testing.T) {
	s := newStepped(t, sweeping(tenancy()), "tenant", "volume")
	s.put("tenant/1-2#1; tenant/1#2~[x.io/tenant]; volume/1-2-a#1; volume/1-b#1")
	if got := s.run(nil); fmt.Sprint(got) != "[delete volume/1-b]" {
		t.Fatalf("%v, want what nobody contests", got)
	}
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "volume/1-b")}, graph.Event{Type: graph.Gone, Key: keyOf(t, "tenant/1-2")})
	if got := s.run(nil); fmt.Sprint(got) != "[delete volume/1-2-a]" {
		t.Errorf("%v, want what tenant/1-2 had a claim on", got)
	}
}
