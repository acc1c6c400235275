package ownergraph_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
)

// This is the example of the README.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()

	store, _ := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "Team"}, {Kind: "Repo"}}})
	collector, _ := ownergraph.New(store, ownergraph.Config{})
	go collector.Run(ctx)

	team, _ := store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "Team", Name: "blue"}})
	store.Create(ctx, ownergraph.Object{
		Key:    ownergraph.Key{Kind: "Repo", Name: "site"},
		Owners: []ownergraph.Owner{team.ControllerRef()},
	})

	store.Delete(ctx, team.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Background})
	collector.WaitIdle(ctx)
	fmt.Println(store.Objects())
	// Output: []
}
