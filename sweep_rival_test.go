package ownergraph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestSweepProofStaleByChange: a live rival has a claim on a member of the holder. A
// change ends the claim, and the member then waits for one more fence. The member stays if
// the holder orphans before that fence. Otherwise the sweep deletes the member.
func TestSweepProofStaleByChange(t *testing.T) {
	where := func(m guard.Members) guard.Members {
		m.Where = func(h, _ graph.Object) bool { return h.HasFinalizer("x.io/purge") }
		return m
	}
	of := func(holder graph.Kind, members ...guard.Members) guard.Sweep {
		return guard.Sweep{Finalizer: "x.io/" + string(holder), Holder: holder, Members: members}
	}
	picked := func(s guard.Sweep) guard.Sweep {
		s.Holders = func(o graph.Object) bool { return o.HasFinalizer("x.io/purge") }
		return s
	}
	tenants := func(also ...guard.Members) guard.Sweep {
		return of("tenant", append([]guard.Members{named("volume", "disk")}, also...)...)
	}
	rival := of("rival", named("volume"))
	owned := guard.Members{By: guard.ByOwner, Kinds: []graph.Kind{"volume", "tenant", "team"}}
	marked := guard.Members{By: guard.ByFunc, Kinds: []graph.Kind{"rival"}, Named: func(o graph.Object) string {
		if o.HasFinalizer("x.io/of-1") {
			return "1"
		}
		return ""
	}}
	called := of("rival", guard.Members{By: guard.ByFunc, Kinds: []graph.Kind{"volume"}, Named: func(graph.Object) string { return "x-1" }})
	const deleted, says = "tenant/1#2~[x.io/tenant,x.io/z]; disk/1-b#1; ", "rival/1#1[x.io/rival,x.io/purge]; volume/1-a#1"
	const calls, team = "rival/x-1#1[x.io/rival]; volume/1-a#1", "team/x#1[x.io/team] -> tenant/1; "
	for _, tc := range []struct {
		name, world, change string
		sweeps              []guard.Sweep
	}{
		{"a rival says otherwise", says, "rival/1#2[x.io/rival]", []guard.Sweep{tenants(), of("rival", where(named("volume")))}},
		{"a deleted rival says otherwise", says, "rival/1#2~[x.io/rival,x.io/purge]; rival/1#3~[x.io/rival]", []guard.Sweep{tenants(), of("rival", where(named("volume")))}},
		{"a rival is no longer one", says, "rival/1#2[x.io/rival]", []guard.Sweep{tenants(), picked(rival)}},
		{"a rival is no longer one, and gone", says, "rival/1#2[x.io/rival]; gone rival/1", []guard.Sweep{tenants(), picked(rival)}},
		{"a rival is no longer one as it is deleted", says, "rival/1#2~[x.io/rival]", []guard.Sweep{tenants(), picked(rival)}},
		{"a deleted rival is no longer one", says, "rival/1#2~[x.io/rival,x.io/purge]; rival/1#3~[x.io/rival]", []guard.Sweep{tenants(), picked(rival)}},
		{"a deleted rival is no longer one, and gone", says, "rival/1#2~[x.io/rival,x.io/purge]; rival/1#3~[x.io/rival]; gone rival/1", []guard.Sweep{tenants(), picked(rival)}},
		{"a rival is the holder's", "tenant/1-a#1[x.io/tenant]; volume/1-a-a#1", "tenant/1-a#2[x.io/tenant] -> tenant/1", []guard.Sweep{tenants(owned)}},
		{"a deleted rival is the holder's, by its state", "rival/1#1[x.io/rival]; volume/1-a#1", "rival/1#2~[x.io/z]; rival/1#3~[x.io/z,x.io/of-1]",
			[]guard.Sweep{tenants(marked), rival}},
		{"the holder of a rival is the holder's", "tenant/y#1[x.io/tenant]; tenant/1-a#1[x.io/tenant] -> tenant/y; volume/1-a-a#1", "tenant/y#2[x.io/tenant] -> tenant/1",
			[]guard.Sweep{tenants(owned)}},
		{"the holder of a rival comes", calls, strings.TrimSuffix(team, "; "), []guard.Sweep{tenants(owned), of("team", named("rival")), called}},
		{"the holder of a rival comes, and another one changes", "tenant/q#1[x.io/tenant]; " + calls, team + "tenant/q#2[x.io/tenant,x.io/z]",
			[]guard.Sweep{tenants(owned), of("team", named("rival")), called}},
		{"the holder of a deleted rival comes", calls, "rival/x-1#2~[x.io/z]; " + strings.TrimSuffix(team, "; "), []guard.Sweep{tenants(owned), of("team", named("rival")), called}},
		{"the owner of a rival becomes its holder as it is deleted", team + calls, "team/x#2~[x.io/team,x.io/purge] -> tenant/1",
			[]guard.Sweep{tenants(owned), picked(of("team", named("rival"))), called}},
		{"the holder of a rival says so while it is deleted", team + calls, "team/x#2~[x.io/team] -> tenant/1; team/x#3~[x.io/team,x.io/purge] -> tenant/1",
			[]guard.Sweep{tenants(owned), of("team", where(named("rival"))), called}},
		{"the holder is a rival's", "tenant/1-a#1[x.io/tenant]; volume/1-a-a#1", "tenant/1#3~[x.io/tenant,x.io/z] -> tenant/1-a", []guard.Sweep{tenants(owned)}},
		{"the object is no longer a rival's", "tenant/2#1[x.io/tenant]; volume/1-a#1 -> tenant/2", "volume/1-a#2", []guard.Sweep{tenants(owned)}},
	} {
		for _, orphans := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, orphans %t", tc.name, orphans), func(t *testing.T) {
				s := newStepped(t, sweeping(tc.sweeps...), "tenant", "rival", "team", "volume", "disk")
				s.put(deleted + tc.world)
				if got := fmt.Sprint(s.run(nil)); !strings.Contains(got, "delete disk/1-b") || strings.Contains(got, "delete volume/") {
					t.Fatalf("%v, want the disk alone: a rival contests the volume", got)
				}
				s.follow(tc.change)
				if orphans {
					s.before("delete volume/", "no proof since the change shows the holder")
					s.put("tenant/1#9~[orphan,x.io/tenant,x.io/z]")
				}
				gone := false
				for range 10 {
					s.now = s.now.Add(time.Minute)
					gone = gone || strings.Contains(fmt.Sprint(s.run(nil)), "delete volume/")
				}
				if gone == orphans {
					t.Errorf("the volume was deleted: %t", gone)
				}
			})
		}
	}
}

// follow shows changes of objects to the engine. A change is "gone" and a key, or a state.
func (s stepped) follow(changes string) {
	s.Helper()
	for c := range strings.SplitSeq(changes, "; ") {
		if key, ok := strings.CutPrefix(c, "gone "); ok {
			s.see(graph.Event{Type: graph.Gone, Key: keyOf(s.T, key)})
		} else {
			s.put(c)
		}
	}
}

// before fails if the engine asks for such a call now, without any answer or fence.
func (s stepped) before(call, reason string) {
	s.Helper()
	for range 100 {
		c, _ := s.e.Next(s.now, engine.LaneStore)
		if text := fmt.Sprintf("%s %s", c.Type, c.Key); strings.HasPrefix(text, call) {
			s.Fatalf("%s: %s", text, reason)
		}
	}
}

// TestSweepAmongOthers: other holders come and go, and have no claim on a member. The
// member needs no further proof because of them.
func TestSweepAmongOthers(t *testing.T) {
	s := newStepped(t, sweeping(tenancy()), "tenant", "volume")
	s.put("tenant/1#2~[x.io/tenant,x.io/z]; volume/1-a#1; tenant/9#1[x.io/tenant]; volume/9-a#1")
	fence := s.begin("the volume has to go")
	for i := range 3 * 4096 { // more than the engine remembers
		other := fmt.Sprintf("tenant/o%d", i)
		s.put(other + "#1[x.io/tenant]")
		s.put(other + "#2~")
		s.see(graph.Event{Type: graph.Gone, Key: keyOf(t, other)})
		if i == 10 {
			s.pass(fence)
			if got := fmt.Sprint(s.run(nil)); got != "[delete volume/1-a]" {
				t.Errorf("%s: none of the others has a claim on it", got)
			}
		}
	}
	s.put("tenant/9#2~[x.io/tenant,x.io/z]")
	s.now = s.now.Add(time.Second)
	if got := fmt.Sprint(s.run(nil)); got != "[delete volume/9-a]" {
		t.Errorf("%s: a fence has passed since", got)
	}
}

// TestSweepPhaseCountsFirst: in a large store the proof that a holder is there may
// come before its members are counted. A phase that waits does not begin then.
func TestSweepPhaseCountsFirst(t *testing.T) {
	const others = 8000
	s := newStepped(t, sweeping(tenancy(
		guard.Phase{Kinds: []graph.Kind{"volume"}}, guard.Phase{Kinds: []graph.Kind{"secret"}, After: true},
	)), "tenant", "volume", "secret")
	var world strings.Builder
	for i := range others {
		fmt.Fprintf(&world, "volume/x%d#1; ", i)
	}
	s.put(world.String() + "volume/x#1")
	s.put("volume/1-v#1")
	if got := s.run(nil); len(got) > 0 {
		t.Fatalf("%v: no tenant is marked", got)
	}
	s.put("tenant/1#2~[x.io/tenant]")
	s.e.Next(s.now, engine.LaneStore) // the count begins
	s.put("secret/1-s#1")
	var fence uint64
	for range 3 {
		if c, _ := s.e.Next(s.now, engine.LaneControl); c.Type == engine.CallFence {
			s.done(c, nil)
			fence = uint64(c.ID)
			break
		}
	}
	if fence == 0 {
		t.Fatal("the secret needs a proof")
	}
	s.pass(fence)
	s.put("secret/1-s#2")
	var first engine.Call
	for n := 0; first.Type == engine.CallUnset; n++ {
		if n > 100 {
			t.Fatal("nothing is swept")
		}
		if first, _ = s.e.Next(s.now, engine.LaneStore); first.Type == engine.CallUnset {
			if c, _ := s.e.Next(s.now, engine.LaneControl); c.Type == engine.CallFence {
				s.done(c, nil)
				s.pass(uint64(c.ID))
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

// TestSweepWalkAsksHolders: after a walk over all nodes has counted members, the engine
// decides the holders alone. The dependents of a holder wait for its fence, and are not
// decided again.
func TestSweepWalkAsksHolders(t *testing.T) {
	const owned, phases = 50, 2
	s := newStepped(t, sweeping(tenancy(
		guard.Phase{Kinds: []graph.Kind{"volume"}}, guard.Phase{Kinds: []graph.Kind{"secret"}, After: true},
	)), "tenant", "pod", "volume", "secret")
	s.put("tenant/1#1[x.io/tenant]")
	for i := range owned {
		s.put(fmt.Sprintf("pod/p%d#1 -> tenant/1", i))
	}
	if got := s.run(nil); len(got) > 0 {
		t.Fatalf("%v: no tenant is marked", got)
	}
	before := s.e.Stats().Decisions
	s.put("tenant/1#2~[foreground,x.io/tenant]")
	for more := true; more; { // the fence is never begun
		c, at := s.e.Next(s.now, engine.LaneStore)
		if more = !at.IsZero() && !at.After(s.now); c.Type != engine.CallUnset {
			t.Fatalf("%s %s: without a fence", c.Type, c.Key)
		}
	}
	if got := s.e.Stats().Decisions - before; got < owned || got > owned+4*phases {
		t.Errorf("%d decisions about a holder and the %d that it owns, want one for each of these and a few", got, owned)
	}
}
