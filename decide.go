package ownergraph

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/rules"
	"github.com/ownergraph/ownergraph/policy"
)

// decide looks at one key and makes c the store call that it asks for, if any.
// The key stays in flight in the queue as long as its call is under way.
func (e *Engine) decide(id observed.NodeID, c *Call) (ok bool) {
	if !e.graph.InUse(id) || e.graph.Node(id).State() != observed.Observed {
		e.work.Done(id)
		return false
	}
	if e.keeps(id) || e.leaving(id) || !e.rested(id) {
		e.work.Done(id)
		return false
	}
	n, m := e.graph.Node(id), e.edit(id)
	if e.readsAgain(id, n.Kind()) {
		e.rereadCall(id, c)
		return true
	}
	e.counts.Decisions++
	in := e.input(id)
	e.useOrphaned(id, &in)
	d := rules.Decide(in, e.set)
	blocked := d.Action.Writes() && e.sweeps.Any() && e.bar(n) != policy.ReasonUnset
	d, holder := e.sweeps.Decide(e.sweepView(), id, in.Object, d, blocked)
	e.carryOut()
	if in.Object.Deleting && !d.Action.Writes() {
		d = e.handle(id, in.Object, d)
	}
	meant, bar := d, policy.ReasonUnset
	if d.Action.Writes() {
		if bar = e.bar(n); bar == policy.ReasonUnset {
			bar = e.undone.Judge(id, &in.Object, &d, e.now, e.work, &e.effects)
			e.carryOut()
		}
		if bar != policy.ReasonUnset {
			d = policy.Decision{Action: policy.Wait, Reason: bar}
		}
	} else {
		e.undone.Rest(id, d)
	}
	var call CallID
	switch {
	case d.Action.Writes():
		e.writeCall(id, &in.Object, &d, c)
		ok, call = true, c.ID
		if m.Audited {
			e.audit.CountRepair()
		}
	case d.Action == policy.Verify:
		e.wantReads(id, d)
	default:
		e.arrange(id, in, d)
	}
	m.Audited = false
	e.recordDecision(id, d)
	if d.Action == policy.Verify {
		e.holdUnread(id, d)
	}
	e.report(n, in.Object, DecisionEvent{Decision: meant, Barred: bar, Call: call, Holder: holder, Sweep: e.reportedSweep(id)})
	if !ok {
		e.work.Done(id)
	}
	return ok
}

// readsAgain reports whether an object has to be read before it is decided. What
// a read showed of it counts until a listing that began later is complete: that
// is the watch's word. And what the graph shows of it may be older than a rewind:
// then no read compares with it, and the kind is about to be listed anew.
func (e *Engine) readsAgain(id observed.NodeID, name Kind) bool {
	m := e.edit(id)
	if m.Known <= e.kinds.Rewound() || m.Probing && !e.kinds.Unanswered() {
		m.Reread, m.OutcomeUnknown, m.Probing = false, false, false
	}
	if _, ok := e.retries[id]; ok && e.kinds.Relisted(name, m.Known) {
		delete(e.retries, id)
		m.Reread, m.OutcomeUnknown, m.Probing = true, false, false
	}
	return m.Reread
}

// leaving reports whether a listing has ended that did not bring the node, so
// that its sweep is about to find it gone. It is looked at again a little later
// all the same, in case another listing comes before the sweep.
func (e *Engine) leaving(id observed.NodeID) bool {
	if !e.graph.PendingPrune(id) || !e.kinds.Of(e.graph.Node(id).Kind()).Pruning {
		return false
	}
	e.work.AddAt(id, queue.Low, e.now.Add(time.Second))
	return true
}

// rested reports whether a key may be decided: it does not await its event
// any more. Past the deadline it is read, or its kind listed anew.
func (e *Engine) rested(id observed.NodeID) bool {
	a := e.awaits.of(id)
	if a == nil {
		return true
	}
	if e.now.Before(a.deadline) {
		e.work.AddAt(id, queue.Normal, a.deadline)
		return false
	}
	if k := e.graph.Node(id).Key(); a.then == thenList && !e.kinds.Relisted(k.Kind, a.asked) {
		e.kinds.WantList(k.Kind)
		a.asked, a.deadline = e.seq.Stamp(), e.now.Add(e.cfg.AwaitTimeout)
		a.outside = e.kinds.Sick(k.Kind) != ""
		e.work.AddAt(id, queue.Normal, a.deadline)
		return false
	}
	then, gone, wrote := a.then, a.gone, a.wrote
	e.awaits.drop(id)
	if wrote != 0 {
		e.undone.Wrote(id, wrote)
	}
	if gone {
		e.rewind(fmt.Sprintf("%s was read as gone, and a listing brings it", e.graph.Node(id).Key()))
		return false
	}
	if then == thenRead {
		m := e.edit(id)
		m.Reread, m.OutcomeUnknown, m.Probing = true, true, false
	}
	return true
}

// bar returns why a write to the node must not be made, or ReasonUnset.
func (e *Engine) bar(n observed.Node) policy.Reason {
	switch {
	case e.level == Level0:
		return policy.LevelTooLow
	case e.cfg.ObserveOnly:
		return policy.ObserveOnly
	}
	if why := e.barOf(n); why != policy.ReasonUnset || !e.kinds.Unanswered() && !e.kinds.Losing(n.Kind(), e.now, e.fenceHeld()) {
		return why
	}
	return policy.NeedAnswer
}

// barOf is bar as far as it is about the node, whoever may write.
func (e *Engine) barOf(n observed.Node) policy.Reason {
	k, _ := e.graph.Kind(n.Kind())
	switch {
	case !k.Known, k.Unwatched:
		return policy.KindUnserved
	case e.kinds.Relisting(), e.kinds.Stale(n.Kind()):
		return policy.NeedListing
	case n.SharesUID():
		return policy.UIDShared
	}
	return policy.ReasonUnset
}

// arrange sees to it that a key that waits is looked at again in time.
func (e *Engine) arrange(id observed.NodeID, in rules.Input, d policy.Decision) {
	if d.Reason != policy.NeedWatch {
		delete(e.parked, id)
	}
	switch d.Reason {
	case policy.NeedFence, policy.FenceHeld:
		e.awaitFence(id, in, d)
	case policy.NeedAnswer:
		e.awaitAnswer(id)
	case policy.NeedWatch:
		e.park(id, d)
	case policy.NeedAcknowledgement:
		if len(d.Owners) == 0 {
			e.work.AddAt(id, queue.Normal, e.acknowledgedBy(id))
		}
		for _, i := range d.Owners { // the earliest counts
			e.work.AddAt(id, queue.Normal, e.acknowledgedBy(e.ownerID(id, i)))
		}
	case policy.NeedGrace:
		e.awaitRemoval(id, in.Object)
	case policy.WriteUndone:
		e.awaitUndone(id, in.Object.Version)
	case policy.NeedDependents:
		e.cycles.Blocked(e.view(), id, e.now, e.fence.Passed(), &e.effects)
		e.carryOut()
	case policy.OwnerUnknown:
		e.awaitMisplaced(id, in, d)
	}
}

// awaitUndone puts a key off until the backoff is over, also if other versions come.
func (e *Engine) awaitUndone(id observed.NodeID, v Version) {
	then := thenDecide
	if e.undone.IsFinal(id) {
		then = thenHeld
	}
	e.await(id, await{version: v, deadline: e.undone.Until(id), then: then})
}

// removalTime is how long a store may take from one step of a deletion to the
// next.
const removalTime = 2 * time.Second

// awaitRemoval gives the store time to remove what nothing keeps: a server may
// mark an object and remove it in two steps of one deletion. Once that time is
// over only somebody outside can help.
func (e *Engine) awaitRemoval(id observed.NodeID, o Object) {
	if m := e.edit(id); o.GraceSeconds == 0 && !m.Overdue {
		m.Overdue = true
		e.await(id, await{version: o.Version, deadline: e.now.Add(min(removalTime, e.cfg.AwaitTimeout)), then: thenDecide})
	}
}

// awaitMisplaced has a key looked at again when an owner goes that lives in another
// scope or under another name. Past the bound the audit does that.
func (e *Engine) awaitMisplaced(id observed.NodeID, in rules.Input, d policy.Decision) {
	for _, i := range d.Owners {
		u, doubt := in.Object.Owners[i].UID, in.Owners[i].Doubt
		elsewhere := doubt == graph.Misplaced || doubt == graph.Renamed
		if w := e.misplaced[u]; elsewhere && len(w) < reads.MaxWaiters && !slices.Contains(w, id) {
			e.misplaced[u] = append(w, id)
		}
	}
}

// wakeMisplaced looks at those again that an owner in another scope, or under
// another name, held.
func (e *Engine) wakeMisplaced(u UID) {
	for _, id := range e.misplaced[u] {
		if e.graph.InUse(id) {
			e.work.Add(id, queue.Normal)
		}
	}
	delete(e.misplaced, u)
}

// ownerID returns the node that stands for the i-th owner of a node: for a
// reference that counts by its UID the object that has it.
func (e *Engine) ownerID(id observed.NodeID, i int) observed.NodeID {
	return e.view().OwnerID(id, i)
}

// park waits for the watch to speak of what a read contradicts. Past the
// deadline the kinds in question are listed anew.
func (e *Engine) park(id observed.NodeID, d policy.Decision) {
	at, ok := e.parked[id]
	if !ok {
		at = e.now.Add(e.cfg.AwaitTimeout)
	} else if !e.now.Before(at) {
		e.kinds.WantList(e.graph.Node(id).Kind())
		for _, i := range d.Owners {
			e.kinds.WantList(e.graph.Node(e.ownerID(id, i)).Kind())
		}
		at = e.now.Add(e.cfg.AwaitTimeout)
	}
	e.parked[id] = at
	e.work.AddAt(id, queue.Normal, at)
}

// report shows a decision to whoever wants to see it.
func (e *Engine) report(n observed.Node, o Object, d DecisionEvent) {
	if e.cfg.OnDecision == nil {
		return
	}
	d.Key, d.Version = n.Key(), o.Version
	for _, i := range d.Decision.Owners {
		d.Owners = append(d.Owners, n.OwnerAt(i))
	}
	e.cfg.OnDecision(d)
}
