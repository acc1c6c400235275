package ownergraph

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// maxPending bounds the pieces of work that one idleIn considers.
const maxPending = 1024

// beginWait begins a wait for the engine to be idle, and returns its moment, for
// tryEndWait. On a store of level 2 it asks for a fence that begins after the moment, so
// that the engine observes every commit before it.
func (e *Engine) beginWait(now time.Time) seq.Stamp {
	e.tick(now)
	t := e.seq.Stamp()
	if e.level >= Level2 {
		e.fence.Want(t, e.now)
	}
	return t
}

// tryEndWait reports whether a wait is over. Then the engine is idle, and a fence that
// began after the moment has passed, or sick kinds alone hold it. Without fences, idle is
// enough. If a kind that joins, or a rewind, has taken the fence back, tryEndWait asks for
// another one, and Next of LaneControl hands it out.
//
// Held by TestWaitIdleFenceTakenBack and TestSeeds (internal/sim).
func (e *Engine) tryEndWait(at seq.Stamp) bool { return e.Idle() && e.wantObserved(at) }

// wantIdleIn is tryEndWait for the objects of a scope and global ones.
func (e *Engine) wantIdleIn(at seq.Stamp, scope string) bool {
	return e.wantObserved(at) && e.idleIn(scope)
}

// wantObserved asks for a fence that begins after the moment, unless the engine has
// observed every commit before it, as far as kinds are well. Then it returns true.
func (e *Engine) wantObserved(at seq.Stamp) bool {
	if e.fence.Serves(at, &e.kinds) {
		return true
	}
	e.fence.Want(at, e.now)
	return false
}

// Idle reports whether the engine has no work without an event from outside. Then no call
// is under way or due, and no object waits for an expected event. Refused writes and held
// objects do not count as work.
func (e *Engine) Idle() bool {
	if e.busy() || e.calls.Len() > 0 || e.expected.WatchLen() > 0 || len(e.cycles.Suspects()) > 0 {
		return false
	}
	if e.fence.Busy(&e.kinds) || e.expected.HasUnblocked() || e.kindsBusy() {
		return false
	}
	return e.onlyLater()
}

// onlyLater reports whether every entry of the queues waits for the outside. The next try
// of a failed read is work.
func (e *Engine) onlyLater() bool {
	for x := range e.work.Entries() {
		if x.State == queue.Delayed && !e.waitsOutside(x.Key) {
			return false
		}
	}
	for x := range e.reads.Entries() {
		if x.State == queue.Delayed && e.state(x.Key).Blocked == graph.DoubtUnset {
			return false
		}
	}
	return true
}

// waitsOutside reports whether the delayed decision of a node waits for a user or the
// store. The wait for an acknowledgement is work.
func (e *Engine) waitsOutside(id observed.NodeID) bool {
	m := e.state(id)
	return (!m.Reread || e.expected.IsBlocked(id)) && m.Reason != policy.NeedAcknowledgement
}

// idleIn is Idle for the objects of a scope and global ones. With more than maxPending
// pieces of work it is Idle.
func (e *Engine) idleIn(scope string) bool {
	pending := len(e.fanout.Woken()) + len(e.fanout.Owners()) + len(e.cycles.Suspects()) + e.expected.WatchLen() + e.calls.Len()
	pending += e.fence.MaxWaiters() + e.kinds.Len() + e.work.Len() + e.reads.Len() + e.expected.Len()
	if pending > maxPending {
		return e.Idle()
	}
	if e.kindsBusy() || e.cycles.Searching() || e.audit.IsRunning() {
		return false
	}
	return !slices.ContainsFunc(e.busyNodes(), func(id observed.NodeID) bool {
		if !e.graph.InUse(id) {
			return false
		}
		at := e.graph.Node(id).Scope()
		return at == "" || at == scope
	})
}

// kindsBusy reports whether kinds have still to be told or listed, or members have still to
// be selected or proven.
func (e *Engine) kindsBusy() bool {
	return !e.kinds.SetKnown() || e.kinds.Busy() || e.sweeps.Proving(e.sweepView()) || e.sweeps.Selecting(e.sweepView())
}

// busyNodes returns the nodes that are queued, that a call under way is about, or that
// await an event that has to come, or a fence that no sick kind holds.
func (e *Engine) busyNodes() []observed.NodeID {
	ids := slices.Concat(e.fanout.Woken(), e.fanout.Owners(), e.cycles.Suspects(), e.expected.AwaitingWatch())
	for x := range e.work.Entries() {
		if x.State != queue.Idle && (x.State != queue.Delayed || !e.waitsOutside(x.Key)) {
			ids = append(ids, x.Key)
		}
	}
	for x := range e.reads.Entries() {
		if x.State != queue.Idle && (x.State != queue.Delayed || e.state(x.Key).Blocked == graph.DoubtUnset) {
			ids = append(ids, x.Key)
		}
	}
	for _, x := range e.calls.All() {
		if x.Node != 0 {
			ids = append(ids, x.Node)
		}
	}
	for id := range e.expected.Unblocked() {
		ids = append(ids, id)
	}
	if e.level >= Level2 && !e.fenceHeld() {
		ids = append(ids, e.fence.Waiters(e.graph, &e.nodes)...)
	}
	return ids
}
