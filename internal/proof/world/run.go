package world

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// maxRounds bounds a run to rest.
const maxRounds = 1_000_000

var lanes = [...]engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler}

// RunToRest runs the world until it is at rest, in a fixed order. A round begins
// listings, delivers events, hands out calls and completes them. If a round does
// nothing, time moves to the next time that an engine waits for. RunToRest returns an
// error after a million rounds.
func (w *World) RunToRest() error {
	for range maxRounds {
		moved, err := w.Round()
		if err != nil {
			return err
		}
		if !moved && !w.Advance() {
			return nil
		}
	}
	return fmt.Errorf("run to rest: not at rest after %d rounds", maxRounds)
}

// Round does one step of each sort, and returns true if there was a step.
func (w *World) Round() (bool, error) {
	moved := false
	for i, s := range w.Sides {
		for k := range s.Streams {
			if s.Streams[k].Down {
				continue
			}
			if !s.Streams[k].Begun {
				w.List(i, k)
				moved = true
			}
			for len(s.Streams[k].Events) > 0 {
				if err := w.Deliver(i, k); err != nil {
					return true, err
				}
				moved = true
			}
		}
		for _, lane := range lanes {
			_, ok, err := w.Issue(i, lane)
			if err != nil {
				return true, err
			}
			moved = moved || ok
		}
		for len(s.Asked) > 0 {
			if err := w.Name(i, 0, NoFault); err != nil {
				return true, err
			}
			moved = true
		}
		for len(s.Calls) > 0 {
			if err := w.Complete(i, 0); err != nil {
				return true, err
			}
			moved = true
		}
	}
	return moved, nil
}

// Due returns the next time that an engine waits for. It leaves out idle engines, and
// returns false if no engine waits.
func (w *World) Due() (time.Time, bool) {
	for _, s := range w.Sides {
		if s.Engine.Idle() {
			continue
		}
		var next time.Time
		for _, lane := range lanes {
			at, ok := probe.Wake(s.Engine, lane)
			if ok && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
		if !next.IsZero() {
			return next, true
		}
	}
	return time.Time{}, false
}

// Advance moves the time to Due, and returns true if there is such a time. The time
// does not go back for an engine that was due earlier.
func (w *World) Advance() bool {
	next, ok := w.Due()
	if ok && next.After(w.Now) {
		w.Now = next
	}
	return ok
}

// Total returns the number of completed calls.
func (w *World) Total() int {
	n := 0
	for _, r := range w.Requests {
		n += r
	}
	return n
}
