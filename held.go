package ownergraph

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// Status names the actor that has to act next for an object which stays although its
// owners or its deletion mark ask for something else.
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

// statusOf returns the status that goes with a reason to report an object.
//
// Held by TestStatusOfReasons.
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

// Held is an object that stays although its owners or its deletion mark ask for something
// else. It is a value.
//
// Held by TestHeldSince.
type Held struct {
	Key Key
	// Status is StatusBlocked, StatusWaiting or StatusStuck. Objects that this engine
	// works on, or that wait for their turn, are not held.
	Status Status
	Reason policy.Reason
	// Doubt says more where Reason is OwnerUnknown.
	Doubt graph.Doubt
	// Detail names the cause: owners, dependents, finalizers, sick kinds, or the flaw of
	// the object. It is sorted and has at most 8 entries.
	Detail []string
	// Since is the time from which this reason has held the object. Another try with the
	// same outcome does not change it.
	Since time.Time
	// LastError is the last error of a call for the object, of its handler, or of the read
	// of its owner: at most about 512 bytes. It is empty if nothing failed.
	LastError string
}

// Held returns at most limit of the held objects, by key, each with the reason.
func (e *Engine) Held(limit int) []Held {
	limit = max(limit, 0)
	ids := e.firstHeld(limit)
	out := make([]Held, 0, len(ids))
	for _, id := range ids {
		out = append(out, e.heldAt(id))
	}
	return out
}

// firstHeld returns the first held nodes, by key. It sorts little more than limit of them
// at a time.
func (e *Engine) firstHeld(limit int) []observed.NodeID {
	var ids []observed.NodeID
	cut := func() {
		slices.SortFunc(ids, func(a, b observed.NodeID) int { return e.graph.Node(a).Key().Compare(e.graph.Node(b).Key()) })
		ids = ids[:min(limit, len(ids))]
	}
	for id := range e.held.Nodes() {
		if ids = append(ids, id); len(ids) >= 2*limit+64 {
			cut()
		}
	}
	cut()
	return ids
}

// heldAt returns the report of a held node.
func (e *Engine) heldAt(id observed.NodeID) Held {
	m, x := e.state(id), e.held.Get(id)
	h := Held{
		Key: e.graph.Node(id).Key(), Status: statusOf(m.Reason), Reason: m.Reason, Doubt: m.Doubt,
		Since: x.Since, LastError: x.Error, Detail: e.detail(id),
	}
	if m.Reason == policy.HandlerFailed {
		h.LastError = e.handlers.Error(id)
	}
	return h
}

// heldCounts returns the number of held objects by status.
func (e *Engine) heldCounts() (counts [numStatuses]int) {
	for r, n := range e.held.Reasons() {
		counts[statusOf(r)] += n
	}
	return counts
}
