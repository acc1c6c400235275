package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// exampleStore returns a store that has the objects, given in notation.
func exampleStore(objects string) *memory.Store {
	list, err := graph.Parse(objects)
	if err != nil {
		panic(err)
	}
	store, err := memory.New(memory.Config{Objects: list})
	if err != nil {
		panic(err)
	}
	return store
}

// keys prints the keys of the store's objects.
func keys(store *memory.Store) {
	for _, o := range store.Objects() {
		fmt.Println(o.Key)
	}
}

// A service owns two pods, and one of the pods owns a volume. A client deletes the service.
// The collector deletes the pods and the volume.
func ExampleCollector() {
	store := exampleStore("service/shop; pod/one -> service/shop; pod/two -> service/shop; volume/data -> pod/one; volume/logs")
	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()

	shop := ownergraph.Key{Kind: "service", Name: "shop"}
	if err := store.Delete(ctx, shop, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground}); err != nil {
		fmt.Println(err)
	}
	if _, err := collector.WaitIdle(ctx); err != nil {
		fmt.Println(err)
	}
	keys(store)

	stop()
	fmt.Println(<-ended)
	// Output:
	// volume/logs
	// <nil>
}

// WaitIdle returns the held objects, with the reason and the objects that hold them.
func ExampleCollector_WaitIdle() {
	store := exampleStore("service/shop; pod/one[example.org/backup] -> service/shop!; pod/two -> node/north")
	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()

	shop := ownergraph.Key{Kind: "service", Name: "shop"}
	_ = store.Delete(ctx, shop, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground})
	held, err := collector.WaitIdle(ctx)
	if err != nil {
		fmt.Println(err)
	}
	for _, h := range held {
		fmt.Println(h)
	}

	stop()
	<-ended
	_, err = collector.WaitIdle(context.Background())
	fmt.Println(errors.Is(err, ownergraph.ErrClosed))
	// Output:
	// pod/one: finalizers hold it (example.org/backup)
	// pod/two: owner's kind not served (node/north)
	// service/shop: dependents hold it (pod/one)
	// true
}

// A handler hangs. Running names it, with its age.
func ExampleCollector_Running() {
	store := exampleStore("bucket/photos[example.org/empty]")
	begun, empty := make(chan struct{}), make(chan struct{})
	collector, err := ownergraph.New(store, ownergraph.Config{Handlers: map[string]ownergraph.Handler{
		"example.org/empty": func(context.Context, ownergraph.Object) error {
			close(begun)
			<-empty
			return nil
		},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()

	_ = store.Delete(ctx, ownergraph.Key{Kind: "bucket", Name: "photos"}, ownergraph.DeleteOptions{})
	<-begun
	for _, run := range collector.Running() {
		fmt.Println(run.Finalizer, "of", run.Key, "after", run.Tries, "failed runs, hangs:", time.Since(run.Since) > time.Minute)
	}
	close(empty)
	_, _ = collector.WaitIdle(ctx)
	stop()
	<-ended
	// Output:
	// example.org/empty of bucket/photos after 0 failed runs, hangs: false
}
