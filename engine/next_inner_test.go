package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/moments"
)

var allLanes = [...]Lane{LaneControl, LaneHandler, LaneStore}

func (e *Engine) allByLanes(now time.Time) (out []string, at time.Time) {
	for more := true; more; {
		more, at = false, time.Time{}
		for _, lane := range allLanes {
			c, again := e.Next(now, lane)
			if c.Type != CallUnset {
				out, more = append(out, wording(c)), true
			}
			more = more || !again.IsZero() && !again.After(e.now)
			at = moments.Soonest(at, again)
		}
	}
	slices.Sort(out)
	return out, at
}

// wording is a call but for its number, which tells the order of decisions.
func wording(c Call) string {
	c.ID = 0
	return fmt.Sprintf("%s %+v", c.String(), c)
}

// TestFenceFreedInTurn: a listing ends that blocked a fence beside a sick kind, and the time
// of the sick kind is over. One Next of each lane decides the objects that wait for the
// fence.
func TestFenceFreedInTurn(t *testing.T) {
	e, err := New(Level2, Config{FenceWait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1, 0)
	see := seeing(t, e, now)
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "o"}, {Kind: "s"}, {Kind: "x"}}})
	for _, k := range []graph.Kind{"o", "s", "x"} {
		see(graph.Event{Type: graph.ListBegun, Kind: k}, graph.Event{Type: graph.ListEnded, Kind: k})
	}
	see(put("o/a#9~[foregroundDeletion]"))
	if out, _ := e.allByLanes(now); len(out) != 1 {
		t.Fatalf("%q, want a fence", out)
	}
	see(graph.Event{Type: graph.KindSick, Kind: "s", Reason: "down"}, graph.Event{Type: graph.ListBegun, Kind: "x"})
	_, _ = e.allByLanes(now)
	now = now.Add(time.Minute / 4)
	fence := uint64(0)
	for id, x := range e.calls.All() {
		if x.Purpose == inflight.Fence {
			fence = id
		}
	}
	if err := e.Done(now, CallID(fence), Result{Fence: fence}); err != nil {
		t.Fatal(err)
	}
	seeing(t, e, now)(
		graph.Event{Type: graph.FencePassed, Fence: fence}, graph.Event{Type: graph.FencePassed, Kind: "o", Fence: fence},
		graph.Event{Type: graph.ListEnded, Kind: "x"}, graph.Event{Type: graph.FencePassed, Kind: "x", Fence: fence})
	var calls []string
	for _, lane := range allLanes {
		if c, _ := e.Next(now, lane); c.Type != CallUnset {
			calls = append(calls, c.String())
		}
	}
	if !slices.Equal(calls, []string{"patch o/a"}) {
		t.Errorf("%q, want the finalizer to go", calls)
	}
}
