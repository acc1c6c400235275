package ownergraph_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestSweepLabelsUnserved: an object of a kind that is served no more may carry the
// holder's label, and nobody can say so: the holder stays, and Held names the kind (R8).
// When the kind is served again, or where no object of it is left, the holder goes.
func TestSweepLabelsUnserved(t *testing.T) {
	for _, tc := range []struct {
		objects string
		waits   bool
		reason  string
	}{
		{"tenant/1#1[x.io/tenant]; volume/a#1", true, "a volume is left, whose labels nobody knows"},
		{"tenant/1#1[x.io/tenant]; tenant/2#1[x.io/tenant] -> volume/a", false, "no volume is known, but that one is referred to"},
	} {
		s := newStepped(t, sweeping(labelled("")), "tenant", "volume")
		s.put(tc.objects)
		s.run(nil)
		s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "tenant"}}})
		s.put("tenant/1#2~[x.io/tenant]")
		released := false
		answer := func(c ownergraph.Call) error {
			released = released || c.Type == ownergraph.CallPatch && c.Change.DropFinalizer == "x.io/tenant"
			if c.Type == ownergraph.CallFence {
				s.pass(c.Fence)
			}
			return nil
		}
		s.lasts(time.Minute, answer, nil)
		if released == tc.waits {
			t.Errorf("released %t: %s", released, tc.reason)
		}
		held := lines(s.e.Held(9))
		if tc.waits && !strings.Contains(held, "tenant/1: its members by label have to be selected (volume: not served)") {
			t.Errorf("held: %s: %s", held, tc.reason)
		}
		if tc.waits && !s.e.Idle() {
			t.Errorf("only somebody outside can help: %s", tc.reason)
		}
		s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "tenant"}, {Kind: "volume"}}})
		s.list("volume")
		s.lasts(time.Minute, answer, nil)
		if !released {
			t.Errorf("it stays though volumes are served again, and none is left: %s", tc.reason)
		}
	}
}
