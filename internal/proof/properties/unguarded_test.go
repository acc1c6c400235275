package properties

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// TestUnguardedPlaceIsTaken checks that a read proves the end of an unguarded holder,
// where there are no fences. A new object with its name that is no holder proves the
// end, too. The engine then sweeps the members of the old holder.
func TestUnguardedPlaceIsTaken(t *testing.T) {
	sweep := guard.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant", Unguarded: true,
		Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}},
		Holders: func(o graph.Object) bool { return !o.HasFinalizer("x.io/none") },
	}
	objects, err := graph.Parse("tenant/a; volume/a-v")
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(ownergraph.Level1, ownergraph.Config{Sweeps: []guard.Sweep{sweep}}, 1, nil, objects)
	if err != nil {
		t.Fatal(err)
	}
	for k := range w.Kinds { // the holder is observed, and goes before it is guarded
		for w.List(0, k); len(w.Sides[0].Streams[k].Events) > 0; {
			if err := w.Deliver(0, k); err != nil {
				t.Fatal(err)
			}
		}
	}
	tenant := objects[0].Key
	w.Do(oracle.Action{Verb: oracle.Background, Object: graph.Object{Key: tenant}})
	w.Do(oracle.Action{Verb: oracle.Create, Object: graph.Object{Key: w.Store.Next(tenant), Finalizers: []string{"x.io/none"}}})
	if err := w.RunToRest(); err != nil {
		t.Fatal(err)
	}
	if left := w.Store.Objects(); len(left) != 1 || left[0].Kind != "tenant" {
		t.Errorf("remaining: %s, want the tenant that is no holder", graph.Format(left))
	}
}
