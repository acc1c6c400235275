package ownergraph

import (
	"fmt"
	"slices"
	"time"
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
