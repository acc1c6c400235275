package engine_test

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// OnDecision names the root of each delete. A client has deleted a service. The store deletes
// a pod of the service, and then a log of the pod.
func ExampleRoot() {
	e, err := engine.New(engine.Level2, engine.Config{OnDecision: func(d engine.DecisionEvent) {
		if d.Action == policy.Delete {
			fmt.Println(d.Key, "goes because of", d.Root.Keys)
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	objects, _ := graph.Parse("service/shop#1; pod/one#2 -> service/shop; log/one#3 -> pod/one")
	kinds := []graph.KindInfo{{Kind: "log"}, {Kind: "pod"}, {Kind: "service"}}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: kinds}}
	for _, o := range objects {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: o.Kind},
			graph.Event{Type: graph.Put, Object: o}, graph.Event{Type: graph.ListEnded, Kind: o.Kind})
	}
	events = append(events, graph.Event{Type: graph.Gone, Key: objects[0].Key})
	now := time.Unix(0, 0)
	for len(events) > 0 {
		for _, ev := range events {
			if err := e.Observe(now, ev); err != nil {
				fmt.Println(err)
			}
		}
		events = nil
		if call, _ := e.Next(now, engine.LaneStore); call.Type == engine.CallDelete {
			_ = e.Done(now, call.ID, engine.Result{})
			events = []graph.Event{{Type: graph.Gone, Key: call.Key}}
		}
	}
	// Output:
	// pod/one goes because of [service/shop]
	// log/one goes because of [service/shop]
}
