package forecast

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/plan"
)

// TestPlanUnservedMembers: a store no longer serves a kind, which proves nothing about its objects. The
// plan of their definition still has them.
func TestPlanUnservedMembers(t *testing.T) {
	for _, by := range []graph.EventType{graph.KindVanished, graph.KindsKnown} {
		e, err := engine.New(engine.Level2, engine.Config{})
		if err != nil {
			t.Fatal(err)
		}
		def := graph.KindInfo{Kind: "def", Container: graph.Container{Members: graph.KindMembers, Actor: "the server"}}
		events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{def, {Kind: "w", Definition: "ws"}}}, {Type: graph.ListBegun, Kind: "def"}, {Type: graph.ListBegun, Kind: "w"}}
		for _, k := range []graph.Key{{Kind: "def", Name: "ws", UID: "u1"}, {Kind: "w", Name: "1", UID: "u2"}, {Kind: "w", Name: "2", UID: "u3"}} {
			events = append(events, graph.Event{Type: graph.Put, Object: graph.Object{Key: k, Version: "1"}})
		}
		events = append(events, graph.Event{Type: graph.ListEnded, Kind: "def"}, graph.Event{Type: graph.ListEnded, Kind: "w"}, graph.Event{Type: by, Kind: "w", Kinds: []graph.KindInfo{def}})
		if by == graph.KindsKnown {
			events[len(events)-1].Kind = ""
		} else {
			events[len(events)-1].Kinds = nil
		}
		now := time.Unix(1e9, 0)
		if err := e.Inside(inside.Key{}).ObserveAll(now, events); err != nil {
			t.Fatal(err)
		}
		p, err := PlanAtOnce(t.Context(), driver(e), now, plan.Request{Delete: []plan.Target{{Key: graph.Key{Kind: "def", Name: "ws"}, Propagation: graph.Background}}}, nil)
		removed := 0
		for _, n := range p.Totals {
			removed += n.Removed
		}
		if err != nil || removed != 3 {
			t.Errorf("after %s: %v, %v, want 3 objects removed", by, p.Totals, err)
		}
	}
}
