package ownergraph_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestRewindHealsOnlyByListingsAnew: a listing that began before a rewind proves
// nothing, even if its end, or its sweep, comes afterwards (R5).
func TestRewindHealsOnlyByListingsAnew(t *testing.T) {
	e, err := ownergraph.NewEngine(ownergraph.Level1, ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	see := func(evs ...graph.Event) {
		t.Helper()
		for _, ev := range evs {
			if err := e.Observe(now, ev); err != nil {
				t.Fatal(err)
			}
		}
	}
	list := func(typ graph.EventType, k graph.Kind) graph.Event { return graph.Event{Type: typ, Kind: k} }
	garbage, err := graph.ParseObject("b#1 -> a/gone")
	if err != nil {
		t.Fatal(err)
	}
	deletes := func() (n int) {
		for {
			c, at := e.Next(now, ownergraph.LaneStore)
			switch {
			case c.Type == ownergraph.CallRead:
				if err := e.Done(now, c.ID, ownergraph.Result{Err: graph.ErrNotFound}); err != nil {
					t.Fatal(err)
				}
			case c.Type == ownergraph.CallDelete:
				n++
			case at.IsZero() || at.After(now):
				return n
			}
		}
	}
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}},
		list(graph.ListBegun, "a"), list(graph.ListEnded, "a"),
		graph.Event{Type: graph.Rewound, Reason: "restored"})
	deletes()
	see(list(graph.ListBegun, "a"), list(graph.ListBegun, "b"),
		graph.Event{Type: graph.Put, Object: garbage}, list(graph.ListEnded, "b"))
	if n := deletes(); n != 0 {
		t.Fatalf("%d deletes while kind a is still being listed anew", n)
	}
	see(list(graph.ListEnded, "a"))
	if n := deletes(); n != 1 {
		t.Fatalf("%d deletes once both kinds are listed anew, want 1", n)
	}
}
