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
	if e.updateReread(n, m); m.Reread && !e.share.IsForeign(n) {
		e.issue(c, inflight.Call{Purpose: inflight.Reread, Node: id, Key: n.Key()})
		e.scratch.issued = c.ID
		return true
	}
	e.counts.Decisions++
	j := &e.scratch.judgement
	e.refresh(id, j)
	j.commit(e)
	e.act(j, m, c)
	if ok = j.decision().Action.Writes(); !ok {
		e.work.Done(id)
	}
	return ok
}

// act carries a decision out, and reports it. It makes c the call of a write. Every other decision asks
// for reads, or waits.
func (e *Engine) act(j *judgement, m *record.State, c *Call) {
	id, d := j.id, j.decision()
	var call CallID
	var sent *Call
	switch {
	case d.Action.Writes():
		e.writeCall(&j.write, d.BestEffort, c)
		if j.notes.passed.brake && d.Action == policy.Delete {
			e.brake.Take(uint64(c.ID), &j.notes.brake.Judgement)
		}
		call, sent = c.ID, c
		if m.Audited {
			e.audit.CountRepair()
		}
	case d.Action == policy.Verify:
		e.wantReads(id, d)
	default:
		e.arrange(j, d)
	}
	m.Audited = false
	e.recordDecision(id, d)
	if d.Action == policy.Verify {
		e.holdUnread(id, d)
	}
	root := e.noteDelete(j, sent)
	if sent != nil && e.cfg.onCall != nil {
		e.cfg.onCall(inflight.Sent{Call: uint64(call), Key: c.Key, Decision: j.d, Owners: j.subject.References(j.d.Owners), Holder: j.holder})
	}
	if e.cfg.OnDecision != nil {
		e.report(j.subject, DecisionEvent{Decision: j.d, Barred: j.bar, Call: call, Root: reports{e}.rootOf(id, j.d, root), Holder: j.holder, Sweep: reports{e}.reportedSweep(id)})
	}
}

// refresh judges an object, and brings up to date what the judgement rests on: the memberships of the
// object, and the counts of its cascades.
func (e *Engine) refresh(id graph.NodeID, j *judgement) {
	if j.fixed = nil; e.sweeps.DependsOnHolders() {
		if n := j.judgeOwn(e, id); !j.notes.withheld {
			e.sweeps.Refresh(e.sweepView(), id, j.d, j.d.Action.Writes() && e.bar(n) != policy.ReasonUnset)
		}
	}
	j.judge(e, id)
	for tries := 0; tries < 2 && j.tryCount(e); tries++ { // once for the roots, and once for the counts
		j.judge(e, id)
	}
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
	case e.isExpected(n):
		e.expected.Postpone(id, n.Kind(), e.now, e.cfg.AwaitTimeout, &e.kinds, &e.seq, &e.effects)
		e.carryOut()
	default:
		return false
	}
	return true
}

// isExpected reports whether a node waits for its event.
func (e *Engine) isExpected(n graph.Node) bool {
	return e.expected.Has(n.ID()) && e.expected.IsPending(n.ID(), n.Kind(), e.now, &e.kinds)
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
	case e.share.IsForeign(n):
		return policy.OtherShare
	case e.pauses.Any() && e.pauses.Covers(n.Kind(), n.Scope()):
		return policy.Paused
	}
	if why := e.kinds.Blocked(e.graph, n.ID()); why != policy.ReasonUnset || !e.kinds.Unanswered() && !e.kinds.Losing(n.Kind(), e.now, e.fence.Blocked(&e.kinds)) {
		return why
	}
	return policy.NeedAnswer
}

// arrange asks for the next decision of a waiting key.
func (e *Engine) arrange(j *judgement, d policy.Decision) {
	id := j.id
	if d.Reason != policy.NeedWatch {
		e.expected.EndWatch(id)
	}
	switch d.Reason {
	case policy.NeedFence, policy.FenceHeld:
		e.awaitFence(id, j.subject, j.in, d)
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
		e.awaitRemoval(id, j.subject)
	case policy.WriteUndone:
		e.awaitUndone(id, j.write.Call.Version)
	case policy.NeedDependents:
		e.cycles.Blocked(e.view(), id, e.now, e.fence.Passed(), &e.effects)
		e.carryOut()
	}
	e.awaitMisplaced(j) // whatever it waits for: a reference may go at the end of such an owner
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

// awaitMisplaced asks for a decision when an owner of the object goes that lives at another place.
func (e *Engine) awaitMisplaced(j *judgement) {
	e.misplaced.Await(j.id, j.in.Owners, func(i int) graph.UID { return j.subject.Owner(i).UID }, cmp.Or(e.cfg.Misplaced, reads.MaxWaiters))
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
