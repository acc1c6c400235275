package recipes_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
)

// deleteByHand deletes a team as many programs do: a loop over the dependents, and then the owner.
// Meanwhile another client creates a database, or the process ends.
func deleteByHand(ctx context.Context, store *memory.Store, team ownergraph.Object, meanwhile func()) error {
	for _, o := range store.Objects() {
		if len(o.Owners) == 0 || o.Owners[0].Key != team.Key {
			continue
		}
		if err := store.Delete(ctx, o.Key, ownergraph.DeleteOptions{}); err != nil {
			return err
		}
	}
	meanwhile()
	return store.Delete(ctx, team.Key, ownergraph.DeleteOptions{})
}

// The loop misses a database that another client creates in between. The collector does not, because
// it looks at the references after the owner is gone.
func Example_byHand() {
	ctx := context.Background()
	store, collector, stop := start(ownergraph.Config{ObserveOnly: true}) // it reports, and writes nothing
	team := create(store, "team", "blue")
	create(store, "database", "orders", team.ControllerRef())
	err := deleteByHand(ctx, store, team, func() { create(store, "database", "late", team.ControllerRef()) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("by hand:", idle(collector)[0])
	stop()

	store, collector, stop = start(ownergraph.Config{})
	defer stop()
	team = create(store, "team", "blue")
	create(store, "database", "orders", team.ControllerRef())
	if err := store.Delete(ctx, team.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background}); err != nil {
		log.Fatal(err)
	}
	create(store, "database", "late", team.ControllerRef())
	idle(collector)
	fmt.Println("by the collector:", len(store.Objects()), "objects are left")
	// Output:
	// by hand: database/late: observing only (team/blue)
	// by the collector: 0 objects are left
}
