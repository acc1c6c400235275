package ownergraph_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// A rule protects the backups of a team, so they stay after the team. The next program has no such rule,
// and deletes them at its start.
func ExampleConfig_protect() {
	store := exampleStore("team/blue; backup/monday -> team/blue")
	rule := guard.Protection{Name: "backups", Kinds: []graph.Kind{"backup"}}

	runOnce(store, ownergraph.Config{Protect: []guard.Protection{rule}}, func(ctx context.Context) {
		_ = store.Delete(ctx, ownergraph.Key{Kind: "team", Name: "blue"}, ownergraph.DeleteOptions{})
	})
	p, err := ownergraph.PlanStore(context.Background(), store, ownergraph.Config{}, plan.Request{})
	if err != nil {
		fmt.Println(err)
	}
	for _, o := range p.Objects {
		fmt.Println("without the rule:", o.Key.Text(), o.Outcome)
	}
	runOnce(store, ownergraph.Config{}, func(context.Context) {})
	fmt.Println(len(store.Objects()), "objects left")
	// Output:
	// backup/monday: it is protected (by backups)
	// without the rule: backup/monday removed
	// 0 objects left
}

// runOnce runs a program with the settings until it is idle, and prints the held objects.
func runOnce(store *memory.Store, cfg ownergraph.Config, user func(context.Context)) {
	c, err := ownergraph.New(store, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	user(ctx)
	idle(ctx, c)
	stop()
	<-ended
}
