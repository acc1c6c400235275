package world

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
)

// mostRounds bounds a run to quiescence.
const mostRounds = 1_000_000

var lanes = [...]ownergraph.Lane{ownergraph.LaneStore, ownergraph.LaneControl, ownergraph.LaneHandler}

// Settle lets everything happen in a fixed order until nothing more does:
// listings are begun, events delivered, calls handed out and landed; time moves
// when nothing else does, up to the next thing that an engine waits for. It
// fails if that takes more than a million rounds.
func (w *World) Settle() error {
	for range mostRounds {
		moved, err := w.Round()
		if err != nil {
			return err
		}
		if !moved && !w.Advance() {
			return nil
		}
	}
	return fmt.Errorf("settle: still moving after %d rounds", mostRounds)
}

// Round does one of each that can be done, and reports whether there was any.
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
		for len(s.Calls) > 0 {
			if err := w.Land(i, 0); err != nil {
				return true, err
			}
			moved = true
		}
	}
	return moved, nil
}

// Due returns the next time that an engine that is not idle waits for, and
// whether there is one.
func (w *World) Due() (time.Time, bool) {
	for _, s := range w.Sides {
		if s.Engine.Idle() {
			continue
		}
		var next time.Time
		for _, lane := range lanes {
			at, ok := s.Engine.Wake(lane)
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

// Advance moves time on to Due, and reports whether there is such a time. An engine that
// has not been asked for long may be due since some time ago.
func (w *World) Advance() bool {
	next, ok := w.Due()
	if ok && next.After(w.Now) {
		w.Now = next
	}
	return ok
}

// Total returns how many calls landed.
func (w *World) Total() int {
	n := 0
	for _, r := range w.Requests {
		n += r
	}
	return n
}
