package recipes_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// A user deletes a team by mistake. The restore brings it back with the databases that its deletion took. The database that
// a user deleted before stays gone.
func Example_undo() {
	keep := &archive.Config{Keep: 30 * 24 * time.Hour}
	store, collector, stop := startOn(memory.Config{Archive: keep}, ownergraph.Config{})
	defer stop()
	ctx := context.Background()
	team := create(store, "team", "blue")
	for _, name := range []string{"old", "orders", "users"} {
		create(store, "database", name, team.ControllerRef())
	}
	for _, key := range []ownergraph.Key{{Kind: "database", Name: "old"}, {Kind: "team", Name: "blue"}} {
		if err := store.Delete(ctx, key, ownergraph.DeleteOptions{}); err != nil {
			log.Fatal(err)
		}
		idle(collector)
	}
	fmt.Println(len(store.Objects()), "objects after the deletion")

	undo := archive.Request{Roots: []graph.UID{team.UID}}
	forecast, err := restore.Plan(ctx, collector, undo)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range forecast.Members {
		fmt.Println("comes back:", m.Name)
	}
	for _, l := range forecast.Left {
		fmt.Printf("stays gone: %s: %s\n", l.Entry.Object.Name, l.Why)
	}
	result, err := restore.Run(ctx, collector, undo, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Created, "objects are back")
	// Output:
	// 0 objects after the deletion
	// comes back: blue
	// comes back: orders
	// comes back: users
	// stays gone: old: a user deleted it
	// 3 objects are back
}
