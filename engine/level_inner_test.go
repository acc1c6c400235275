package engine

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestWaitAsksForFence: a wait for an idle engine asks for a fence at the levels that have
// fences, and at no other.
func TestWaitAsksForFence(t *testing.T) {
	for _, tc := range []struct {
		level Level
		fence bool
	}{{Level0, false}, {Level1, false}, {Level2, true}, {Level3, true}} {
		e, err := New(tc.level, Config{})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(0, 0)
		seeing(t, e, now)(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}},
			graph.Event{Type: graph.ListBegun, Kind: "a"}, graph.Event{Type: graph.ListEnded, Kind: "a"})
		for more := true; more; {
			var c Call
			more, _ = e.nextInto(now, LaneHandler, &c)
		}
		driver{e}.BeginWait(now)
		if c, _ := e.Next(now, LaneControl); (c.Type == CallFence) != tc.fence {
			t.Errorf("level %s: the next call is %s, want a fence: %t", tc.level, c.Type, tc.fence)
		}
	}
}
