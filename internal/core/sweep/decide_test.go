package sweep

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// TestGuard: a holder gets its finalizer before it is marked.
func TestGuard(t *testing.T) {
	for _, c := range []struct {
		reason, object string
		sweep          guard.Sweep
		action         policy.Action
		why            policy.Reason
		finalizer      string
	}{
		{"a holder is guarded", "tenant/1#1", byName(), policy.Attach, policy.HolderSeen, "x.io/tenant"},
		{"a guarded holder is kept", "tenant/1#1[x.io/tenant]", byName(), policy.Keep, policy.NoOwners, ""},
		{"another object is kept", "volume/1-a#1", byName(), policy.Keep, policy.NoOwners, ""},
		{"a name with the delimiter is no holder's", "tenant/1-2#1", byName(), policy.Keep, policy.HolderUnfit, ""},
		{"a marked holder gets none", "tenant/1#1~*", byName(), policy.Wait, policy.HolderUnguarded, ""},
		{"an orphaning holder is not swept", "tenant/1#1~[x.io/tenant,orphan]", byName(), policy.Wait, policy.NeedDependents, ""},
	} {
		r := newRig(t, c.sweep)
		r.put(c.object)
		if d := r.decide(c.object); d.Action != c.action || d.Reason != c.why || d.Finalizer != c.finalizer {
			t.Errorf("%s: %s is decided to %v of %q for %v", c.reason, c.object, d.Action, d.Finalizer, d.Reason)
		}
	}
}

// TestMember: a member is deleted after the proof that its holder existed, and the holder
// goes after the proof that it has no member.
func TestMember(t *testing.T) {
	r := newRig(t, byName())
	r.put("tenant/1#1[x.io/tenant]; volume/1-a#1; volume/2-a#1")
	r.decides("volume/1-a", policy.Keep, policy.NoOwners, "the holder is not marked")
	r.put("tenant/1#2~[x.io/tenant]")
	r.decides("tenant/1", policy.Wait, policy.NeedMembers, "no walk has counted the members")
	r.decides("tenant/1", policy.Wait, policy.NeedMembers, "the walk has still to end")
	r.walk()
	r.decides("volume/1-a", policy.Wait, policy.NeedSweep, "the holder may have had a successor already")
	r.pass()
	r.decides("volume/1-a", policy.Delete, policy.HolderDeleted, "the holder existed after the claim")
	r.decides("volume/2-a", policy.Keep, policy.NoOwners, "it belongs to another holder")
	r.put("volume/1-b#1")
	r.decides("volume/1-b", policy.Wait, policy.NeedSweep, "a later member needs a later proof")
	r.pass()
	r.decides("volume/1-b", policy.Delete, policy.HolderDeleted, "the later proof is there")
	r.decides("tenant/1", policy.Wait, policy.NeedMembers, "members are left")
	if n, none := r.sw.MembersOf(r.object("tenant/1").Key), r.sw.MembersOf(r.object("tenant/2").Key); n != 2 || none != 0 {
		t.Errorf("%d members of a holder with two, %d of one without a run", n, none)
	}
	r.gone("volume/1-a#2", false)
	r.gone("volume/1-b#2", false)
	r.walk()
	r.decides("tenant/1", policy.Wait, policy.NeedFence, "a member may have come since")
	r.pass()
	r.decides("tenant/1", policy.Release, policy.MembersGone, "no member is left")
	if s, _ := r.sw.StatusOf(r.id(r.object("tenant/1").Key)); s.Members != 2 || s.MembersGone != 2 || s.MembersLeft != 0 {
		t.Errorf("the status is %+v", s)
	}
	r.put("tenant/1#3~*")
	r.decides("tenant/1", policy.Wait, policy.NeedFinalizers, "the run is over")
	if r.sw.Counts().Ended != 1 {
		t.Errorf("%+v", r.sw.Counts())
	}
}

// TestSickMember: the end of a sick kind's member would not be observed, so it stays (R8).
func TestSickMember(t *testing.T) {
	r := newRig(t, byName())
	r.put("tenant/1#1[x.io/tenant]; volume/1-a#1")
	r.marked()
	r.pass()
	r.apply(graph.Event{Type: graph.KindSick, Kind: "volume", Reason: "down"})
	r.decides("volume/1-a", policy.Wait, policy.KindSick, "its kind is sick")
	r.apply(graph.Event{Type: graph.KindRecovered, Kind: "volume"})
	r.decides("volume/1-a", policy.Delete, policy.HolderDeleted, "its kind is well again")
}

// TestContested: a living rival contests a member. After its end the member needs a later
// proof.
func TestContested(t *testing.T) {
	r := newRig(t, byName())
	r.put("tenant/1#1[x.io/tenant]; tenant/1-2#1; volume/1-2-a#1")
	r.marked()
	r.pass()
	r.decides("volume/1-2-a", policy.Wait, policy.Contested, "the name may mean the other tenant")
	r.gone("tenant/1-2#2", false)
	r.decides("volume/1-2-a", policy.Wait, policy.NeedSweep, "the proof is older than the rival's end")
	r.pass()
	r.decides("volume/1-2-a", policy.Delete, policy.HolderDeleted, "the proof is later than the rival's end")
}

// TestRivalChanged: a rival that ceases to be a holder leaves its claim. Then the swept
// holder needs a later proof.
func TestRivalChanged(t *testing.T) {
	s := byName()
	s.Holders = func(o graph.Object) bool { return o.Generation == 0 }
	r := newRig(t, s)
	r.put("tenant/1#1[x.io/tenant]; tenant/1-2#1; volume/1-2-a#1")
	r.marked()
	r.pass()
	r.decides("volume/1-2-a", policy.Wait, policy.Contested, "the rival lives")
	r.put("tenant/1-2#2%1/0")
	r.decides("volume/1-2-a", policy.Wait, policy.NeedSweep, "the proof is older than the rival's change")
	r.pass()
	r.decides("volume/1-2-a", policy.Delete, policy.HolderDeleted, "the proof is later than the rival's change")
}

// TestCoOwned: a member by an owner reference alone stays as long as it has, or may have,
// another owner.
func TestCoOwned(t *testing.T) {
	s := byName()
	s.Members = append(s.Members, guard.Members{By: guard.ByOwner})
	for _, c := range []struct {
		reason, before, gone, member string
		want                         policy.Reason
	}{
		{"it has no other owner", "", "", "pod/a#1 -> tenant/1", policy.HolderDeleted},
		{"the other owner exists", "volume/x#1", "", "pod/a#1 -> tenant/1, volume/x", policy.Contested},
		{"the watch has shown the end of the other owner", "pod/b#1 -> volume/x; volume/x#1", "volume/x#1", "pod/a#1 -> tenant/1, volume/x", policy.HolderDeleted},
		{"the watch has not shown the other owner", "", "", "pod/a#1 -> tenant/1, volume/x", policy.Contested},
		{"the other owner is not resolved", "volume/x#1", "", "pod/a#1 -> tenant/1, volume/x?", policy.Contested},
		{"both holders go", "tenant/2#1~[x.io/tenant]", "", "pod/a#1 -> tenant/1, tenant/2", policy.HolderDeleted},
		{"the other holder stays", "tenant/2#1[x.io/tenant]", "", "pod/a#1 -> tenant/1, tenant/2", policy.Contested},
		{"it is a member by its name, too", "volume/x#1", "", "pod/1-a#1 -> tenant/1, volume/x", policy.HolderDeleted},
	} {
		r := newRig(t, s)
		r.serve("tenant", "volume", "pod")
		r.put("tenant/1#1[x.io/tenant]")
		if c.before != "" {
			for _, o := range r.parse(c.before) {
				r.observe(o)
				r.judge(o.Key)
			}
		}
		if c.gone != "" {
			r.gone(c.gone, false)
		}
		member := r.put(c.member)
		r.marked()
		r.pass()
		if d := r.judge(member.Key); d.Reason != c.want {
			t.Errorf("%s: %s is decided to %v for %v, want %v", c.reason, c.member, d.Action, d.Reason, c.want)
		}
	}
}

// TestUnmarkedHolder: no member goes before its holder is marked, or of an object that is no
// holder.
func TestUnmarkedHolder(t *testing.T) {
	s := byName()
	s.Holders = func(o graph.Object) bool { return o.Name != "2" }
	for _, c := range []struct {
		reason, holder string
		want           policy.Action
	}{
		{"the holder is marked", "tenant/1#1~[x.io/tenant]", policy.Delete},
		{"the holder lives", "tenant/1#1[x.io/tenant]", policy.Keep},
		{"Holders leaves the tenant out", "tenant/2#1~[x.io/tenant]", policy.Keep},
		{"a team is no holder", "team/1#1~[x.io/tenant]", policy.Keep},
	} {
		r := newRig(t, s)
		r.serve("tenant", "volume", "team")
		holder := r.put("volume/1-a#1; volume/2-a#1; volume/11-a#1; " + c.holder)
		r.judge(holder.Key)
		r.walk()
		r.pass()
		for _, member := range []string{"1", "2", "11"} {
			want := policy.Keep
			if member == holder.Name {
				want = c.want
			}
			if d := r.decide("volume/" + member + "-a"); d.Action != want {
				t.Errorf("%s: volume %s-a is decided to %v for %v", c.reason, member, d.Action, d.Reason)
			}
		}
	}
}

// TestHalted: a kind of members that takes no part halts the run.
func TestHalted(t *testing.T) {
	s := byName()
	s.Members[0].Kinds = []graph.Kind{"volume"}
	r := newRig(t, s)
	r.put("tenant/1#1[x.io/tenant]; volume/1-a#1")
	r.marked()
	r.pass()
	r.serve("tenant")
	r.decides("tenant/1", policy.Wait, policy.SweepUnserved, "members may be hidden")
	r.decides("volume/1-a", policy.Keep, policy.NoOwners, "the run is halted")
	r.serve("tenant", "volume")
	r.decides("tenant/1", policy.Wait, policy.NeedMembers, "the kind is served again")
	r.pass()
	r.decides("volume/1-a", policy.Delete, policy.HolderDeleted, "the run goes on")
}

// TestUnreadable: a holder or a member that the store could not read gets no write of a sweep. The
// run of such a holder halts, and goes on once the holder can be read again.
func TestUnreadable(t *testing.T) {
	r, flaw := newRig(t, byName()), graph.UnreadableBecause("no JSON")
	blind := func(line string) { o := r.object(line); o.Finalizers = []string{flaw}; r.observe(o) }
	blind("tenant/1#1")
	r.decides("tenant/1", policy.Keep, policy.NoOwners, "its finalizers are unknown, so it gets none")
	r.put("tenant/1#2[x.io/tenant]; volume/1-a#1; volume/1-b#1")
	r.put("tenant/1#3~[x.io/tenant]")
	r.decide("tenant/1")
	r.walk()
	blind("volume/1-a#2")
	r.pass()
	r.decides("volume/1-a", policy.Keep, policy.NoOwners, "the claims of the member are unknown")
	r.decides("volume/1-b", policy.Delete, policy.HolderDeleted, "the other member goes")
	blind("tenant/1#4")
	r.decides("volume/1-b", policy.Keep, policy.NoOwners, "the mark of the holder is unknown")
	r.put("tenant/1#5~[x.io/tenant]; volume/1-a#3")
	r.decides("tenant/1", policy.Wait, policy.NeedMembers, "the run goes on, although a report had no finalizer of it")
	r.pass()
	r.decides("volume/1-a", policy.Delete, policy.HolderDeleted, "it can be read again")
}

// TestPhases: a phase that waits for others opens when their members are gone.
func TestPhases(t *testing.T) {
	s := byName()
	s.Phases = []guard.Phase{{Kinds: []graph.Kind{"volume"}}, {Kinds: []graph.Kind{"pod"}, After: true, Propagation: graph.Orphan}}
	r := newRig(t, s)
	r.serve("tenant", "volume", "pod")
	r.put("tenant/1#1[x.io/tenant]; volume/1-a#1; pod/1-b#1")
	r.marked()
	r.pass()
	r.decides("volume/1-a", policy.Delete, policy.HolderDeleted, "its phase is the first")
	r.decides("pod/1-b", policy.Wait, policy.NeedSweep, "its phase waits for the volume")
	r.gone("volume/1-a#2", false)
	if d := r.decide("pod/1-b"); d.Action != policy.Delete || d.Propagation != graph.Orphan {
		t.Errorf("the phase is open, and the decision is %+v", d)
	}
	r.put("volume/1-c#1")
	r.decides("pod/1-b", policy.Wait, policy.NeedSweep, "a new volume closes the phase")
}
