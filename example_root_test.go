package ownergraph_test

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// OnDecision names the root of each delete. A client has deleted a service. The store deletes
// a pod of the service, and then a log of the pod.
func ExampleRoot() {
	engine, err := ownergraph.NewEngine(ownergraph.Level2, ownergraph.Config{OnDecision: func(d ownergraph.DecisionEvent) {
		if d.Action == policy.Delete {
			fmt.Println(d.Key, "goes because of", d.Root.Keys)
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	objects, _ := graph.Parse("service/shop#1; pod/one#2 -> service/shop; log/one#3 -> pod/one")
	kinds := []ownergraph.KindInfo{{Kind: "log"}, {Kind: "pod"}, {Kind: "service"}}
	events := []ownergraph.Event{{Type: graph.KindsKnown, Kinds: kinds}}
	for _, o := range objects {
		events = append(events, ownergraph.Event{Type: graph.ListBegun, Kind: o.Kind},
			ownergraph.Event{Type: graph.Put, Object: o}, ownergraph.Event{Type: graph.ListEnded, Kind: o.Kind})
	}
	events = append(events, ownergraph.Event{Type: graph.Gone, Key: objects[0].Key})
	now := time.Unix(0, 0)
	for len(events) > 0 {
		for _, e := range events {
			if err := engine.Observe(now, e); err != nil {
				fmt.Println(err)
			}
		}
		events = nil
		if call, _ := engine.Next(now, ownergraph.LaneStore); call.Type == ownergraph.CallDelete {
			_ = engine.Done(now, call.ID, ownergraph.Result{})
			events = []ownergraph.Event{{Type: graph.Gone, Key: call.Key}}
		}
	}
	// Output:
	// pod/one goes because of [service/shop]
	// log/one goes because of [service/shop]
}
