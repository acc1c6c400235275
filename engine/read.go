package engine

import (
	"errors"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// wantReads asks for reads of the owners that a decision needs. The dependent is decided again when
// the last of them has been answered, or has failed.
func (e *Engine) wantReads(id graph.NodeID, d policy.Decision) {
	for _, i := range d.Owners {
		e.reads.Want(e.view(), id, e.view().OwnerID(id, i))
	}
}

// holdUnread reports a node that waits for an owner which only the outside can make
// readable, or whose reads fail again and again.
func (e *Engine) holdUnread(id graph.NodeID, d policy.Decision) {
	doubt, since := reports{e}.unread(id, d)
	if doubt == graph.DoubtUnset {
		return
	}
	e.hold(id, policy.OwnerUnknown, doubt)
	if !since.IsZero() {
		e.held.SetSince(id, since)
	}
}

// unread returns the doubt about an owner that a decision needs, if only the outside can make it
// readable, or if its reads fail again and again since a time.
func (r reports) unread(id graph.NodeID, d policy.Decision) (doubt graph.Doubt, since time.Time) {
	for _, i := range d.Owners {
		owner := r.e.view().OwnerID(id, i)
		if doubt := r.e.state(owner).Blocked; doubt != graph.DoubtUnset {
			return doubt, time.Time{}
		}
		if since, ok := r.e.held.FailingSince(owner); ok && r.e.state(owner).ReadFailing {
			return graph.Unreadable, since
		}
	}
	return graph.DoubtUnset, time.Time{}
}

// nextRead makes c the next read of an owner, if one is due.
func (e *Engine) nextRead(c *Call) bool {
	id, ok := e.reads.Next(e.view(), e.now)
	for ok && (reports{e}).isForeignRead(id) {
		e.reads.Forgo(e.view(), id, &e.effects)
		e.carryOut()
		id, ok = e.reads.Next(e.view(), e.now)
	}
	if ok {
		e.issue(c, inflight.Call{Purpose: inflight.Read, Node: id, Key: e.graph.Node(id).Key()})
		e.reads.Begin(c.Key, uint64(c.ID))
	}
	return ok
}

// readDone takes the result of a read of an owner: evidence for the dependents that wait
// (R4). An absence that a read finds ends with the phantom.
func (e *Engine) readDone(x *inflight.Call, r Result) {
	n, ok := e.graph.Lookup(x.Key)
	id := n.ID()
	e.reads.End(x.Key, id)
	if !ok {
		return
	}
	why := ""
	if r.Err == nil {
		why = e.compareRead(x, n, r.Object)
	}
	outcome := inflight.OfRead(x, r.Object.UID, r.Err, why != "", e.kinds.Rewound())
	if outcome == inflight.Outdated { // it is about a former history (R5)
		e.reads.Again(id)
		return
	}
	was := e.state(id).Blocked
	e.edit(id).Blocked = graph.DoubtUnset
	if outcome == inflight.Failed {
		e.readFailed(id, was, r.Err)
		return
	}
	e.reads.EndRetries(id)
	e.noteAnswer(outcome, x, n, &r.Object)
	switch outcome {
	case inflight.Overtaken:
		e.counts.Contradictions++
	case inflight.Vanished:
		e.noteAbsent(id, x.Began)
	case inflight.Backwards:
		e.rewind(why)
	case inflight.Found:
		e.noteRead(n, x, r.Object)
	}
	e.answered(id)
}

// readFailed puts a failed read off. It proves nothing (R8). The waiting dependents are
// decided by the other evidence, and held with the reason where only the outside can help.
func (e *Engine) readFailed(id graph.NodeID, was graph.Doubt, err error) {
	e.counts.FailedReads++
	wait, named := e.retryIn(err)
	e.reads.Retry(id, e.now, wait)
	kind, doubt := e.graph.Node(id).Kind(), graph.DoubtUnset
	if e.kinds.Unconfirmed(e.graph, kind, e.kinds.LostAt()) { // a listing is evidence, too
		e.kinds.WantList(kind)
	}
	switch {
	case errors.Is(err, graph.ErrKindUnknown):
		doubt = graph.UnservedKind
	case errors.Is(err, graph.ErrRefused), e.kinds.Sick(kind) != "":
		doubt = graph.Unreadable
	}
	free := e.reads.Fail(e.view(), id, was, doubt, &e.effects)
	e.carryOut()
	for _, d := range free {
		e.hold(d, policy.OwnerUnknown, doubt) // until it is decided
		e.held.SetError(d, err)
	}
	if doubt == graph.DoubtUnset {
		e.holdUnreadable(id, err, named)
	}
}

// noteRead keeps the result of a read of an owner that exists, unless a newer event of the
// watch says otherwise.
func (e *Engine) noteRead(n graph.Node, x *inflight.Call, o graph.Object) {
	id := n.ID()
	m := e.state(id)
	s := evidence.ReadStateOf(&o, e.guards.WithholdsMark(&o, m.Known, e.kinds.Rewound()))
	switch n.State() {
	case graph.Phantom:
		if e.kinds.Of(x.Key.Kind).Ended > x.Began {
			return
		}
	case graph.Observed:
		if m.Known > x.Began && evidence.RoleOf(n) != s {
			return
		}
	default:
		return
	}
	e.reads.SetResult(e.view(), id, reads.Result{State: s, Version: o.Version, Grace: o.GraceSeconds, Began: x.Began, Done: e.seq.Stamp()})
}

// answered asks for decisions of the dependents that waited for a read of the owner alone.
func (e *Engine) answered(id graph.NodeID) {
	e.reads.Answer(e.view(), id, &e.effects)
	e.held.Succeed(id)
	e.carryOut()
}

// noteAbsent notes that a call which began then has proven a node absent (R2, absence).
func (e *Engine) noteAbsent(id graph.NodeID, began seq.Stamp) {
	m := e.edit(id)
	known := m.Absent > e.kinds.Rewound()
	if m.Absent = max(m.Absent, began); known {
		return
	}
	m.GoneObserved = false // that was of a former history
	m.Changed = e.seq.Stamp()
	if m.Ended == 0 {
		m.Ended = e.now.UnixNano()
	}
	e.reads.DropResult(e.view(), id)
	e.fanout.Push(e.view(), id)
}
