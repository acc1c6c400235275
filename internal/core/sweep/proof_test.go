package sweep

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/policy"
)

// TestProvenUnserved: a holder whose kind is not served has no proof, though every kind that
// takes part has passed the fence (R8).
func TestProvenUnserved(t *testing.T) {
	r := newRig(t, byName())
	r.kinds.OpenFence()
	r.kinds.PassFence("tenant", 1, 9)
	x := &run{holder: graph.Object{Key: graph.Key{Kind: "tenant", Name: "1", UID: "1"}}}
	if !r.sw.proven(r.view(), x, 1) || r.sw.proven(r.view(), x, 9) {
		t.Error("the fence began at 9: it is a proof for 1, and not for 9")
	}
	r.apply(graph.Event{Type: graph.KindVanished, Kind: "tenant"})
	if r.sw.proven(r.view(), x, 1) {
		t.Error("the state of the holder is unknown")
	}
}

// TestUnguardedHolder: by a setting, the members of a holder that was never guarded are
// deleted after its end. After a gap of the watch none are, nor are those of an unreadable holder.
func TestUnguardedHolder(t *testing.T) {
	s := byName()
	allowed := s
	allowed.Unguarded = true
	for _, c := range []struct {
		reason          string
		unguarded, gap  bool
		unreadable      bool
		runs            int
		action          policy.Action
		warned, counted uint64
	}{
		{"the setting is off", false, false, false, 0, policy.Keep, 1, 1},
		{"the setting is on", true, false, false, 1, policy.Delete, 1, 1},
		{"the holder may have been guarded and released", true, true, false, 0, policy.Keep, 1, 1},
		{"the store could not read the holder, so its finalizers are unknown", true, false, true, 0, policy.Keep, 1, 1},
	} {
		r := newRig(t, s)
		if c.unguarded {
			r = newRig(t, allowed)
		}
		r.put("tenant/1#1; volume/1-a#1")
		if c.unreadable {
			o := r.object("tenant/1#2")
			o.Finalizers = []string{graph.UnreadableBecause("no JSON")}
			r.observe(o)
		}
		r.out.Reset()
		r.gone("tenant/1#2", c.gap)
		warned := uint64(0)
		for _, x := range r.out.Items() {
			if x.Type == effect.Log {
				warned++
			}
		}
		r.walk()
		r.pass()
		r.walk()
		if d := r.decide("volume/1-a"); d.Action != c.action || r.sw.Runs() != c.runs || warned != c.warned || r.sw.Counts().Unguarded != c.counted {
			t.Errorf("%s: %d runs, and the member is decided to %v", c.reason, r.sw.Runs(), d.Action)
		}
	}
}

// TestDetachedRun: a detached run ends when no member is left, or at once with a new holder
// of the same name.
func TestDetachedRun(t *testing.T) {
	s := byName()
	s.Unguarded = true
	for _, c := range []struct {
		reason string
		end    func(r *rig)
		ended  uint64
	}{
		{"no member is left", func(r *rig) { r.gone("volume/1-a#2", false) }, 1},
		{"a new holder has the members", func(r *rig) { r.put("tenant/1'#5") }, 0},
	} {
		r := newRig(t, s)
		r.put("tenant/1#1; volume/1-a#1")
		r.gone("tenant/1#2", false)
		r.walk()
		c.end(r)
		r.pass()
		r.sw.MarkDetached()
		r.walk()
		if r.sw.Runs() != 0 || r.sw.Counts().Ended != c.ended {
			t.Errorf("%s: %d runs, %d ended", c.reason, r.sw.Runs(), r.sw.Counts().Ended)
		}
	}
}

// TestReadOfHolder: without fences, a read of the holder and a listing of the holders are
// the proof.
func TestReadOfHolder(t *testing.T) {
	r := newRig(t, byName())
	r.fence = fence.New(false, 0)
	r.put("tenant/1#1[x.io/tenant]; volume/1-a#1")
	r.marked()
	r.decides("volume/1-a", policy.Wait, policy.NeedSweep, "the holder is not read")
	r.out.Reset()
	r.decide("tenant/1")
	var reads []effect.Effect
	for _, x := range r.out.Items() {
		if x.Type == effect.ReadHolder {
			reads = append(reads, x)
		}
	}
	if len(reads) != 1 || reads[0].Key.Name != "1" {
		t.Fatalf("reads of holders: %+v", reads)
	}
	id := RunID(reads[0].Run)
	r.sw.ReturnRead(r.view(), id)
	if r.sw.runs[id].read {
		t.Error("a returned read is under way")
	}
	r.sw.ReadDone(r.view(), id, r.stamps.Stamp(), graph.Object{Key: reads[0].Key}, nil, 0)
	r.decides("volume/1-a", policy.Wait, policy.NeedSweep, "the holders are not listed")
	for _, typ := range []graph.EventType{graph.ListBegun, graph.ListEnded} {
		r.kinds.Apply(&graph.Event{Type: typ, Kind: "tenant"}, &r.stamps, nil)
	}
	r.kinds.SetListed("tenant")
	r.decides("volume/1-a", policy.Delete, policy.HolderDeleted, "both proofs are there")
	if r.sw.ReadDone(r.view(), id+1, r.stamps.Stamp(), graph.Object{Key: reads[0].Key}, nil, 0); r.sw.Runs() != 1 {
		t.Error("a read of a former run counts")
	}
}

// TestRewind: a rewind forgets the runs.
func TestRewind(t *testing.T) {
	r := newRig(t, byName())
	r.put("tenant/1#1[x.io/tenant]; volume/1-a#1")
	r.marked()
	c := r.sw.Clone()
	if r.sw.Rewind(); r.sw.Runs() != 0 || r.sw.HasWork(r.now) || len(r.sw.members) != 0 {
		t.Error("a run is left after a rewind")
	}
	if c.Runs() != 1 || len(c.members) != 1 || c.Check(r.view()) != nil {
		t.Error("a rewind changes the clone")
	}
}

// TestCheck: a wrong count, and a wrong holder, are errors.
func TestCheck(t *testing.T) {
	for reason, ruin := range map[string]func(r *rig){
		"a count by phase":       func(r *rig) { r.sw.runs[1].left[0]++ },
		"the number of members":  func(r *rig) { r.sw.runs[1].members++ },
		"a count by kind":        func(r *rig) { r.sw.runs[1].kinds["volume"]++ },
		"the held members":       func(r *rig) { r.sw.runs[1].held++ },
		"the blocked members":    func(r *rig) { r.sw.runs[1].blocked++ },
		"a missing member":       func(r *rig) { clear(r.sw.members) },
		"a run without a holder": func(r *rig) { clear(r.sw.of) },
		"a holder that is gone":  func(r *rig) { r.sw.known[99] = graph.Object{} },
		"a name without holder":  func(r *rig) { clear(r.sw.known) },
	} {
		r := newRig(t, byName())
		r.put("tenant/1#1[x.io/tenant]; volume/1-a#1")
		r.marked()
		if ruin(r); r.sw.Check(r.view()) == nil {
			t.Errorf("%s: Check finds nothing", reason)
		}
	}
}
