package ownergraph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// A service owns two pods, and another service owns one of them, too. The plan says what the
// deletion of the service does. It changes nothing.
func ExampleCollector_Plan() {
	store := exampleStore("service/shop; service/blog; pod/one -> service/shop; pod/two[example.com/x] -> service/shop; pod/three -> service/shop, service/blog")
	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()
	if _, err := collector.WaitIdle(ctx); err != nil {
		fmt.Println(err)
	}

	shop := ownergraph.Key{Kind: "service", Name: "shop"}
	p, err := collector.Plan(ctx, plan.Request{Delete: []plan.Target{{Key: shop, Propagation: ownergraph.Background}}})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(p.Text())
	fmt.Println(len(store.Objects()), "objects")

	stop()
	fmt.Println(<-ended)
	// Output:
	// - service/shop
	//   - pod/one
	//   ~ pod/three loses the owner service/shop; service/blog keeps it
	//   ! pod/two stays: the finalizer example.com/x holds it
	// assumed: no controller takes the finalizer example.com/x off (1 object)
	// 2 objects go; 1 stays and loses an owner; 1 is held
	// 5 objects
	// <nil>
}

// A plan is carried out only if it is still valid. Here a client has created another pod since.
func ExampleCollector_DeletePlanned() {
	store := exampleStore("service/shop; pod/one -> service/shop")
	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()
	if err := collector.Synced(ctx); err != nil {
		fmt.Println(err)
	}

	shop := graph.Key{Kind: "service", Name: "shop", UID: "service/shop"}
	req := plan.Request{Delete: []plan.Target{{Key: shop, Propagation: ownergraph.Background}}}
	p, err := collector.Plan(ctx, req)
	if err != nil {
		fmt.Println(err)
	}
	if _, err := store.Create(ctx, graph.Object{Key: graph.Key{Kind: "pod", Name: "two"}, Owners: []graph.Owner{{Key: shop}}}); err != nil {
		fmt.Println(err)
	}
	err = collector.DeletePlanned(ctx, p)
	fmt.Println(errors.Is(err, plan.ErrChanged), len(store.Objects()))

	p, err = collector.Plan(ctx, req)
	if err == nil {
		err = collector.DeletePlanned(ctx, p)
	}
	fmt.Println(err)
	if _, err := collector.WaitIdle(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(store.Objects()), "objects")

	stop()
	fmt.Println(<-ended)
	// Output:
	// true 3
	// <nil>
	// 0 objects
	// <nil>
}
