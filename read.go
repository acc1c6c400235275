package ownergraph

import (
	"errors"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/policy"
)

// wantReads has the owners read that a decision needs. The dependent is decided again when
// the last of them has been answered, or has failed.
func (e *Engine) wantReads(id observed.NodeID, d policy.Decision) {
	for _, i := range d.Owners {
		e.reads.Want(e.view(), id, e.ownerID(id, i))
	}
}

// holdUnread reports a node that waits for an owner which only the outside can make
// readable.
func (e *Engine) holdUnread(id observed.NodeID, d policy.Decision) {
	for _, i := range d.Owners {
		if doubt := e.state(e.ownerID(id, i)).Blocked; doubt != graph.DoubtUnset {
			e.hold(id, policy.OwnerUnknown, doubt)
			return
		}
	}
}

// nextRead makes c the next read of an owner, if one is due.
func (e *Engine) nextRead(c *Call) bool {
	id, ok := e.reads.Next(e.view(), e.now)
	if ok {
		*c = Call{Type: CallRead, Key: e.graph.Node(id).Key(), Timeout: e.cfg.CallTimeout}
		e.issue(c, flight{node: id, key: c.Key})
	}
	return ok
}

// readDone takes the result of a read of an owner: evidence for the dependents that wait
// (R4).
func (e *Engine) readDone(f flight, r Result) {
	n, ok := e.graph.Lookup(f.key)
	if !ok { // an absence that a read finds ends with the phantom
		e.reads.End(f.key, 0)
		return
	}
	id := n.ID()
	e.reads.End(f.key, id)
	if f.began <= e.kinds.Rewound() { // it is about a former history (R5)
		e.reads.Again(id)
		return
	}
	absent := r.Err == nil && r.Object.UID != f.key.UID || errors.Is(r.Err, ErrNotFound)
	was := e.state(id).Blocked
	e.edit(id).Blocked = graph.DoubtUnset
	if r.Err != nil && !absent {
		e.readFailed(id, was, r.Err)
		return
	}
	switch {
	case absent && f.shown: // the watch goes first
		e.reads.Settle(id)
		e.counts.Contradictions++
	case absent:
		e.reads.Settle(id)
		e.kinds.SetAnswered(f.began)
		e.noteAbsent(id, f.began)
	case e.shows(f, n, r.Object):
		e.reads.Settle(id)
	default:
		e.reads.Settle(id)
		e.noteRead(n, f, r.Object)
	}
	e.answered(id)
}

// readFailed puts a failed read off. It proves nothing (R8). The waiting dependents are
// decided by the other evidence, and held with the reason where only the outside can help.
func (e *Engine) readFailed(id observed.NodeID, was graph.Doubt, err error) {
	e.counts.FailedReads++
	wait, told := retryIn(err)
	e.reads.Retry(id, e.now, wait, told)
	kind, doubt := e.graph.Node(id).Kind(), graph.DoubtUnset
	if e.kinds.Unconfirmed(e.graph, kind, e.kinds.LostAt()) { // a listing is evidence, too
		e.kinds.WantList(kind)
	}
	switch {
	case errors.Is(err, ErrKindUnknown):
		doubt = graph.UnservedKind
	case errors.Is(err, ErrRefused), e.kinds.Sick(kind) != "":
		doubt = graph.Unreadable
	}
	free := e.reads.Fail(e.view(), id, was, doubt, &e.effects)
	e.carryOut()
	for _, d := range free {
		e.hold(d, policy.OwnerUnknown, doubt) // until it is decided
		e.held.SetError(d, err)
	}
	if doubt == graph.DoubtUnset {
		e.holdUnreadable(id, err)
	}
}

// noteRead keeps the result of a read of an owner that exists, unless a newer event of the
// watch says otherwise.
func (e *Engine) noteRead(n observed.Node, f flight, o Object) {
	id := n.ID()
	m, s := e.state(id), readStateOf(o)
	switch n.State() {
	case observed.Phantom:
		if e.kinds.Of(f.key.Kind).Ended > f.began {
			return
		}
	case observed.Observed:
		if m.Known > f.began && roleOf(n) != s {
			return
		}
	default:
		return
	}
	e.reads.SetResult(e.view(), id, reads.Result{State: s, Version: o.Version, Began: f.began, Done: e.seq.Stamp()})
}

// answered has the dependents decided again that waited for a read of the owner alone.
func (e *Engine) answered(id observed.NodeID) {
	e.reads.Answer(e.view(), id, &e.effects)
	e.held.Succeed(id)
	e.carryOut()
}
