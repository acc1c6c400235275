package engine

import (
	"cmp"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/unfinished"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

// Status tells a stuck object from a slow one. It has the words of explain.Pace, and two more:
// see package explain.
type Status uint8

const (
	// StatusUnset is no status: nothing keeps the object.
	StatusUnset Status = Status(held.Unset)
	// StatusMoving: a call of this engine is under way for it, or a run of a handler.
	StatusMoving Status = Status(held.Moving)
	// StatusQueued: it waits for its turn at this engine, to be decided or handled.
	StatusQueued Status = Status(held.Queued)
	// StatusBlocked: it waits for its dependents or members. Each of these has a status of its own.
	StatusBlocked Status = Status(held.Blocked)
	// StatusPending: it waits for an actor outside, as is common in a deletion: the controller
	// of a finalizer, the end of a grace period, a listing.
	StatusPending Status = Status(held.Pending)
	// StatusStuck: a part outside has to be mended or changed: a sick kind, a refused write, a
	// handler that fails, a flawed object.
	StatusStuck Status = Status(held.Stuck)
)

// String returns the status in lower case.
func (s Status) String() string { return held.Status(s).String() }

// Held is an object that stays although its owners or its deletion mark ask for something
// else: a held or a blocked one. It is a value.
//
//test:by ownergraph.TestHeldSince
type Held struct {
	Key graph.Key
	// Status is StatusBlocked for a blocked object, and StatusPending or StatusStuck for a held
	// one. An object that this engine works on, or that waits for its turn, is neither.
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

// String returns the object, the reason, the details and the last error on one line, without UIDs.
//
//test:by ownergraph.TestHeldText
func (h Held) String() string {
	s := h.Key.Text() + ": " + policy.Words(h.Reason, h.Doubt)
	detail := strings.Join(spell.Causes(h.Detail, h.Reason.NamesFinalizers()), ", ")
	if detail != "" {
		s += " (" + detail + ")"
	}
	if last := spell.Line(h.LastError); last != "" && !strings.Contains(detail, last) {
		s += "; last error: " + last
	}
	return s
}

// HeldReason counts the objects that are held or blocked for one reason. It is a value.
type HeldReason struct {
	Reason policy.Reason
	// Status is StatusBlocked, StatusPending or StatusStuck. It follows from the reason.
	Status  Status
	Objects int
	// Oldest is the earliest time from which one of them is held.
	Oldest time.Time
}

// Held returns at most limit of the held objects, by key, each with the reason.
func (e *Engine) Held(limit int) []Held {
	ids := e.held.First(e.graph, max(limit, 0))
	out := make([]Held, 0, len(ids))
	for _, id := range ids {
		out = append(out, reports{e}.heldAt(id))
	}
	return out
}

// reports makes the reports of an engine about objects, cascades, sweeps and pauses. It changes nothing.
type reports struct{ e *Engine }

// heldAt returns the report of a held node.
func (r reports) heldAt(id graph.NodeID) Held {
	e := r.e
	m, x := e.state(id), e.held.Get(id)
	if r.isForeign(id) { // an audit may have held it as a member of a ring
		m.Reason, m.Doubt = policy.OtherShare, graph.DoubtUnset
	}
	h := Held{
		Key: e.graph.Node(id).Key(), Status: Status(held.StatusOf(m.Reason)), Reason: m.Reason, Doubt: m.Doubt,
		Since: x.Since, LastError: x.Error, Detail: held.Trim(r.detail(id)),
	}
	switch m.Reason {
	case policy.HandlerFailed:
		h.LastError = e.handlers.Error(id)
	case policy.NeedVerdict:
		h.LastError = e.fence.Failing().Cause
	case policy.JudgementFails:
		h.LastError = e.guards.Roots.Err(id)
	case policy.Paused:
		h.LastError, _, _ = e.pauses.Unread()
	case policy.NeedMembers:
		h.LastError, _ = e.sweeps.ReadError(id)
		if h.LastError == "" && e.sweeps.AwaitsFence(id) {
			h.LastError = e.fence.Failing().Cause
		}
	case policy.FenceFails:
		h.LastError = e.fence.Failing().Cause
	case policy.NeedListing:
		h.LastError = cmp.Or(x.Error, e.kinds.ListError())
	}
	return h
}

// detail names the objects and parts that a held object waits for.
func (r reports) detail(id graph.NodeID) []string {
	if r.isForeign(id) {
		f := (&explainer{e: r.e}).judge(id)
		return []string{f.d.Action.String() + ": " + policy.Words(f.d.Reason, f.d.Doubt)}
	}
	return r.detailOf(r.e.graph.Node(id), r.e.state(id).Reason)
}

// detailOf names the objects and parts that an own object waits for.
func (r reports) detailOf(n graph.Node, why policy.Reason) []string {
	e, id := r.e, n.ID()
	switch why {
	case policy.ObjectFlawed:
		return held.Flaw(n)
	case policy.NeedDependents:
		return held.Dependents(n)
	case policy.Restricted:
		return held.Restricting(n)
	case policy.NeedGrace:
		return held.Grace(n)
	case policy.NeedFinalizers, policy.HandlerRuns, policy.HandlerFailed:
		return e.handlers.Names(id, n.Object().Finalizers)
	case policy.FenceHeld:
		return e.kinds.SickNames()
	case policy.FenceLost:
		_, late := e.fence.Lost()
		return fence.Names(late)
	case policy.HolderUnfit, policy.HolderUnguarded, policy.SweepUnserved, policy.NeedMembers, policy.NeedSelect:
		return e.sweeps.Names(e.sweepView(), id)
	case policy.Protected, policy.ProtectionUnknown, policy.DeletionRefused, policy.NeedVerdict, policy.JudgementFails, policy.GuardMissing, policy.GuardUnfit:
		return e.guards.Detail(e.guardView(), n)
	case policy.Braked, policy.CascadeRefused:
		return r.brakeDetail(id)
	case policy.BrakeListing:
		return namesOf(r.unlisted())
	case policy.NeedPhase:
		return e.order.Detail(e.orderView(), id, maxScanned, e.fence.Failing().Cause, e.kinds.SickNames())
	case policy.Contested:
		return e.sweeps.Rivals(e.sweepView(), id)
	case policy.Paused:
		names, _ := e.pauses.Of(n)
		return names
	}
	return held.Owners(n)
}

// recordDecision notes the outcome of a decision for the reports.
func (e *Engine) recordDecision(id graph.NodeID, d policy.Decision) {
	m := e.edit(id)
	m.Reason, m.Doubt = d.Reason, d.Doubt
	switch {
	case (d.Action.Writes() || d.Action == policy.Verify) && m.Conflicts > 1:
		m.Reason = policy.Disturbed
	case d.Reason == policy.NeedFence && e.fence.Failing().Times > 0:
		m.Reason = policy.FenceFails
	case d.Reason == policy.NeedFence && e.fence.IsLost():
		m.Reason = policy.FenceLost
	case d.Action.Writes() && e.undone.IsFinal(id):
		m.Reason = policy.WriteUndone
	case m.IsolatedCycle && d.Reason == policy.OwnerSolid:
		m.Reason = policy.OwnedInRing
	}
	if m.Reason == policy.Disturbed || m.Reason == policy.WriteUndone || !d.Action.Writes() && m.Reason.Held() {
		e.setHeld(id)
	} else {
		e.held.Open.Note(id, unfinished.Rests(d, e.handlers.IsRunning(id)), e.now)
		e.unhold(id, d.Action.Writes() || d.Action == policy.Verify)
	}
}

// hold reports a node as held for a reason that no decision gives.
func (e *Engine) hold(id graph.NodeID, why policy.Reason, doubt graph.Doubt) {
	e.edit(id).Reason, e.edit(id).Doubt = why, doubt
	e.setHeld(id)
}

// setHeld notes that a node is held, for the reason of its state.
func (e *Engine) setHeld(id graph.NodeID) {
	m, since := e.state(id), e.now
	if (reports{e}).isForeign(id) { // an audit holds the members of all rings
		m.Reason, m.Doubt = policy.OtherShare, graph.DoubtUnset
	}
	if e.sweeps.Any() {
		e.sweeps.SetHeld(e.sweepView(), id, held.StatusOf(m.Reason))
		e.carryOut()
	}
	if m.Reason == policy.HandlerFailed {
		if at := e.handlers.FailingSince(id); !at.IsZero() {
			since = at
		}
	}
	e.held.Put(id, m.Reason, m.Doubt, since)
	if len(e.follows) > 0 {
		e.follows.Held(e.followView(), id)
	}
	if e.order.Any() {
		e.keepInOrder(id)
	}
}

// unhold notes that a node is not held. A retry may have the same outcome as the last
// try, so the table keeps the former entry until then.
func (e *Engine) unhold(id graph.NodeID, retry bool) {
	if e.sweeps.Any() {
		e.sweeps.SetHeld(e.sweepView(), id, held.Unset)
		e.carryOut()
	}
	e.held.Drop(id, retry)
	if len(e.follows) > 0 {
		e.follows.Held(e.followView(), id)
	}
}

// holdFailing reports a node whose reads or writes (what) fail, and returns how many took too long.
func (e *Engine) holdFailing(id graph.NodeID, what string, err error) (times int) {
	if run.IsLate(err) {
		times = e.held.Late(id, e.now)
		line := effect.Record{Level: effect.Warn, Text: "write takes too long", Args: []any{"reason", policy.WriteFails.Code(), "key", e.graph.Node(id).Key().String(), "err", err}}
		if what == "read" {
			line.Text = "read takes too long"
		}
		if _, undone := run.RetryIn(err); !undone {
			line.Cause = "the timeout of the call" // its errors have many words, such as those of drivers
		}
		e.effects.KeepDue(line, e.now)
	} else {
		e.held.Fail(id, e.now)
	}
	if since, ok := e.held.FailingSince(id); ok {
		e.hold(id, policy.WriteFails, graph.DoubtUnset)
		e.held.SetSince(id, since)
	}
	return times
}

// holdUnreadable reports the nodes that wait for an owner whose reads fail again and again, or
// that the store has put off.
func (e *Engine) holdUnreadable(owner graph.NodeID, err error, delayed bool) {
	if delayed {
		e.held.Delay(owner, e.now)
	} else {
		e.held.Fail(owner, e.now)
	}
	since, ok := e.held.FailingSince(owner)
	if !ok {
		return
	}
	for _, d := range e.reads.Waiting(e.view(), owner) {
		e.hold(d, policy.OwnerUnknown, graph.Unreadable)
		e.held.SetSince(d, since)
		e.held.SetError(d, err)
	}
}
