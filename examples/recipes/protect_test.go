package recipes_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/guard"
)

// No cascade takes a backup. A person deletes it by hand, or takes the rule away.
func Example_protect() {
	store, collector, stop := start(ownergraph.Config{
		Protect: []guard.Protection{{Name: "backups", Kinds: []ownergraph.Kind{"backup"}}},
	})
	defer stop()
	team := create(store, "team", "blue")
	database := create(store, "database", "orders", team.ControllerRef())
	create(store, "backup", "monday", database.ControllerRef())

	if err := store.Delete(context.Background(), team.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background}); err != nil {
		log.Fatal(err)
	}
	for _, h := range idle(collector) {
		fmt.Println(h)
	}
	// Output:
	// backup/monday: it is protected (by backups)
}
