package run

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// TestGuardKinds: the program warns of each kind of a protection or a guard that the server does
// not serve, and of no other.
func TestGuardKinds(t *testing.T) {
	c := Config{Engine: ownergraph.Config{
		Protect: []finalizer.Protection{{Kinds: []graph.Kind{"ConfigMap", "Secrets"}}},
		Guards:  []finalizer.Guard{{Kinds: []graph.Kind{"Deployment", "apps/Deployment"}, Always: true}},
	}}
	bubble(t, c, func(r *rig) {
		r.start(r.program)
		pass(time.Second)
		const text = "names a kind that takes no part"
		if all := r.with(text); len(all) != 2 || len(r.with(text, "kind=Secrets")) != 1 || len(r.with(text, "kind=Deployment")) != 1 {
			t.Errorf("logged %q", all)
		}
	})
}
