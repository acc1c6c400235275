package ownergraph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// A guard refuses the deletion of a team that would end more than one object. A user looks at
// the plan and approves it. The backup is protected and stays.
func ExampleConfig_guards() {
	objects, err := graph.Parse("team/blue; db/orders -> team/blue; backup/monday -> db/orders; db/users -> team/blue")
	if err != nil {
		log.Fatal(err)
	}
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		log.Fatal(err)
	}
	above := 1
	c, err := ownergraph.New(store, ownergraph.Config{
		Protect: []guard.Protection{{Name: "backups", Kinds: []graph.Kind{"backup"}}},
		Guards:  []guard.Guard{{Name: "teams", Kinds: []graph.Kind{"team"}, Above: &above}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() { _ = c.Run(ctx) }()

	team := objects[0].Key
	idle(ctx, c) // the team carries the finalizers of its guard
	if err := store.Delete(ctx, team, ownergraph.DeleteOptions{}); err != nil {
		log.Fatal(err)
	}
	idle(ctx, c)
	atMost := 2
	if err := c.Approve(ctx, team, ownergraph.Approval{AtMost: &atMost}); err != nil {
		log.Fatal(err)
	}
	idle(ctx, c)
	// Output:
	// team/blue: its deletion needs an approval (2 objects end, and the limit is 1, guard teams)
	// backup/monday: it is protected (by backups)
}

// idle waits until the collector is idle, and prints the held objects.
func idle(ctx context.Context, c *ownergraph.Collector) {
	held, err := c.WaitIdle(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range held {
		fmt.Println(h)
	}
}
