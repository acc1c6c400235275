package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// BeginWait begins a wait for the engine to be idle, and returns its moment, for
// WaitOver. On a store of level 2 it asks for a fence that begins after the moment, so
// that the engine observes every commit before it.
func (e *Engine) BeginWait(now time.Time) seq.Stamp {
	e.tick(now)
	t := e.seq.Stamp()
	if e.level >= Level2 {
		e.fence.Want(t, e.now)
	}
	return t
}

// WaitOver reports whether a wait is over. Then the engine is idle, and a fence that
// began after the moment has passed, or sick kinds alone hold it. Without fences, idle is
// enough.
//
// A kind that joins, or a rewind, takes passed fences back. If the engine is idle then,
// WaitOver asks for another fence, and Next of LaneControl hands it out.
//
// Held by TestWaitIdleFenceTakenBack and TestSeeds (internal/sim).
func (e *Engine) WaitOver(at seq.Stamp) bool { return e.Idle() && e.wantObserved(at) }

// wantObserved asks for a fence that begins after the moment, unless the engine has
// observed every commit before it, as far as kinds are well. Then it returns true.
func (e *Engine) wantObserved(at seq.Stamp) bool {
	if e.fence.Serves(at, &e.kinds) {
		return true
	}
	e.fence.Want(at, e.now)
	return false
}
