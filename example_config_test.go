package ownergraph_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
)

// A handler does the work of a finalizer. The collector runs it for objects that are being
// deleted. After a success the collector removes the finalizer.
func ExampleConfig_handlers() {
	store := exampleStore("team/red; bucket/photos[example.org/empty] -> team/red")
	collector, err := ownergraph.New(store, ownergraph.Config{
		Handlers: map[string]ownergraph.Handler{
			"example.org/empty": func(_ context.Context, o ownergraph.Object) error {
				fmt.Println("emptying", o.Key)
				return nil
			},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()

	_ = store.Delete(ctx, ownergraph.Key{Kind: "team", Name: "red"}, ownergraph.DeleteOptions{})
	if _, err := collector.WaitIdle(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(store.Objects()), "objects left")

	stop()
	<-ended
	// Output:
	// emptying bucket/photos
	// 0 objects left
}

// With ObserveOnly the collector reports every decision, and writes nothing.
func ExampleConfig_observeOnly() {
	store := exampleStore("team/red; bucket/old -> team/blue; bucket/new -> team/red")
	decided := map[ownergraph.Key]ownergraph.DecisionEvent{}
	collector, err := ownergraph.New(store, ownergraph.Config{
		ObserveOnly: true,
		// The engine is locked during the call: be quick, and do not call back.
		OnDecision: func(d ownergraph.DecisionEvent) { decided[d.Key] = d },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()

	held, err := collector.WaitIdle(ctx)
	fmt.Println(held, err)
	stop()
	<-ended
	for _, o := range store.Objects() {
		d := decided[o.Key]
		fmt.Printf("%s: %s, %s\n", o.Key, d.Action, d.Reason)
	}
	// Output:
	// [bucket/old: observing only (team/blue)] <nil>
	// bucket/new: keep, an owner exists
	// bucket/old: delete, all owners are gone
	// team/red: keep, no owners
}

// With Policies each reference may have a policy of its own. A cascade reference deletes its object, even if
// the other owners exist. A release reference is dropped, and a restrict reference holds its owner.
func ExampleConfig_policies() {
	store := exampleStore(`project/site; user/ann; task/draft -> project/site:cascade, user/ann;
		note/idea -> project/site:release; repo/code -> project/site; release/v1 -> repo/code:restrict`)
	collector, err := ownergraph.New(store, ownergraph.Config{Policies: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()

	_ = store.Delete(ctx, ownergraph.Key{Kind: "project", Name: "site"}, ownergraph.DeleteOptions{})
	held, err := collector.WaitIdle(ctx)
	fmt.Println(held, err)
	stop()
	<-ended
	for _, o := range store.Objects() {
		fmt.Println(o)
	}
	// Output:
	// [repo/code: another object restricts it (release/v1)] <nil>
	// note/idea#8
	// release/v1#6 -> repo/code:restrict
	// repo/code#5 -> project/site
	// user/ann#2
}
