package ownergraph_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// holderSays is a sweep whose holders say by a finalizer what belongs to them.
func holderSays(where func(holder graph.Object) bool) finalizer.Sweep {
	return finalizer.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: []finalizer.Members{{
		By: finalizer.ByName, Delimiter: "-",
		Where: func(holder, o graph.Object) bool { return o.Kind != "volume" || where(holder) },
	}}}
}

// TestSweepJudgedAnew: what a change of the holder makes a member goes too, though
// nothing about the member itself has changed.
func TestSweepJudgedAnew(t *testing.T) {
	cfg := sweeping(holderSays(func(h graph.Object) bool { return !h.HasFinalizer("x.io/keep") }))
	swept(t, "tenant/1[x.io/keep]; volume/1-a; pod/1-b[x.io/held]", cfg, func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", ownergraph.Background)
		r.idle()
		r.holds(t, "pod/1-b~[x.io/held]; tenant/1~[x.io/keep,x.io/tenant]; volume/1-a")
		r.finish(t, "tenant/1", "x.io/keep")
		r.idle()
		r.holds(t, "pod/1-b~[x.io/held]; tenant/1~[x.io/tenant]")
		r.finish(t, "pod/1-b", "x.io/held")
		r.reports(t)
		r.holds(t, "")
	})
}

// TestSweepJudgedNoMore: a member whose delete met a conflict is asked again whose
// it is, and its holder says otherwise by now.
func TestSweepJudgedNoMore(t *testing.T) {
	s := newStepped(t, sweeping(holderSays(func(h graph.Object) bool { return h.HasFinalizer("x.io/purge") })), "tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant,x.io/purge]; volume/1-a#1")
	s.passed(s.begin("the volume has to go"), "tenant", "volume", "")
	c := s.wants(ownergraph.CallDelete, "it is the tenant's")
	s.put("tenant/1#3~[x.io/tenant]")
	s.done(c, graph.ErrConflict)
	s.answer(s.wants(ownergraph.CallRead, "somebody may have changed the volume"), "volume/1-a#1")
	s.passed(s.begin("the tenant is about to be released"), "tenant", "volume", "")
	if c = s.wants(ownergraph.CallPatch, "nothing is the tenant's any more"); c.Key.Kind != "tenant" {
		t.Errorf("%s %s, want the tenant's release", c.Type, c.Key)
	}
}

// TestSweepRivalYields: a member that another holder contested goes when a change
// of that one ends its claim, and not only by its deletion.
func TestSweepRivalYields(t *testing.T) {
	rival := holderSays(func(h graph.Object) bool { return h.HasFinalizer("x.io/purge") })
	rival.Finalizer, rival.Holder = "x.io/rival", "rival"
	swept(t, "tenant/1; rival/1[x.io/purge]; volume/1-a", sweeping(tenancy(), rival), func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", ownergraph.Background)
		if held := lines(r.idle()); !strings.Contains(held, "volume/1-a: ") {
			t.Errorf("held: %s, want the volume, which the rival holds too", held)
		}
		r.finish(t, "rival/1", "x.io/purge")
		r.reports(t)
		r.holds(t, "rival/1[x.io/rival]")
	})
}

// TestSweepHoldersInRing: holders that hold each other wait for each other, and
// are reported as whatever else is held.
func TestSweepHoldersInRing(t *testing.T) {
	owned := finalizer.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: []finalizer.Members{{
		By: finalizer.ByOwner, Kinds: []graph.Kind{"tenant"},
	}}}
	swept(t, "tenant/1 -> tenant/2; tenant/2 -> tenant/1", sweeping(owned), func(t *testing.T, r *rig) {
		r.delete(t, "tenant/1", ownergraph.Background)
		r.delete(t, "tenant/2", ownergraph.Background)
		r.reports(t, "tenant/1: its members are not gone (tenant: 1 left)", "tenant/2: its members are not gone (tenant: 1 left)")
		if s := r.Sweeps(9); len(s) != 2 || len(s[0].By) != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSweepOfBarredHolder: a write of collection that may not be made does not keep
// anybody busy with the holder's sweep.
func TestSweepOfBarredHolder(t *testing.T) {
	cfg := sweeping(tenancy())
	cfg.ObserveOnly = true
	swept(t, "tenant/1~[foregroundDeletion,x.io/tenant]; volume/1-a", cfg, func(t *testing.T, r *rig) {
		r.idle()
		r.holds(t, "tenant/1~[foreground,x.io/tenant]; volume/1-a")
	})
}

// TestSweepOfFormerHistory: an engine that only observes begins no sweep on a mark
// that may be of a history that is no more either: nothing would ever end it (R5).
func TestSweepOfFormerHistory(t *testing.T) {
	cfg := sweeping(tenancy())
	cfg.ObserveOnly = true
	s := newStepped(t, cfg, "tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant]; volume/1-a#1")
	s.see(rewound())
	s.wants(ownergraph.CallUnset, "it only observes")
	s.see(begun("tenant"))
	s.put("tenant/1#1[x.io/tenant]")
	s.see(ended("tenant"), begun("volume"))
	s.put("volume/1-a#1")
	s.see(ended("volume"))
	s.run(nil)
	if n := s.e.Stats().Sweeps.Running; n != 0 || !s.e.Idle() {
		t.Errorf("%d sweeps, idle is %t: nobody deletes the tenant in this history", n, s.e.Idle())
	}
}
