package inflight

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestDigest: equal writes have equal digests, and different writes have different ones.
func TestDigest(t *testing.T) {
	owner := func(name string, block bool) graph.Owner {
		return graph.Owner{Key: graph.Key{Kind: "a", Name: name, UID: graph.UID(name)}, Block: block}
	}
	x := &graph.Object{Owners: []graph.Owner{owner("x", false), owner("y", false)}}
	turned := &graph.Object{Owners: []graph.Owner{owner("y", true), owner("x", true)}}
	trim := policy.Decision{Action: policy.Trim, Owners: []int{0, 1}}
	for _, c := range []struct {
		reason string
		a, b   *graph.Object
		p, q   policy.Decision
		same   bool
	}{
		{"references in another order, and with other flags", x, turned, trim, trim, true},
		{"a trim and an orphaning drop alike", x, x, trim, policy.Decision{Action: policy.Orphan, Owners: []int{0, 1}}, true},
		{"another set of references", x, x, trim, policy.Decision{Action: policy.Trim, Owners: []int{0}}, false},
		{"to unblock is not to drop", x, x, trim, policy.Decision{Action: policy.Unblock, Owners: []int{0, 1}}, false},
		{"a deletion is one whatever its propagation", x, x, policy.Decision{Action: policy.Delete, Propagation: graph.Foreground},
			policy.Decision{Action: policy.Delete, Propagation: graph.Background}, true},
		{"another finalizer", x, x, policy.Decision{Action: policy.Release, Finalizer: "f"}, policy.Decision{Action: policy.Release, Finalizer: "g"}, false},
		{"to add one is not to drop it", x, x, policy.Decision{Action: policy.Release, Finalizer: "f"}, policy.Decision{Action: policy.Attach, Finalizer: "f"}, false},
	} {
		a, b := Digest(&c.p, Subject{retry: c.a}.References(c.p.Owners)), Digest(&c.q, Subject{retry: c.b}.References(c.q.Owners))
		if (a == b) != c.same || a == 0 || b == 0 {
			t.Errorf("digests %x and %x, want the same: %v: %s", a, b, c.same, c.reason)
		}
	}
}
