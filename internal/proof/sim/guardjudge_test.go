package sim

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// TestQuietInEachEngine: a world is at rest if each engine has nothing to do by the marks that count
// in that engine (RULES, G3). One engine protects the root, and the other one deletes by an order.
func TestQuietInEachEngine(t *testing.T) {
	const start = "g/a* -> t/-!; p/s/y -> t/-; t/-~[foreground]*"
	root := []string{"-"}
	protects := ownergraph.Config{Protect: []guard.Protection{{Names: root}}}
	orders := ownergraph.Config{Guards: []guard.Guard{{Names: root, Phases: []guard.Phase{{Kinds: []graph.Kind{"g"}}, {After: true}}}}}
	observes := orders
	observes.ObserveOnly = true
	for _, c := range []struct {
		other  ownergraph.Config
		runs   bool
		want   bool
		reason string
	}{
		{orders, false, false, "the other engine counts the mark, and has still to delete both dependents"},
		{orders, true, true, "p/s/y waits for its phase in the other engine, and the first one counts no mark"},
		{protects, false, true, "no engine counts the mark"},
		{observes, false, true, "the engine that counts the mark writes nothing"},
	} {
		objects, err := graph.Parse(start)
		if err != nil {
			t.Fatal(err)
		}
		cfgs := []ownergraph.Config{protects, c.other}
		w, err := world.NewEach(ownergraph.Level2, cfgs, nil, objects)
		if err != nil {
			t.Fatal(err)
		}
		if c.runs {
			if err := w.RunToRest(); err != nil {
				t.Fatal(err)
			}
		}
		s := &sim{w: w, o: options{level: ownergraph.Level2}}
		s.o.faults[guards] = true
		s.makeShields(cfgs)
		if got := s.isQuiet(w.Store.Objects()); got != c.want {
			t.Errorf("quiet: %t, want %t: %s", got, c.want, c.reason)
		}
	}
}
