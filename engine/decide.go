package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// decide decides one key, and makes c the store call of the decision, if any. The key
// stays in flight in the queue while its call is under way.
func (e *Engine) decide(id graph.NodeID, c *Call) (ok bool) {
	if !e.graph.Inside(inside.Key{}).InUse(id) || e.graph.Node(id).State() != graph.Observed || e.tryKeep(id) {
		e.work.Done(id)
		return false
	}
	if e.tryPutOff(id) || e.endExpectation(id) {
		e.held.Begin(id, e.now)
		e.work.Done(id)
		return false
	}
	n, m := e.graph.Node(id), e.edit(id)
	if e.updateReread(n, m); m.Reread {
		e.issue(c, inflight.Call{Purpose: inflight.Reread, Node: id, Key: n.Key()})
		e.scratch.issued = c.ID
		return true
	}
	e.counts.Decisions++
	s, in, w := e.calls.Subject(n), e.input(id, &e.scratch.evidence), &e.scratch.write
	e.useOrphaned(id, in)
	d, holder := e.rule(id, n, s, in)
	meant, bar := d, policy.ReasonUnset
	if d.Action.Writes() {
		if bar = e.bar(n); bar == policy.ReasonUnset {
			inflight.WriteOf(w, s, &d)
			bar = e.undone.Judge(&w.Call, e.now)
			e.undone.Commit(&w.Call, &d, e.now, e.work, &e.effects)
			e.carryOut()
		}
		if bar != policy.ReasonUnset {
			d = policy.Decision{Action: policy.Wait, Reason: bar}
		}
	} else {
		e.undone.Rest(id, d)
	}
	var call CallID
	var sent *Call
	switch {
	case d.Action.Writes():
		e.writeCall(w, d.BestEffort, c)
		if d.Action == policy.Delete && d.Reason != policy.OrderNeedsForeground && e.brake.Any() {
			e.brake.Take(uint64(c.ID), &e.scratch.brake.Judgement)
		}
		ok, call, sent = true, c.ID, c
		if m.Audited {
			e.audit.CountRepair()
		}
	case d.Action == policy.Verify:
		e.wantReads(id, d)
	default:
		e.arrange(id, s, in, d)
	}
	m.Audited = false
	e.recordDecision(id, d)
	if d.Action == policy.Verify {
		e.holdUnread(id, d)
	}
	root := e.noteDelete(id, s, in, meant, holder, sent)
	if sent != nil && e.cfg.onCall != nil {
		e.cfg.onCall(inflight.Sent{Call: uint64(call), Key: c.Key, Decision: meant, Owners: s.References(meant.Owners), Holder: holder})
	}
	if e.cfg.OnDecision != nil {
		e.report(s, DecisionEvent{Decision: meant, Barred: bar, Call: call, Root: reports{e}.rootOf(id, meant, root), Holder: holder, Sweep: reports{e}.reportedSweep(id)})
	}
	if !ok {
		e.work.Done(id)
	}
	return ok
}

// rule returns the decision of all rules about an object, before the answer of its kind or of
// its calls can bar it: the rules of ownership, then guards, sweeps, handlers, protection,
// order and brake. The key is the holder of the sweep that deletes it. A delete of a sweep that has
// to wait withholds no loss of a reference.
//
//test:by ownergraph.TestWithheldMembers
func (e *Engine) rule(id graph.NodeID, n graph.Node, s inflight.Subject, in *policy.Facts) (d policy.Decision, holder graph.Key) {
	withheld, why := e.withholds(id, n, s)
	if withheld { // it ends no propagation, and its references go as those of others
		in.Propagation = graph.Unset
	}
	d = e.decideGuarded(id, s, in, policy.Decide(in, e.set, &e.scratch.lists), why)
	own := d
	if e.sweeps.Any() && !withheld {
		blocked := d.Action.Writes() && e.bar(n) != policy.ReasonUnset
		if !blocked && e.order.Any() && releases(d) { // the sweep goes on meanwhile
			v := e.orderView()
			j := e.order.JudgeRelease(v, id)
			e.order.Commit(v, id, &j)
			blocked = j.Wait
		}
		v, j := e.sweepView(), &e.scratch.sweep
		e.sweeps.Refresh(v, id)
		e.sweeps.Judge(v, id, d, blocked, j)
		e.sweeps.Commit(v, id, j)
		d, holder = j.Decision, j.Holder
		e.carryOut()
	}
	if in.Deleting && e.handlers.Any() && !d.Action.Writes() && !withheld && !in.Unreadable {
		d = e.handle(id, s, d)
	}
	if d.Action == policy.Delete && !in.Deleting {
		d = e.decideProtected(id, s, d)
	}
	repeats := d.Reason == policy.OrderNeedsForeground // of a marked root: neither order nor brake is about it
	if e.order.Any() && !repeats {
		d = e.inOrder(id, in, d, holder)
	}
	if e.brake.Any() && !repeats {
		note := &e.scratch.brake
		d = e.commitBrake(id, in, e.judgeBrake(e.now, id, in, d, holder, &e.scratch.roots, note), note)
	}
	if d.Action == policy.Wait && holder.UID != "" && own.Action != policy.Delete && !releases(own) && (own.Action.Writes() || own.Action == policy.Verify || own.Reason == policy.NeedFence) {
		return own, graph.Key{} // an owner may wait for this write
	}
	return d, holder
}

// updateReread notes whether an object has to be read before it is decided. The result of
// a conflict's read counts until a later listing is complete, because the watch has shown
// the object since. If the observed state is older than a rewind, no read compares with
// it, and the kind is about to be listed anew.
func (e *Engine) updateReread(n graph.Node, m *record.State) {
	if m.Known <= e.kinds.Rewound() || m.Probing && !e.kinds.Unanswered() {
		m.Reread, m.OutcomeUnknown, m.Probing = false, false, false
	}
	if e.calls.HasRetry(n.ID()) && e.kinds.Relisted(n.Kind(), m.Known) {
		e.calls.DropRetry(n.ID())
		m.Reread, m.OutcomeUnknown, m.Probing = true, false, false
	}
}

// tryPutOff puts off the decision of a node that waits for its event or for a pruning. It reports
// whether the node waits.
func (e *Engine) tryPutOff(id graph.NodeID) bool {
	switch n := e.graph.Node(id); {
	case e.graph.Inside(inside.Key{}).PendingPrune(id) && e.kinds.Of(n.Kind()).Pruning: // if another listing begins first, this one never prunes
		e.work.AddAt(id, queue.Low, e.now.Add(time.Second))
	case e.expected.Has(id) && e.expected.IsPending(id, n.Kind(), e.now, &e.kinds):
		e.expected.Postpone(id, n.Kind(), e.now, e.cfg.AwaitTimeout, &e.kinds, &e.seq, &e.effects)
		e.carryOut()
	default:
		return false
	}
	return true
}

// endExpectation ends the expectation of a node that waits no longer. It reports whether
// that shows a rewind: a listing brings an object that a call did not find (R5). The rewind
// follows the decision.
func (e *Engine) endExpectation(id graph.NodeID) bool {
	x, ok := e.expected.End(id)
	if ok && x.Wrote != 0 {
		e.undone.Wrote(id, x.Wrote)
	}
	if x.OnTimeout == inflight.TimeoutRead {
		m := e.edit(id)
		m.Reread, m.OutcomeUnknown, m.Probing = true, true, false
	}
	if x.Gone {
		e.effects.Rewind(e.graph.Node(id).Key().String() + " was read as gone, and a listing brings it")
	}
	return x.Gone
}

// bar returns the reason for which no write to the node may go out now, or ReasonUnset.
func (e *Engine) bar(n graph.Node) policy.Reason {
	switch {
	case e.level == Level0:
		return policy.LevelTooLow
	case e.cfg.ObserveOnly:
		return policy.ObserveOnly
	case e.pauses.Any() && e.pauses.Covers(n.Kind(), n.Scope()):
		return policy.Paused
	}
	if why := e.kinds.Blocked(e.graph, n.ID()); why != policy.ReasonUnset || !e.kinds.Unanswered() && !e.kinds.Losing(n.Kind(), e.now, e.fence.Blocked(&e.kinds)) {
		return why
	}
	return policy.NeedAnswer
}

// arrange asks for the next decision of a waiting key.
func (e *Engine) arrange(id graph.NodeID, s inflight.Subject, in *policy.Facts, d policy.Decision) {
	if d.Reason != policy.NeedWatch {
		e.expected.EndWatch(id)
	}
	switch d.Reason {
	case policy.NeedFence, policy.FenceHeld:
		e.awaitFence(id, s, in, d)
	case policy.NeedAnswer:
		e.awaitAnswer(id)
	case policy.NeedWatch:
		e.awaitWatch(id, d)
	case policy.NeedAcknowledgement:
		if len(d.Owners) == 0 {
			m := e.state(id)
			e.work.AddAt(id, queue.Normal, evidence.AcknowledgedBy(&m, e.cfg.AcknowledgeWithin))
		}
		for _, i := range d.Owners { // the earliest counts
			m := e.state(e.view().OwnerID(id, i))
			e.work.AddAt(id, queue.Normal, evidence.AcknowledgedBy(&m, e.cfg.AcknowledgeWithin))
		}
	case policy.NeedGrace:
		e.awaitRemoval(id, s)
	case policy.WriteUndone:
		e.awaitUndone(id, e.scratch.write.Call.Version)
	case policy.NeedDependents:
		e.cycles.Blocked(e.view(), id, e.now, e.fence.Passed(), &e.effects)
		e.carryOut()
	case policy.OwnerUnknown, policy.OwnerSolid:
		e.awaitMisplaced(id, s, in)
	}
}

// awaitUndone puts a key off until the backoff is over, also if other versions come.
func (e *Engine) awaitUndone(id graph.NodeID, v graph.Version) {
	then := inflight.TimeoutDecide
	if e.undone.IsFinal(id) {
		then = inflight.TimeoutHeld
	}
	e.expect(id, inflight.Expectation{Version: v, Deadline: e.undone.Until(id), OnTimeout: then})
}

// removalTime is the time that a store may take from one step of a deletion to the next.
const removalTime = 2 * time.Second

// awaitRemoval gives the store time to remove an object without finalizers. A server may
// mark an object and remove it in two steps of one deletion. After that time only the
// outside can help.
func (e *Engine) awaitRemoval(id graph.NodeID, s inflight.Subject) {
	if m := e.edit(id); !m.Overdue && s.Object().GraceSeconds == 0 {
		m.Overdue = true
		_, v := s.Named()
		e.expect(id, inflight.Expectation{Version: v, Deadline: e.now.Add(min(removalTime, e.cfg.AwaitTimeout)), OnTimeout: inflight.TimeoutDecide})
	}
}

// awaitMisplaced asks for a decision of a key when an owner goes that lives in another scope or
// under another name. Beside a solid owner the reference is dangling then, and goes. Past the
// bound the audit does that.
//
//test:by internal/proof/script.TestScenarios/trim-after-an-owner-elsewhere
func (e *Engine) awaitMisplaced(id graph.NodeID, s inflight.Subject, in *policy.Facts) {
	for i := range in.Owners {
		if doubt := in.Owners[i].Doubt; doubt != graph.Misplaced && doubt != graph.Renamed {
			continue
		}
		u := s.Owner(i).UID
		w := e.misplaced[u]
		if at, noted := slices.BinarySearch(w, id); !noted && len(w) < cmp.Or(e.cfg.Misplaced, reads.MaxWaiters) {
			e.misplaced[u] = slices.Insert(w, at, id)
		}
	}
}

// wakeMisplaced asks for decisions of the dependents of an owner that lived in another scope
// or under another name.
func (e *Engine) wakeMisplaced(u graph.UID) {
	for _, id := range e.misplaced[u] {
		if e.graph.Inside(inside.Key{}).InUse(id) {
			e.work.Add(id, queue.Normal)
		}
	}
	delete(e.misplaced, u)
}

// awaitWatch waits for an event, because a read contradicts the watch. After the deadline
// the kinds of the object and of its owners are listed anew.
func (e *Engine) awaitWatch(id graph.NodeID, d policy.Decision) {
	at, late := e.expected.AwaitWatch(id, e.now, e.cfg.AwaitTimeout)
	if late {
		e.kinds.WantList(e.graph.Node(id).Kind())
		for _, i := range d.Owners {
			e.kinds.WantList(e.graph.Node(e.view().OwnerID(id, i)).Kind())
		}
	}
	e.work.AddAt(id, queue.Normal, at)
}

// report reports a decision to Config.OnDecision, with its text.
func (e *Engine) report(s inflight.Subject, d DecisionEvent) {
	d.Key, d.Version = s.Named()
	d.Decision.Owners = slices.Clone(d.Decision.Owners) // the next decision uses the scratch again
	d.Owners, d.Elsewhere = s.References(d.Decision.Owners), s.OwnersElsewhere(d.Reason)
	e.cfg.OnDecision(d)
}
