package ownergraph

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// recordDecision notes the outcome of a decision for the reports.
func (e *Engine) recordDecision(id observed.NodeID, d policy.Decision) {
	m := e.edit(id)
	m.Reason, m.Doubt = d.Reason, d.Doubt
	switch {
	case (d.Action.Writes() || d.Action == policy.Verify) && m.Conflicts > 1:
		m.Reason = policy.Disturbed
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
		e.unhold(id, d.Action.Writes() || d.Action == policy.Verify)
	}
}

// hold reports a node as held for a reason that no decision gives.
func (e *Engine) hold(id observed.NodeID, why policy.Reason, doubt graph.Doubt) {
	e.edit(id).Reason, e.edit(id).Doubt = why, doubt
	e.setHeld(id)
}

// setHeld notes that a node is held, for the reason of its state.
func (e *Engine) setHeld(id observed.NodeID) {
	e.sweeps.SetHeld(e.sweepView(), id, true)
	e.carryOut()
	m, since := e.state(id), e.now
	if m.Reason == policy.HandlerFailed {
		if at := e.handlers.FailingSince(id); !at.IsZero() {
			since = at
		}
	}
	e.held.Put(id, m.Reason, m.Doubt, since)
}

// unhold notes that a node is not held. A retry may have the same outcome as the last
// try, so the table keeps the former entry until then.
func (e *Engine) unhold(id observed.NodeID, retry bool) {
	e.sweeps.SetHeld(e.sweepView(), id, false)
	e.carryOut()
	e.held.Drop(id, retry)
}

// holdFailing reports a node whose writes fail again and again.
func (e *Engine) holdFailing(id observed.NodeID) {
	e.held.Fail(id, e.now)
	if since, ok := e.held.FailingSince(id); ok {
		e.hold(id, policy.WriteFails, graph.DoubtUnset)
		e.held.SetSince(id, since)
	}
}

// holdUnreadable reports the nodes that wait for an owner whose reads fail again and
// again.
func (e *Engine) holdUnreadable(owner observed.NodeID, err error) {
	e.held.Fail(owner, e.now)
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
