package ownergraph

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// TestPlanUnservedMembers: a store no longer serves a kind, which proves nothing about its objects. The
// plan of their definition still has them.
func TestPlanUnservedMembers(t *testing.T) {
	for _, by := range []graph.EventType{graph.KindVanished, graph.KindsKnown} {
		e, err := NewEngine(Level2, Config{})
		if err != nil {
			t.Fatal(err)
		}
		def := KindInfo{Kind: "def", Container: graph.Container{Members: graph.KindMembers, Actor: "the server"}}
		events := []Event{{Type: graph.KindsKnown, Kinds: []KindInfo{def, {Kind: "w", Definition: "ws"}}}, {Type: graph.ListBegun, Kind: "def"}, {Type: graph.ListBegun, Kind: "w"}}
		for _, k := range []Key{{Kind: "def", Name: "ws", UID: "u1"}, {Kind: "w", Name: "1", UID: "u2"}, {Kind: "w", Name: "2", UID: "u3"}} {
			events = append(events, Event{Type: graph.Put, Object: Object{Key: k, Version: "1"}})
		}
		events = append(events, Event{Type: graph.ListEnded, Kind: "def"}, Event{Type: graph.ListEnded, Kind: "w"}, Event{Type: by, Kind: "w", Kinds: []KindInfo{def}})
		if by == graph.KindsKnown {
			events[len(events)-1].Kind = ""
		} else {
			events[len(events)-1].Kinds = nil
		}
		now := time.Unix(1e9, 0)
		if err := (insider{e}).ObserveAll(now, events); err != nil {
			t.Fatal(err)
		}
		p, err := insider{e}.Plan(t.Context(), now, plan.Request{Delete: []plan.Target{{Key: Key{Kind: "def", Name: "ws"}, Propagation: graph.Background}}})
		removed := 0
		for _, n := range p.Totals {
			removed += n.Removed
		}
		if err != nil || removed != 3 {
			t.Errorf("after %s: %v, %v, want 3 objects removed", by, p.Totals, err)
		}
	}
}
