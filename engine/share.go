package engine

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/order"
	"github.com/ownergraph/ownergraph/internal/core/own"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/share"
)

// SetShare sets the UIDs to whose objects the engine writes, until a time (RULES, H1). From then on
// it writes to no object. The zero time is no end. Config.Share is the first set.
//
// The engine goes on to observe every object. On behalf of an object of another share it begins no
// read, fence, handler, verdict or write. SetShare takes back the calls that no caller has begun: see
// Revision. A call that was begun ends, and its outcome counts. The engine looks at all objects
// again, in slices.
//
// A broken engine returns its error. An engine that writes nothing is no member of a group, because
// its part would wait: the error wraps ErrRefused with Config.ObserveOnly and at Level0.
//
//test:by ownergraph.TestShareOfCascade ownergraph.TestShareLeaves ownergraph.TestShareExpires
//test:by ownergraph.TestShareOfMany ownergraph.TestStandby ownergraph.TestShareUnknownOutcome ownergraph.TestShareErrors
func (e *Engine) SetShare(now time.Time, set share.Set, until time.Time) error {
	switch {
	case e.broken != nil:
		return e.broken
	case e.cfg.ObserveOnly || e.level == Level0:
		return fmt.Errorf("the engine only observes: %w", graph.ErrRefused)
	}
	e.tick(now)
	e.share.Change(set, until, &e.effects)
	e.share.Expire(e.now, &e.effects)
	e.endStep()
	return nil
}

// lookAtShare looks at all objects again after a change of the share. An order asks again for the
// fence that it wanted before.
func lookAtShare(e *Engine) {
	e.revokePrepared()
	e.pauses.WalkAgain()
	e.sweeps.Forgo(e.sweepView())
	if e.share.IsNone() {
		e.fence.Forgo(e.now, &e.kinds, &e.effects)
		e.guards.Labels.Forgo()
		e.guards.Members.Forgo()
	}
	e.order.FencePassed()
	e.brake.SetPart(e.share.Slots(), share.Slots, e.now)
}

// foreign returns the test for objects of other shares, or nil if there are none.
func (r reports) foreign() func(graph.NodeID) bool {
	if r.e.share.IsAll() {
		return nil
	}
	return r.isForeign
}

// isForeign reports whether a node is an object of another share.
func (r reports) isForeign(id graph.NodeID) bool {
	return r.e.graph.Inside(inside.Key{}).InUse(id) && r.e.share.IsForeign(r.e.graph.Node(id))
}

// isForeignRead reports whether no object of the share waits for the read of an owner.
func (r reports) isForeignRead(owner graph.NodeID) bool {
	if r.e.share.IsAll() || r.e.share.IsNone() {
		return r.e.share.IsNone()
	}
	for _, id := range r.e.reads.Waiting(r.e.view(), owner) {
		if !r.isForeign(id) || r.e.order.Has(id) {
			return false
		}
	}
	return true
}

// commitForeign takes note of a judgement about an object of another share. It notes what the
// judgements about own objects rest on, and asks for nothing. The exceptions serve own objects: the
// selection of a kind by labels, and the evidence about an object that a phase of an order waits for.
//
//test:by ownergraph.TestShareOfOrder ownergraph.TestShareOfOrderedRoot ownergraph.TestShareOfLateObject ownergraph.TestShareOfVerdict
func (j *judgement) commitForeign(e *Engine) {
	n := &j.notes
	if !j.d.Action.Writes() {
		e.undone.Rest(j.id, j.d)
	}
	if (n.mark == policy.ProtectionUnknown || n.protected == policy.ProtectionUnknown) && !e.share.IsNone() {
		o := j.subject.Object()
		e.guards.Labels.Want(e.guardView(), j.id, &o)
	}
	if n.passed.mark {
		e.noteWithheld(j.id, n.withheld)
	}
	if n.passed.guard {
		e.guards.Roots.Skip(j.id, &n.guard)
	}
	if n.passed.sweep {
		e.sweeps.CommitForeign(e.sweepView(), j.id, &n.sweep)
		e.carryOut()
	}
	if n.passed.order {
		j.commitOrder(e)
	}
	if e.brake.Any() {
		e.brake.Leave(j.id)
	}
	j.noteForeign(e)
	if j.d.Reason == policy.NeedDependents && !e.share.IsNone() {
		e.cycles.Suspect(e.view(), j.id, e.now)
	}
}

// noteForeign notes what an object of another share means for the phases of orders. Without evidence
// nothing tells whether the object stays. The engine asks for it on behalf of its own objects, which wait
// for a phase. If no order has come to the object yet, its walk asks for another decision.
func (j *judgement) noteForeign(e *Engine) {
	if !e.order.HasPhases() {
		return
	}
	note := own.Unset
	switch {
	case j.keeps(e):
		note = own.Stays
	case j.d.Action == policy.Verify, j.d.Reason == policy.NeedFence, j.d.Reason == policy.FenceHeld:
		note = own.Unproven
	}
	if e.share.Note(j.id, note); note == own.Stays {
		e.awaitMisplaced(j) // it may go at the end of such an owner
	}
	awaited := e.order.Has(j.id) && !e.share.IsNone()
	if note == own.Stays && e.order.Any() {
		e.order.Keep(e.orderView(), j.id)
		e.carryOut()
	}
	switch {
	case !awaited:
	case j.d.Action == policy.Verify:
		e.wantReads(j.id, j.d)
	case note == own.Unproven:
		e.awaitFence(j.id, j.subject, j.in, j.d)
	}
}

// keeps reports whether an object of another share stays although its owners go. An own object with
// such a decision is held.
func (j *judgement) keeps(e *Engine) bool {
	doubt, _ := reports{e}.unread(j.id, j.d)
	return order.Keeps(j.d.Reason) || j.d.Action == policy.Verify && doubt != graph.DoubtUnset
}
