package engine

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// writeCall makes c the call of a write.
func (e *Engine) writeCall(w *inflight.Write, bestEffort bool, c *Call) {
	e.issue(c, w.Call)
	e.orphaned.Begin(&w.Call)
	e.scratch.issued = c.ID
	c.Precondition, c.Change, c.Options = w.Precondition, w.Change, w.Options
	if bestEffort {
		e.counts.BestEffort++
	}
}

// issue makes c a call that is handed out, and returns the moment. The caller sets the
// fields that only calls of this purpose have.
func (e *Engine) issue(c *Call, x inflight.Call) seq.Stamp {
	*c = Call{ID: CallID(e.calls.Issue(e.view(), &e.seq, &x)), Type: typeFor(x.Purpose), Timeout: e.cfg.CallTimeout, Alone: e.held.IsLate(x.Node)}
	if x.Purpose.HasKey() {
		c.Key = x.Key
	}
	if x.Purpose.IsWork() {
		e.held.Begin(x.Node, e.now)
	}
	return x.Began
}

// revokePrepared revokes the calls that no caller has begun, since their evidence no longer
// applies. Their keys are decided again. The prepared calls are taken back here. The
// caller gives back the calls that it has (see Engine.revision).
func (e *Engine) revokePrepared() {
	e.revision.Raise()
	for _, id := range e.calls.DropPrepared() {
		e.brake.Return(id)
		e.calls.RevokeID(e.view(), id, e.work, &e.effects)
		e.carryOut()
	}
}

// endOwn ends a write or reread. It reports whether the object is still in the graph as the same
// node. Then its key stays in flight in the queue until the caller has said the next wait.
func (e *Engine) endOwn(id CallID, x *inflight.Call) bool {
	end := e.calls.Complete(e.view(), uint64(id), x.Node)
	if end == inflight.Ended {
		e.work.Done(x.Node)
	}
	return end == inflight.Current
}

// writeDone takes the result of a write.
func (e *Engine) writeDone(id CallID, x *inflight.Call, err error) {
	wait, delayed := e.retryIn(err)
	outcome := inflight.OfWrite(x, err, delayed, e.kinds.Rewound())
	e.orphaned.Done(x, outcome == inflight.Succeeded && x.Began > e.kinds.Rewound())
	if x.Purpose == inflight.Delete {
		e.history.SetOutcome(x.Key, uint64(id), outcome)
		e.brake.Done(uint64(id), isUndone(outcome))
	}
	if outcome == inflight.Unknown { // also for an object that is gone since
		e.counts.UnknownOutcomes++
		e.lose()
		e.kinds.LoseWrite(x.Key.Kind)
	}
	if !e.endOwn(id, x) {
		return
	}
	defer e.work.Done(x.Node)
	defer e.held.SetError(x.Node, err)
	current := e.graph.Node(x.Node).Inside(inside.Key{}).HasVersion(x.Version) || e.calls.IsRetry(x.Node, x.Version)
	e.calls.DropRetry(x.Node)
	switch outcome {
	case inflight.Succeeded:
		e.noteWritten(x, current)
	case inflight.Vanished:
		e.noteVanished(x.Node, x.Began)
	case inflight.Conflicted:
		e.noteConflict(x.Node)
	case inflight.Refused:
		e.counts.RefusedWrites++
		e.effects.Warn("write refused", "reason", policy.StoreRefused.Code(), "key", x.Key.String(), "err", err)
		e.holdRefused(x.Node, x.Version)
	case inflight.Delayed:
		e.expect(x.Node, inflight.Expectation{Version: x.Version, Deadline: e.putOff(x.Node, "write", err, wait), OnTimeout: inflight.TimeoutDecide})
	case inflight.Unserved:
		e.hold(x.Node, policy.KindUnserved, graph.DoubtUnset)
		e.work.Retry(x.Node, queue.Normal, e.now)
	case inflight.Unknown:
		sick, at := e.holdIfSick(x.Node), e.work.Retry(x.Node, queue.Normal, e.now)
		if !sick {
			if late := e.holdFailing(x.Node, "write", err); late > 1 { // the first one may have been a batch
				at = e.now.Add(inflight.LatePause(e.work, x.Node, late-1, e.cfg.CallTimeout))
			}
		}
		if current || x.Ahead {
			e.noteUnknown(x)
		}
		e.expect(x.Node, inflight.Expectation{Version: x.Version, Deadline: at, OnTimeout: inflight.TimeoutRead, Blocked: sick})
	}
}

// noteWritten makes the object of a write await its event. If the event came first, its version is
// no longer current, and the key is in the queue.
func (e *Engine) noteWritten(x *inflight.Call, current bool) {
	e.work.Forget(x.Node)
	e.edit(x.Node).Conflicts = 0
	e.held.Succeed(x.Node)
	if current {
		e.expect(x.Node, inflight.Expectation{Version: x.Version, Deadline: e.now.Add(e.cfg.AwaitTimeout), OnTimeout: inflight.TimeoutRead, Wrote: x.Wrote})
	} else {
		e.undone.Wrote(x.Node, x.Wrote)
	}
}

// holdRefused holds an object to which the store refuses a write or a read, and tries again slowly.
func (e *Engine) holdRefused(id graph.NodeID, v graph.Version) {
	e.hold(id, policy.StoreRefused, graph.DoubtUnset)
	e.expect(id, inflight.Expectation{Version: v, Deadline: e.now.Add(e.cfg.RefusedRetry), OnTimeout: inflight.TimeoutHeld})
}

// holdIfSick holds an object whose kind is sick, and reports whether it is. Only the
// outside can end that wait.
func (e *Engine) holdIfSick(id graph.NodeID) bool {
	sick := e.kinds.Sick(e.graph.Node(id).Kind()) != ""
	if sick {
		e.hold(id, policy.KindSick, graph.DoubtUnset)
	}
	return sick
}

// expect keeps a key from a decision until the graph shows another version than the
// expected write had, or until the deadline.
func (e *Engine) expect(id graph.NodeID, x inflight.Expectation) {
	e.expected.Put(id, x)
	e.work.AddAt(id, queue.Normal, x.Deadline)
}

// noteConflict asks for a new read of the object: at once the first time, then with backoff or at
// the writer's next event. Against a faster writer that costs at most one write and one
// read for each of its versions.
func (e *Engine) noteConflict(id graph.NodeID) {
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
func (e *Engine) noteVanished(id graph.NodeID, began seq.Stamp) {
	e.noteAbsent(id, began)
	v := e.graph.Node(id).Version()
	e.expect(id, inflight.Expectation{
		Version: v, Deadline: e.now.Add(e.cfg.AwaitTimeout), OnTimeout: inflight.TimeoutList, Gone: true, Blocked: e.holdIfSick(id),
	})
}

// rereadDone takes the result of the read after a conflict or a deadline (R1).
func (e *Engine) rereadDone(id CallID, x *inflight.Call, r Result) {
	if !e.endOwn(id, x) {
		return
	}
	defer e.work.Done(x.Node)
	defer e.held.SetError(x.Node, r.Err)
	n, facts := e.graph.Node(x.Node), inflight.RereadFacts{Err: r.Err, UID: r.Object.UID}
	wait, delayed := e.retryIn(r.Err)
	facts.Delayed = delayed
	why := e.rereadFacts(&facts, x, n, &r.Object)
	outcome, m := inflight.OfReread(x, &facts), e.edit(x.Node)
	m.Reread = outcome.ReadsAgain()
	m.OutcomeUnknown = facts.OutcomeUnknown && m.Reread
	e.noteAnswer(outcome, x, n, &r.Object)
	switch outcome {
	case inflight.Outdated, inflight.Overtaken, inflight.Same:
		e.work.Add(x.Node, queue.High)
	case inflight.Settled:
		e.work.Add(x.Node, queue.Normal)
	case inflight.Vanished:
		e.noteVanished(x.Node, x.Began)
	case inflight.Unserved:
		e.hold(x.Node, policy.KindUnserved, graph.DoubtUnset)
	case inflight.Sick:
		e.hold(x.Node, policy.KindSick, graph.DoubtUnset)
		e.expect(x.Node, inflight.Expectation{Version: n.Version(), Deadline: e.work.Retry(x.Node, queue.Normal, e.now), OnTimeout: inflight.TimeoutDecide, Blocked: true})
	case inflight.Refused:
		e.holdRefused(x.Node, n.Version())
	case inflight.Delayed:
		e.work.AddAt(x.Node, queue.Normal, e.putOff(x.Node, "read", r.Err, wait))
	case inflight.Failed:
		e.holdFailing(x.Node, "read", r.Err)
		e.work.Retry(x.Node, queue.Normal, e.now)
	case inflight.Backwards:
		e.rewind(why)
	case inflight.Different:
		e.expect(x.Node, inflight.Expectation{Version: n.Version(), Deadline: e.now.Add(e.cfg.AwaitTimeout), OnTimeout: inflight.TimeoutList})
	case inflight.Retry:
		e.calls.SetRetry(e.view(), &e.seq, x.Node, r.Object)
		e.cycles.Changed(e.view(), x.Node, e.now)
		e.work.Add(x.Node, queue.High)
	}
}

// rereadFacts gathers the facts for the outcome of a reread. It returns the text that says
// how the object shows a rewind, or "".
func (e *Engine) rereadFacts(f *inflight.RereadFacts, x *inflight.Call, n graph.Node, o *graph.Object) (why string) {
	m, kind, at := e.state(x.Node), x.Key.Kind, e.kinds.LostAt()
	f.Known, f.Rewound, f.OutcomeUnknown = m.Known, e.kinds.Rewound(), m.OutcomeUnknown
	f.Part, f.Sick, f.ShownSince = e.kinds.Part(kind), e.kinds.Sick(kind) != "", at != 0 && !e.kinds.Behind(kind, at)
	if f.Err == nil && f.UID == x.Key.UID {
		e.pauses.ShowRead(x.Node, o.Version)
		why = e.compareRead(x, n, *o)
		f.Backwards, f.SameVersion, f.SameContent = why != "", o.Version == n.Version(), o.EqualContent(n.Object())
	}
	return why
}
