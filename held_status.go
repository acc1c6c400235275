package ownergraph

import (
	"fmt"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// Status says who has to act next for an object that stays against what its owners or
// its deletion mark ask for.
type Status uint8

const (
	// StatusUnset is no status: nothing keeps the object.
	StatusUnset Status = iota
	// StatusWorking: a call of this engine is under way for it, or a run of a handler.
	StatusWorking
	// StatusQueued: it waits for its turn at this engine, to be decided or handled.
	StatusQueued
	// StatusBlocked: it waits for its dependents or members. Each of these has a status
	// of its own.
	StatusBlocked
	// StatusWaiting: it waits for something outside that a deletion commonly waits for:
	// the controller of a finalizer, the end of a grace period, a listing.
	StatusWaiting
	// StatusStuck: it waits for something outside that has to be mended or changed: a
	// sick kind, a refused write, a handler that fails, a flawed object.
	StatusStuck

	numStatuses
)

var statusNames = [...]string{"unset", "working", "queued", "blocked", "waiting", "stuck"}

// String returns the status in lower case.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// Outside reports whether an object with this status is held: it waits for something
// outside of this engine.
func (s Status) Outside() bool { return s == StatusWaiting || s == StatusStuck }

// statusOf returns the status that goes with a reason to report an object. Held by
// TestStatusOfReasons.
func statusOf(r policy.Reason) Status {
	switch r {
	case policy.NeedDependents, policy.NeedMembers:
		return StatusBlocked
	case policy.NeedFinalizers, policy.NeedGrace, policy.NeedAcknowledgement, policy.NeedWatch, policy.NeedListing,
		policy.NeedSelect, policy.NeedConfirmation, policy.ObserveOnly, policy.LevelTooLow:
		return StatusWaiting
	}
	if r.Held() {
		return StatusStuck
	}
	return StatusUnset
}

// holding is what the reports say of an object that is held.
type holding struct {
	reason policy.Reason
	doubt  graph.Doubt
	status Status
	since  time.Time
	err    string // the last error
}

// same reports whether an object is still held for what it was.
func (h *holding) same(m *record.State) bool { return h.reason == m.Reason && h.doubt == m.Doubt }

// holdings are the objects that are held. What was held before a write, or a read, that
// tries again is kept apart until its outcome is known.
type holdings struct {
	of      map[observed.NodeID]holding
	tried   map[observed.NodeID]holding
	failing map[observed.NodeID]failure
	count   [numStatuses]int
}

func newHoldings() holdings {
	return holdings{of: map[observed.NodeID]holding{}, tried: map[observed.NodeID]holding{}, failing: map[observed.NodeID]failure{}}
}

func (h *holdings) has(id observed.NodeID) bool {
	_, ok := h.of[id]
	return ok
}

func (h *holdings) put(id observed.NodeID, x holding) {
	if was, ok := h.of[id]; ok {
		h.count[was.status]--
	}
	h.of[id] = x
	h.count[x.status]++
	delete(h.tried, id)
}

// drop forgets an object. Where something is tried again, its holding is kept apart.
func (h *holdings) drop(id observed.NodeID, again bool) {
	x, ok := h.of[id]
	switch {
	case ok && again:
		h.tried[id] = x
	case !again:
		delete(h.tried, id)
		delete(h.failing, id)
	}
	if ok {
		h.count[x.status]--
		delete(h.of, id)
	}
}

func (h *holdings) clone() holdings {
	return holdings{of: cloneMap(h.of), tried: cloneMap(h.tried), failing: cloneMap(h.failing), count: h.count}
}

// checkStatus compares what is counted with what there is.
func (e *Engine) checkStatus() error {
	var count [numStatuses]int
	for _, x := range e.held.of {
		count[x.status]++
	}
	if count != e.held.count {
		return fmt.Errorf("%v objects are held, by status, and %v are counted", count, e.held.count)
	}
	return nil
}

// noteHeld counts a node as held, from now on unless it is already, for the same reason.
func (e *Engine) noteHeld(id observed.NodeID) {
	m := e.state(id)
	x, ok := e.held.of[id]
	if !ok {
		x, ok = e.held.tried[id]
	}
	if !ok || !x.same(&m) {
		x = holding{reason: m.Reason, doubt: m.Doubt, status: statusOf(m.Reason), since: e.now}
		if at := e.handlers.FailingSince(id); m.Reason == policy.HandlerFailed && !at.IsZero() {
			x.since = at
		}
	}
	e.held.put(id, x)
}

// noteError keeps what a call for a node failed with, if the node is held.
func (e *Engine) noteError(id observed.NodeID, err error) {
	if x, ok := e.held.of[id]; ok && err != nil {
		x.err = record.ErrorText(err)
		e.held.of[id] = x
	}
}

// heldAt says what the reports say of a node that is held.
func (e *Engine) heldAt(id observed.NodeID) Held {
	m, x := e.state(id), e.held.of[id]
	h := Held{
		Key: e.graph.Node(id).Key(), Status: statusOf(m.Reason), Reason: m.Reason, Doubt: m.Doubt,
		Since: x.since, LastError: x.err, Detail: e.detail(id),
	}
	if m.Reason == policy.HandlerFailed {
		h.LastError = e.handlers.Error(id)
	}
	return h
}
