package ownergraph_test

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// A test drives an Engine by hand. It chooses the order of events and results, and the time.
// The store lists a service that a client has deleted, and a pod of that service. The engine
// wants the pod deleted, and the test reports the result.
func ExampleEngine() {
	engine, err := ownergraph.NewEngine(ownergraph.Level2, ownergraph.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Unix(0, 0)
	observe := func(events ...ownergraph.Event) {
		for _, e := range events {
			if err := engine.Observe(now, e); err != nil {
				fmt.Println(err)
			}
		}
	}
	service, _ := graph.ParseObject("service/shop#1")
	pod, _ := graph.ParseObject("pod/one#2 -> service/shop")
	observe(
		ownergraph.Event{Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "pod"}, {Kind: "service"}}},
		ownergraph.Event{Type: graph.ListBegun, Kind: "service"}, ownergraph.Event{Type: graph.Put, Object: service},
		ownergraph.Event{Type: graph.ListEnded, Kind: "service"},
		ownergraph.Event{Type: graph.ListBegun, Kind: "pod"}, ownergraph.Event{Type: graph.Put, Object: pod},
		ownergraph.Event{Type: graph.ListEnded, Kind: "pod"},
		ownergraph.Event{Type: graph.Gone, Key: service.Key},
	)
	call, _ := engine.Next(now, ownergraph.LaneStore)
	fmt.Println(call.Type, call.Key, "in version", call.Options.Precondition.Version)

	// The store has deleted the pod, and the watch is behind.
	_ = engine.Done(now, call.ID, ownergraph.Result{})
	fmt.Println("idle:", engine.Idle())
	observe(ownergraph.Event{Type: graph.Gone, Key: pod.Key})
	// No lane has another call.
	for _, lane := range []ownergraph.Lane{ownergraph.LaneStore, ownergraph.LaneHandler, ownergraph.LaneControl} {
		if call, at := engine.Next(now, lane); call.Type != ownergraph.CallUnset {
			fmt.Println(lane, call.Type, at)
		}
	}
	fmt.Println("idle:", engine.Idle(), "objects:", engine.Stats().Objects, "held:", engine.Held(9), "error:", engine.Err())
	// Output:
	// delete pod/one in version 2
	// idle: false
	// idle: true objects: 0 held: [] error: <nil>
}

// A handler hangs. Running names it, with its age.
func ExampleCollector_Running() {
	store := exampleStore("bucket/photos[example.org/empty]")
	begun, empty := make(chan struct{}), make(chan struct{})
	collector, err := ownergraph.New(store, ownergraph.Config{Handlers: map[string]finalizer.Handler{
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
