package sweep

import (
	"testing"

	"github.com/ownergraph/ownergraph/policy"
)

// TestRecall: the sweep of a holder is over, and the holder stays. Sweeps that begin anew
// would sweep its later members. With the memory of the former ones they do not.
func TestRecall(t *testing.T) {
	unguarded := byName()
	unguarded.Unguarded = true
	r := newRig(t, unguarded)
	r.put("tenant/1#2~[x]")
	r.decide("tenant/1")
	r.walk()
	r.pass()
	r.decides("tenant/1", policy.Wait, policy.NeedFinalizers, "no member is left")
	memory := r.sw.Memory()
	if len(memory) != 1 {
		t.Fatalf("%d runs are over, want one", len(memory))
	}
	for _, c := range []struct {
		memory []Memory
		want   policy.Action
		reason string
	}{
		{nil, policy.Delete, "the holder is marked"},
		{memory, policy.Keep, "its sweep is over"},
	} {
		r := newRig(t, unguarded)
		r.put("tenant/1#2~[x]; volume/1-a#1")
		r.sw.Recall(r.view(), c.memory)
		r.decide("tenant/1")
		r.walk()
		r.pass()
		if d := r.decide("volume/1-a"); d.Action != c.want {
			t.Errorf("the member is decided to %s for %s, want %s: %s", d.Action, d.Reason, c.want, c.reason)
		}
		r.check()
	}
	empty := newRig(t, unguarded)
	if empty.sw.Recall(empty.view(), memory); empty.sw.Runs() != 0 {
		t.Error("a holder that the graph does not have gets a run")
	}
}
