package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// fewFailures is how often in a row a call fails before what waits for it is reported:
// one that passes by itself costs less.
const fewFailures = 5

// failure counts calls for a node that have failed in a row, without a word of the
// store that it refuses them.
type failure struct {
	times int
	since time.Time
}

// fails counts a failure of a call for a node, and reports whether it is one of many.
func (e *Engine) fails(id observed.NodeID) bool {
	f := e.held.failing[id]
	if f.times++; f.times == 1 {
		f.since = e.now
	}
	e.held.failing[id] = f
	return f.times >= fewFailures
}

// holdFailing reports a node whose writes fail again and again.
func (e *Engine) holdFailing(id observed.NodeID) {
	if !e.fails(id) {
		return
	}
	e.hold(id, policy.WriteFails, graph.DoubtUnset)
	e.held.heldFrom(id, e.held.failing[id].since)
}

// holdUnreadable reports the nodes that wait for an owner whose reads fail again and
// again.
func (e *Engine) holdUnreadable(owner observed.NodeID, err error) {
	if !e.fails(owner) {
		return
	}
	for _, d := range e.waiters[owner] {
		if e.refers(d, owner) {
			e.hold(d, policy.OwnerUnknown, graph.Unreadable)
			e.held.heldFrom(d, e.held.failing[owner].since)
			e.noteError(d, err)
		}
	}
}

// heldFrom sets since when a node is held that was not held before.
func (h *holdings) heldFrom(id observed.NodeID, since time.Time) {
	if x := h.of[id]; since.Before(x.since) {
		x.since = since
		h.of[id] = x
	}
}
