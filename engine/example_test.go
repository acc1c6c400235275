package engine_test

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// A test drives an Engine by hand. It chooses the order of events and results, and the time.
// The store lists a service that a client has deleted, and a pod of that service. The engine
// wants the pod deleted, and the test reports the result.
func ExampleEngine() {
	e, err := engine.New(engine.Level2, engine.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Unix(0, 0)
	observe := func(events ...graph.Event) {
		for _, ev := range events {
			if err := e.Observe(now, ev); err != nil {
				fmt.Println(err)
			}
		}
	}
	service, _ := graph.ParseObject("service/shop#1")
	pod, _ := graph.ParseObject("pod/one#2 -> service/shop")
	observe(
		graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "pod"}, {Kind: "service"}}},
		graph.Event{Type: graph.ListBegun, Kind: "service"}, graph.Event{Type: graph.Put, Object: service},
		graph.Event{Type: graph.ListEnded, Kind: "service"},
		graph.Event{Type: graph.ListBegun, Kind: "pod"}, graph.Event{Type: graph.Put, Object: pod},
		graph.Event{Type: graph.ListEnded, Kind: "pod"},
		graph.Event{Type: graph.Gone, Key: service.Key},
	)
	call, _ := e.Next(now, engine.LaneStore)
	fmt.Println(call.Type, call.Key, "in version", call.Options.Precondition.Version)

	// The store has deleted the pod, and the watch is behind.
	_ = e.Done(now, call.ID, engine.Result{})
	fmt.Println("idle:", e.Idle())
	observe(graph.Event{Type: graph.Gone, Key: pod.Key})
	// No lane has another call.
	for _, lane := range []engine.Lane{engine.LaneStore, engine.LaneHandler, engine.LaneControl} {
		if call, at := e.Next(now, lane); call.Type != engine.CallUnset {
			fmt.Println(lane, call.Type, at)
		}
	}
	fmt.Println("idle:", e.Idle(), "objects:", e.Stats().Objects, "held:", e.Held(9), "error:", e.Err())
	// Output:
	// delete pod/one in version 2
	// idle: false
	// idle: true objects: 0 held: [] error: <nil>
}
