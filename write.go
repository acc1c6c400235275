package ownergraph

import (
	"errors"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// writeCall turns a decision that writes into a call. R1: every one carries
// UID and version.
func (e *Engine) writeCall(id observed.NodeID, o *Object, d *policy.Decision, c *Call) {
	pre := Precondition{UID: o.UID, Version: o.Version}
	*c = Call{Type: CallPatch, Key: o.Key, Precondition: pre, Timeout: e.cfg.CallTimeout}
	f := flight{node: id, key: o.Key, version: o.Version, wrote: inflight.Digest(o, d)}
	switch d.Action {
	case policy.Trim, policy.Orphan:
		c.Change.DropOwners = references(o, d.Owners)
	case policy.Unblock:
		c.Change.Unblock = references(o, d.Owners)
	case policy.Release:
		c.Change.DropFinalizer = d.Finalizer
		if d.Finalizer == graph.FinalizerOrphan {
			f.ending = graph.Orphan
		}
	case policy.Attach:
		c.Change.AddFinalizer = d.Finalizer
	case policy.Delete:
		c.Type = CallDelete
		c.Precondition = Precondition{}
		c.Options = DeleteOptions{Precondition: pre, Propagation: d.Propagation, GraceSeconds: d.GraceSeconds}
	}
	if d.BestEffort {
		e.counts.BestEffort++
	}
	e.issue(c, f)
}

// references returns the owners that a decision names.
func references(o *Object, named []int) []Owner {
	refs := make([]Owner, len(named))
	for j, i := range named {
		refs[j] = o.Owners[i]
	}
	return refs
}

func (e *Engine) rereadCall(id observed.NodeID, c *Call) {
	k := e.graph.Node(id).Key()
	*c = Call{Type: CallRead, Key: k, Timeout: e.cfg.CallTimeout}
	e.issue(c, flight{node: id, key: k, reread: true})
}

// issue gives a call that is handed out its number, and returns the moment.
func (e *Engine) issue(c *Call, f flight) seq.Stamp {
	e.lastCall++
	c.ID = e.lastCall
	f.call, f.began = c.Type, e.seq.Stamp()
	e.flights[c.ID] = f
	switch {
	case f.run != 0: // beside the calls about the node itself
	case c.Type == CallRead && !f.reread:
		e.reads.Begin(c.Key, uint64(c.ID))
	case c.Type <= CallDelete:
		e.edit(f.node).Call = uint64(c.ID)
	}
	return f.began
}

// revokePrepared revokes the calls that no caller has begun, since their evidence no longer
// holds. Their keys are decided again. The prepared calls are taken back here. The
// caller gives back the calls that it holds (see Engine.revision).
func (e *Engine) revokePrepared() {
	e.revision.Raise()
	for _, c := range e.prepared.All() {
		e.revokeCall(c.ID, e.flights[c.ID])
	}
	e.prepared = fifo.List[Call]{}
}

// revokeCall ends a write, or a read of an object itself or of a holder, that no caller has
// begun. Its key is decided again.
func (e *Engine) revokeCall(id CallID, f flight) {
	delete(e.flights, id)
	if f.run != 0 {
		e.sweeps.ReturnRead(e.sweepView(), f.run)
		e.carryOut()
		return
	}
	if e.state(f.node).Call != uint64(id) {
		return
	}
	e.edit(f.node).Call = 0
	e.edit(f.node).Reread = e.state(f.node).Reread || f.reread
	e.work.Done(f.node)
	e.work.Add(f.node, queue.Normal)
}

// complete ends a write or reread. It reports whether the object is still in the graph as
// the same node. Then its key stays in flight in the queue until the caller has said the
// next wait.
func (e *Engine) complete(id CallID, f flight) bool {
	if e.state(f.node).Call != uint64(id) {
		return false
	}
	e.edit(f.node).Call = 0
	if e.graph.Node(f.node).State() == observed.Observed {
		return true
	}
	e.work.Done(f.node)
	return false
}

// writeDone takes the result of a write.
func (e *Engine) writeDone(id CallID, f flight, err error) {
	if err == nil && f.ending == graph.Orphan && f.began > e.kinds.Rewound() {
		e.orphaned.Add(f.key)
	}
	if unknownOutcome(err) { // also for an object that is gone since
		e.counts.UnknownOutcomes++
		e.lose()
		e.kinds.LoseWrite(f.key.Kind)
	}
	if !e.complete(id, f) {
		return
	}
	defer e.work.Done(f.node)
	defer e.held.SetError(f.node, err)
	current := e.graph.Node(f.node).HasVersion(f.version) || e.retries[f.node].Version == f.version
	delete(e.retries, f.node)
	switch wait, told := retryIn(err); {
	case err == nil:
		e.work.Forget(f.node)
		e.edit(f.node).Conflicts = 0
		e.held.Succeed(f.node)
		if current {
			e.expect(f.node, inflight.Expectation{Version: f.version, Deadline: e.now.Add(e.cfg.AwaitTimeout), OnTimeout: inflight.TimeoutRead, Wrote: f.wrote})
		} else { // its event came first, and the key is in the queue
			e.undone.Wrote(f.node, f.wrote)
		}
	case errors.Is(err, ErrNotFound) && f.began > e.kinds.Rewound() && !f.shown:
		e.noteVanished(f.node, f.began)
	case errors.Is(err, ErrConflict), errors.Is(err, ErrNotFound): // or the watch goes first
		e.noteConflict(f.node)
	case errors.Is(err, ErrRefused):
		e.counts.RefusedWrites++
		e.effects.Warn("write refused", "object", f.key.String(), "err", err)
		e.holdRefused(f.node, f.version)
	case told:
		e.expect(f.node, inflight.Expectation{Version: f.version, Deadline: e.now.Add(max(wait, time.Millisecond)), OnTimeout: inflight.TimeoutDecide})
	case errors.Is(err, ErrKindUnknown):
		e.hold(f.node, policy.KindUnserved, graph.DoubtUnset)
		e.work.Retry(f.node, queue.Normal, e.now)
	default: // the outcome is unknown
		sick := e.holdIfSick(f.node)
		if !sick {
			e.holdFailing(f.node)
		}
		e.expect(f.node, inflight.Expectation{Version: f.version, Deadline: e.work.Retry(f.node, queue.Normal, e.now), OnTimeout: inflight.TimeoutRead, Blocked: sick})
	}
}

// holdRefused holds an object to which the store refuses a write or a read, and tries
// again slowly.
func (e *Engine) holdRefused(id observed.NodeID, v Version) {
	e.hold(id, policy.StoreRefused, graph.DoubtUnset)
	e.expect(id, inflight.Expectation{Version: v, Deadline: e.now.Add(e.cfg.RefusedRetry), OnTimeout: inflight.TimeoutHeld})
}

// holdIfSick holds an object whose kind is sick, and reports whether it is. Only the
// outside can end that wait.
func (e *Engine) holdIfSick(id observed.NodeID) bool {
	sick := e.kinds.Sick(e.graph.Node(id).Kind()) != ""
	if sick {
		e.hold(id, policy.KindSick, graph.DoubtUnset)
	}
	return sick
}

// expect keeps a key from a decision until the graph shows another version than the
// expected write had, or until the deadline.
func (e *Engine) expect(id observed.NodeID, x inflight.Expectation) {
	e.expected.Put(id, x)
	e.work.AddAt(id, queue.Normal, x.Deadline)
}

// noteConflict has the object read again: at once the first time, then with backoff or at
// the writer's next event. Against a faster writer that costs at most one write and one
// read for each of its versions.
func (e *Engine) noteConflict(id observed.NodeID) {
	e.counts.Conflicts++
	m := e.edit(id)
	m.Reread, m.OutcomeUnknown, m.Probing = true, false, false
	if m.Conflicts++; m.Conflicts == 1 {
		e.work.Add(id, queue.High)
		return
	}
	e.hold(id, policy.Disturbed, graph.DoubtUnset)
	e.work.Retry(id, queue.High, e.now)
}

// noteVanished notes that a read or write of the object did not find it. The object waits
// for the watch. Its dependents do not.
func (e *Engine) noteVanished(id observed.NodeID, began seq.Stamp) {
	e.noteAbsent(id, began)
	v := e.graph.Node(id).Version()
	e.expect(id, inflight.Expectation{
		Version: v, Deadline: e.now.Add(e.cfg.AwaitTimeout), OnTimeout: inflight.TimeoutList, Gone: true, Blocked: e.holdIfSick(id),
	})
}

// rereadDone takes the result of the read after a conflict or a deadline (R1). A newer
// event of the watch goes first.
func (e *Engine) rereadDone(id CallID, f flight, r Result) {
	if !e.complete(id, f) {
		return
	}
	defer e.work.Done(f.node)
	defer e.held.SetError(f.node, r.Err)
	m, n := e.edit(f.node), e.graph.Node(f.node)
	unsure := m.OutcomeUnknown
	m.Reread, m.OutcomeUnknown = false, false
	switch absent := r.Err == nil && r.Object.UID != f.key.UID || errors.Is(r.Err, ErrNotFound); {
	case f.began <= e.kinds.Rewound():
		m.Reread, m.OutcomeUnknown = true, unsure
		e.work.Add(f.node, queue.High)
	case m.Known > f.began, m.Known <= e.kinds.Rewound(), absent && f.shown:
		e.work.Add(f.node, queue.High)
	case absent:
		e.kinds.SetAnswered(f.began)
		e.noteVanished(f.node, f.began)
	case errors.Is(r.Err, ErrKindUnknown) && !e.kinds.Part(f.key.Kind): // once it is served again it is listed
		e.hold(f.node, policy.KindUnserved, graph.DoubtUnset)
	case r.Err != nil && e.kinds.Sick(f.key.Kind) != "":
		m.Reread, m.OutcomeUnknown = true, unsure
		e.hold(f.node, policy.KindSick, graph.DoubtUnset)
		e.expect(f.node, inflight.Expectation{Version: n.Version(), Deadline: e.work.Retry(f.node, queue.Normal, e.now), OnTimeout: inflight.TimeoutDecide, Blocked: true})
	case errors.Is(r.Err, ErrRefused) && unsure && e.kinds.LostAt() != 0 && !e.kinds.Behind(f.key.Kind, e.kinds.LostAt()):
		e.work.Add(f.node, queue.Normal) // the watch has shown it since that write
	case errors.Is(r.Err, ErrRefused): // only the outside can help
		m.Reread, m.OutcomeUnknown = true, unsure
		e.holdRefused(f.node, n.Version())
		e.held.SetError(f.node, r.Err)
	case r.Err != nil:
		m.Reread, m.OutcomeUnknown = true, unsure
		e.retryAt(e.work, f.node, r.Err)
	case e.shows(f, n, r.Object):
	case r.Object.Version == n.Version():
		e.work.Add(f.node, queue.High)
	case unsure || !r.Object.EqualContent(n.Object()):
		e.expect(f.node, inflight.Expectation{Version: n.Version(), Deadline: e.now.Add(e.cfg.AwaitTimeout), OnTimeout: inflight.TimeoutList})
	default:
		e.retryDecision(f.node, r.Object)
	}
}

// retryDecision takes the version from a conflict's read for one retry. The proofs for the
// former version count no more. Its mark may have changed and changed back in between
// (R3).
func (e *Engine) retryDecision(id observed.NodeID, o Object) {
	m := e.edit(id)
	e.retries[id] = o
	t := e.seq.Stamp()
	m.Known, m.Changed = t, t
	if m.Mark != 0 {
		m.Mark = t
	}
	e.cycles.Changed(e.view(), id, e.now)
	e.work.Add(id, queue.High)
}

// retryAt puts a key off after a transient error.
func (e *Engine) retryAt(q *queue.Queue[observed.NodeID], id observed.NodeID, err error) {
	if wait, told := retryIn(err); told {
		q.AddAt(id, queue.Normal, e.now.Add(max(wait, time.Millisecond)))
		return
	}
	q.Retry(id, queue.Normal, e.now)
}
