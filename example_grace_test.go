package ownergraph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// A user gives a service five seconds, and its workers get five seconds, too. The volume has no agent
// that ends a period, so its kind is not named. The agent of a worker ends the period when the worker
// is done.
func ExampleConfig_grace() {
	objects, err := graph.Parse("service/shop; worker/a -> service/shop!; worker/b -> service/shop!; volume/v -> service/shop!")
	if err != nil {
		log.Fatal(err)
	}
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		log.Fatal(err)
	}
	c, err := ownergraph.New(store, ownergraph.Config{PropagateGrace: []graph.Kind{"service", "worker"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() { _ = c.Run(ctx) }()

	idle(ctx, c)
	seconds, none := int64(5), int64(0)
	options := ownergraph.DeleteOptions{Propagation: ownergraph.Foreground, GraceSeconds: &seconds}
	if err := store.Delete(ctx, objects[0].Key, options); err != nil {
		log.Fatal(err)
	}
	idle(ctx, c)
	for _, o := range objects[1:3] {
		if err := store.Delete(ctx, o.Key, ownergraph.DeleteOptions{GraceSeconds: &none}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("the workers are done")
	idle(ctx, c)
	// Output:
	// service/shop: dependents hold it (worker/a, worker/b)
	// worker/a: its grace period has to end (5 s)
	// worker/b: its grace period has to end (5 s)
	// the workers are done
	// service/shop: its grace period has to end (5 s)
}
