package ownergraph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestSweepYield: a member that another holder contested goes when that one is gone,
// also if it was never swept itself, as soon as its own holder is proven to have been
// there still: nobody waits for an audit.
func TestSweepYield(t *testing.T) {
	s := newStepped(t, sweeping(tenancy()), "tenant", "volume")
	s.put("tenant/1-2#1; tenant/1#2~[x.io/tenant]; volume/1-2-a#1; volume/1-b#1")
	if got := s.run(nil); fmt.Sprint(got) != "[delete volume/1-b]" {
		t.Fatalf("%v, want what nobody contests", got)
	}
	s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "volume/1-b")}, graph.Event{Type: graph.Gone, Key: keyOf(t, "tenant/1-2")})
	if got := s.run(nil); len(got) > 0 {
		t.Errorf("%v: its own holder may orphan by now", got)
	}
	s.now = s.now.Add(time.Second)
	if got := s.run(nil); fmt.Sprint(got) != "[delete volume/1-2-a]" {
		t.Errorf("%v, want what tenant/1-2 had a claim on", got)
	}
}

// TestSweepLapsedClaim: two holders have a claim on a volume. One is being deleted and
// then orphans, which nobody has seen; the other is deleted after that, and orphans
// too. At no instant was the volume one's alone: it stays.
func TestSweepLapsedClaim(t *testing.T) {
	const orphans = "tenant/1#3~[orphan,x.io/tenant,x.io/z]"
	for _, tc := range []struct {
		name, rival string
		gone        bool
	}{{"deleted", "tenant/1-2#2~[orphan,x.io/tenant,x.io/z]", false}, {"gone", "tenant/1-2#2~[x.io/z]", true}} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStepped(t, sweeping(tenancy()), "tenant", "volume")
			s.put("tenant/1-2#1[x.io/tenant,x.io/z]; tenant/1#2~[x.io/tenant,x.io/z]; volume/1-2-a#1; volume/1-b#1")
			if got := s.run(nil); fmt.Sprint(got) != "[delete volume/1-b]" {
				t.Fatalf("%v, want what nobody contests", got)
			}
			s.put(tc.rival)
			if tc.gone {
				s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, "tenant/1-2")})
			}
			if c, _ := s.e.Next(s.now, ownergraph.LaneStore); c.Type != ownergraph.CallUnset {
				t.Fatalf("%s %s: whether its holder is as it was is not proven since", c.Type, c.Key)
			}
			s.put(orphans)
			for range 3 {
				s.now = s.now.Add(time.Minute)
				for _, w := range s.run(nil) {
					if w == "delete volume/1-2-a" {
						t.Error("it is swept, though both let go of it")
					}
				}
			}
		})
	}
}
