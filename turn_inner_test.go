package ownergraph

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TurnsAgree compares what a Collector's turns hand out with what Next does, lane by
// lane, until there is nothing more: the same calls, and the same time to ask again.
// Neither changes the engine. It is asked after each step of TestAnything.
func (e *Engine) TurnsAgree(now time.Time) error {
	byTurns, at := e.Clone().allByTurns(now)
	byLanes, again := e.Clone().allByLanes(now)
	if !slices.Equal(byTurns, byLanes) || !at.Equal(again) {
		return fmt.Errorf("turns hand out %q and come back at %v; lane by lane it is %q and %v", byTurns, at, byLanes, again)
	}
	return nil
}

var allLanes = [...]Lane{LaneControl, LaneHandler, LaneStore}

func (e *Engine) allByTurns(now time.Time) (out []string, at time.Time) {
	for {
		var more bool
		at, more = e.advance(now, true)
		for _, lane := range allLanes {
			var c Call
			for e.ready(lane, &c) {
				out, more = append(out, wording(c)), true
			}
			at = soonest(at, e.wakeLane(lane))
		}
		if !more {
			slices.Sort(out)
			return out, at
		}
	}
}

func (e *Engine) allByLanes(now time.Time) (out []string, at time.Time) {
	for more := true; more; {
		more, at = false, time.Time{}
		for _, lane := range allLanes {
			c, again := e.Next(now, lane)
			if c.Type != CallUnset {
				out, more = append(out, wording(c)), true
			}
			more = more || !again.IsZero() && !again.After(e.now)
			at = soonest(at, again)
		}
	}
	slices.Sort(out)
	return out, at
}

// wording is a call but for its number, which tells the order of decisions.
func wording(c Call) string {
	c.ID = 0
	return fmt.Sprintf("%s %+v", c.name(), c)
}

// TestFenceFreedInTurn: the listing that held a fence beside a sick kind ends in a
// turn, and the sick kind's time is over: who waits for the fence is looked at in it.
func TestFenceFreedInTurn(t *testing.T) {
	e, err := NewEngine(Level2, Config{FenceWait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1, 0)
	see := seeing(t, e, now)
	see(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "o"}, {Kind: "s"}, {Kind: "x"}}})
	for _, k := range []Kind{"o", "s", "x"} {
		see(Event{Type: graph.ListBegun, Kind: k}, Event{Type: graph.ListEnded, Kind: k})
	}
	see(put("o/a#9~[foregroundDeletion]"))
	if out, _ := e.allByTurns(now); len(out) != 1 {
		t.Fatalf("%q, want a fence", out)
	}
	see(Event{Type: graph.KindSick, Kind: "s", Reason: "down"}, Event{Type: graph.ListBegun, Kind: "x"})
	_, _ = e.allByTurns(now)
	now = now.Add(time.Minute / 4)
	fence := e.fence.ID()
	seeing(t, e, now)(
		Event{Type: graph.FencePassed, Fence: fence}, Event{Type: graph.FencePassed, Kind: "o", Fence: fence},
		Event{Type: graph.ListEnded, Kind: "x"}, Event{Type: graph.FencePassed, Kind: "x", Fence: fence})
	var c Call
	if _, more := e.advance(now, true); !more && (e.ready(LaneControl, &c) || e.Busy() && !e.ready(LaneStore, &c)) {
		t.Errorf("%s: there is work left, and nobody is told", c.name())
	}
	if c.Type != CallPatch {
		t.Errorf("%s, want the finalizer to go", c.name())
	}
}
