package ownergraph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
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

// TestSweepLapsedChange: an object that somebody who lives had a claim on besides the
// holder that is swept, until one of them changed, is not the holder's alone before
// that. The holder then orphans, which nobody has seen: the object stays.
func TestSweepLapsedChange(t *testing.T) {
	named := finalizer.Members{By: finalizer.ByName, Delimiter: "-", Kinds: []graph.Kind{"volume", "disk"}}
	tenants := func(also ...finalizer.Members) finalizer.Sweep {
		return finalizer.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: append([]finalizer.Members{named}, also...)}
	}
	rival := finalizer.Sweep{Finalizer: "x.io/rival", Holder: "rival", Members: []finalizer.Members{{
		By: finalizer.ByName, Delimiter: "-", Kinds: []graph.Kind{"volume"},
		Where: func(h, _ graph.Object) bool { return h.HasFinalizer("x.io/purge") },
	}}}
	holders := rival
	holders.Members = []finalizer.Members{{By: finalizer.ByName, Delimiter: "-", Kinds: []graph.Kind{"volume"}}}
	holders.Holders = func(o graph.Object) bool { return o.HasFinalizer("x.io/purge") }
	owned := finalizer.Members{By: finalizer.ByOwner, Kinds: []graph.Kind{"volume", "tenant"}}
	const swept = "tenant/1#2~[x.io/tenant,x.io/z]; disk/1-b#1; "
	for _, tc := range []struct {
		name, world, change string
		sweeps              []finalizer.Sweep
	}{
		{"a rival says otherwise", swept + "rival/1#1[x.io/rival,x.io/purge]; volume/1-a#1", "rival/1#2[x.io/rival]",
			[]finalizer.Sweep{tenants(), rival}},
		{"a rival holds nothing any more", swept + "rival/1#1[x.io/rival,x.io/purge]; volume/1-a#1", "rival/1#2[x.io/rival]",
			[]finalizer.Sweep{tenants(), holders}},
		{"a rival is the holder's", swept + "tenant/1-a#1[x.io/tenant]; volume/1-a-a#1", "tenant/1-a#2[x.io/tenant] -> tenant/1",
			[]finalizer.Sweep{tenants(owned)}},
		{"who holds a rival is the holder's", swept + "tenant/y#1[x.io/tenant]; tenant/1-a#1[x.io/tenant] -> tenant/y; volume/1-a-a#1", "tenant/y#2[x.io/tenant] -> tenant/1",
			[]finalizer.Sweep{tenants(owned)}},
		{"the holder is a rival's", swept + "tenant/1-a#1[x.io/tenant]; volume/1-a-a#1", "tenant/1#3~[x.io/tenant,x.io/z] -> tenant/1-a",
			[]finalizer.Sweep{tenants(owned)}},
		{"the object is a rival's no more", swept + "tenant/2#1[x.io/tenant]; volume/1-a#1 -> tenant/2", "volume/1-a#2",
			[]finalizer.Sweep{tenants(owned)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStepped(t, sweeping(tc.sweeps...), "tenant", "rival", "volume", "disk")
			s.put(tc.world)
			if got := s.run(nil); fmt.Sprint(got) != "[delete disk/1-b]" {
				t.Fatalf("%v, want what nobody contests", got)
			}
			s.put(tc.change)
			if c, _ := s.e.Next(s.now, ownergraph.LaneStore); c.Type != ownergraph.CallUnset {
				t.Fatalf("%s %s: whether its holder is as it was is not proven since", c.Type, c.Key)
			}
			s.put("tenant/1#4~[orphan,x.io/tenant,x.io/z]")
			for range 3 {
				s.now = s.now.Add(time.Minute)
				for _, w := range s.run(nil) {
					if strings.HasPrefix(w, "delete volume/") {
						t.Errorf("%s, though its holder lets go of it", w)
					}
				}
			}
		})
	}
}
