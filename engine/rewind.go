package engine

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/queue"
)

// takeAnnounced takes a rewind that the store announces, and reports whether there is anything
// to take back. There is not for an epoch that was taken before, nor before an event has
// described the content of the store (R5). A fence under way belongs to the former history.
//
//test:by internal/proof/script.TestScenarios/r5-an-epoch-counts-once
func (e *Engine) takeAnnounced(ev *graph.Event) bool {
	if !e.kinds.TakeEpoch(ev.Epoch) {
		return false
	}
	if !e.kinds.Observed() {
		e.fence.Void(&e.kinds)
	}
	return e.kinds.Observed()
}

// rewind takes back every absence: the store's history went backwards. No write goes out
// before every kind is listed anew (R5).
func (e *Engine) rewind(why string) {
	e.revision.Raise() // first, since the rest walks the whole graph
	e.effects.Warn("history went backwards", "cause", why)
	e.counts.Rewinds++
	if _, err := e.apply(&graph.Event{Type: graph.Rewound}, nil); err != nil {
		e.fail("rewind: %v", err)
	}
	at := e.seq.Stamp()
	e.nodes.ForgetRoots()
	e.absent.Clear()
	e.orphaned.Clear()
	e.takeBackFences()
	e.forgetDoubts()
	e.fence.Rewind(e.now, &e.kinds)
	e.kinds.Rewind(at)
	e.follows.Rewind()
}

// forgetDoubts takes back the waits of objects that belong to the former history, and puts these
// objects in the queue.
func (e *Engine) forgetDoubts() {
	expecting, awaiting := e.expected.Rewind()
	for _, id := range expecting {
		e.edit(id).Reread = false
		e.work.Add(id, queue.Normal)
	}
	for _, id := range awaiting {
		e.work.Add(id, queue.Normal)
	}
	e.calls.DropRetries()
	e.undone.Rewind()
	e.reads.Rewind(e.view())
	e.handlers.Rewind()
	e.sweeps.Rewind()
	e.order.Rewind(e.orderView())
	e.brake.Rewind(e.brakeView())
	e.cycles.Reset(e.view(), e.now)
}

// endRewind ends a rewind once every kind has been listed since.
func (e *Engine) endRewind() {
	if e.kinds.EndRewind() {
		e.auditSoon()
	}
}

// lose notes a sign that history may have gone backwards: a write without an answer, or a
// watch that broke. The prepared calls are decided again.
//
//test:by internal/proof/script.TestScenarios/r5-a-loss
func (e *Engine) lose() {
	e.kinds.Lose(e.now, &e.seq, e.level >= Level2, e.graph)
	e.counts.Losses++
	e.takeBackFences()
	e.fence.Void(&e.kinds)
	e.cycles.Reset(e.view(), e.now)
	at := e.kinds.LostAt()
	e.sweeps.Lose(at)
	if e.level >= Level2 {
		e.fence.Want(at, e.now)
	}
}

// WatchEnded notes that the watch is down. Each kind counts as sick, for this reason,
// until its next listing. Broke says that the watch broke, which may be the first sign of
// a rewind (R5). An end that the store or its user ordered is no sign. The caller calls it
// between two runs of Store.Watch.
//
//test:by internal/proof/script.TestScenarios/r5-a-broken-watch-is-a-loss
func (e *Engine) WatchEnded(now time.Time, reason string, broke bool) {
	e.tick(now)
	if e.broken != nil {
		return
	}
	if broke {
		e.lose()
	}
	for _, k := range e.Kinds() {
		_ = e.applyEvent(&graph.Event{Type: graph.KindSick, Kind: k.Kind, Reason: reason}) // no store may refuse it: the kind takes part
	}
	e.endStep()
}

// awaitAnswer asks for a read of an object before its write, after a sign, or makes it wait with
// its kind. Once the store has answered any call the read is not needed.
func (e *Engine) awaitAnswer(id graph.NodeID) {
	m := e.edit(id)
	if !e.kinds.Unanswered() {
		e.fence.Await(id, m)
		e.work.AddAt(id, queue.Normal, e.kinds.LossEnd())
		return
	}
	m.Probing = m.Probing || !m.Reread
	m.Reread = true
	e.work.Add(id, queue.High)
}

// confirm ends the open signs of a rewind once every kind is confirmed. The waiting
// objects are decided again. A passed fence, an audit and a change of the set of kinds
// call it. Without fences the end of the last wanted listing calls it.
//
//test:by internal/proof/script.TestScenarios/r5-a-kind-that-returns-after-a-loss
func (e *Engine) confirm() {
	if e.kinds.Confirm(&e.seq) {
		e.resumeReads()
		e.wakeFence()
	}
}

// resumeReads reads those owners again that only the outside can make readable: newer
// evidence of the watch may count now.
func (e *Engine) resumeReads() {
	for _, id := range e.reads.Delayed() {
		e.edit(id).Blocked = graph.DoubtUnset
		e.answered(id)
	}
}

// noteAnswer notes what the outcome of a read says about the store: a rewind or not, it
// has answered. A version as new as the watermark confirms its kind.
func (e *Engine) noteAnswer(outcome inflight.Outcome, x *inflight.Call, n graph.Node, o *graph.Object) {
	if outcome.IsAnswer() {
		e.kinds.SetAnswered(x.Began)
	}
	if cmp := e.cfg.CompareVersions; cmp != nil && outcome.HasObject() && n.State() == graph.Observed {
		e.kinds.ConfirmRead(o.Kind, o.Version, x.Began, cmp)
	}
}

// compareRead returns the text that says how a read shows that history went backwards, or
// "". The object is older than the watch had shown it before, or alive although the watch
// had observed its end (R5).
func (e *Engine) compareRead(x *inflight.Call, n graph.Node, o graph.Object) (why string) {
	if o.UID != x.Key.UID {
		return ""
	}
	m := e.state(n.ID())
	if gone := n.State() == graph.Absent || e.isGoneObserved(n.ID()); gone && m.Changed < x.Began {
		return o.Key.String() + returned
	}
	if n.State() == graph.Observed && m.Absent > e.kinds.Rewound() && m.Absent < x.Began {
		return o.Key.String() + " was read as gone and is back"
	}
	if cmp := e.cfg.CompareVersions; cmp != nil && m.Known < x.Began && e.kinds.IsOlder(n, m.Known, &o, cmp) {
		return o.Key.String() + " was read at version " + string(o.Version) + " after " + string(n.Version())
	}
	return ""
}
