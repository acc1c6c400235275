package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// BeginWait begins a wait for the engine to be idle, and returns its moment, for
// WaitOver. On a store of level 2 a fence is asked for that begins after it, so that
// everything that was committed before is observed.
func (e *Engine) BeginWait(now time.Time) seq.Stamp {
	e.tick(now)
	t := e.seq.Stamp()
	if e.level >= Level2 {
		e.fence.Want(t, e.now)
	}
	return t
}

// WaitOver reports whether a wait is over: the engine is idle, and a fence that began
// after the moment has passed, or sick kinds alone hold it. Without fences, idle is
// enough.
//
// A kind that joins, or a rewind, takes passed fences back. Where nothing else asks for
// another fence then, WaitOver does; Next hands it out. Held by
// TestWaitIdleFenceTakenBack and TestSeeds (internal/sim).
func (e *Engine) WaitOver(at seq.Stamp) bool {
	switch {
	case !e.Idle():
		return false
	case e.fence.Serves(at, &e.kinds):
		return true
	}
	e.fence.Want(at, e.now)
	return false
}
