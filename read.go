package ownergraph

import (
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/policy"
)

// mostWaiters bounds who is noted by name as waiting for one read. Past it all
// dependents of the owner are looked at when it is done.
const mostWaiters = 1024

// ask has the owners read that a decision needs. A read that was handed out
// before the dependent was known does not serve it; then another follows (R6).
// The dependent is looked at again when the last of them has been answered, or
// has failed.
func (e *Engine) ask(id observed.NodeID, d policy.Decision) {
	for _, i := range d.Owners {
		o := e.ownerID(id, i)
		w := e.waiters[o]
		if at, noted := slices.BinarySearch(w, id); !noted && len(w) < mostWaiters {
			e.waiters[o] = slices.Insert(w, at, id)
			if !e.state(o).ReadFailing {
				e.edit(id).PendingReads++
			}
		}
		if !e.state(o).ReadFailing { // else it is tried again in its time
			e.asks.Add(o, queue.Normal)
		}
	}
}

// holdUnread reports a node that waits for an owner which only somebody outside
// can make readable.
func (e *Engine) holdUnread(id observed.NodeID, d policy.Decision) {
	for _, i := range d.Owners {
		if doubt := e.state(e.ownerID(id, i)).Blocked; doubt != graph.DoubtUnset {
			e.hold(id, policy.OwnerUnknown, doubt)
			return
		}
	}
}

// nextRead makes c the next read of an owner, if one is due. One for each full
// coordinates is under way at a time.
func (e *Engine) nextRead(c *Call) bool {
	for {
		id, ok := e.asks.Next(e.now)
		if !ok {
			return false
		}
		if !e.graph.InUse(id) || len(e.waiters[id]) == 0 {
			e.edit(id).ReadFailing = false
			e.asks.Drop(id)
			e.asks.Done(id)
			continue
		}
		k := e.graph.Node(id).Key()
		if _, ok := e.reading[k]; ok { // of a former node: its end asks again
			e.asks.Done(id)
			continue
		}
		*c = Call{Type: CallRead, Key: k, Timeout: e.cfg.CallTimeout}
		e.launch(c, flight{node: id, key: k})
		return true
	}
}

// readDone takes what a read says of an owner. It is evidence for whoever
// waits, and never a change of the graph (R4).
func (e *Engine) readDone(f flight, r Result) {
	delete(e.reading, f.key)
	n, ok := e.graph.Lookup(f.key)
	if f.began <= e.kinds.Rewound() { // it is about a history that is no more (R5)
		if ok {
			e.asks.Done(n.ID())
			e.asks.Add(n.ID(), queue.Normal)
		}
		return
	}
	absent := r.Err == nil && r.Object.UID != f.key.UID || errors.Is(r.Err, ErrNotFound)
	if !ok { // absence that a read finds ends with the phantom
		return
	}
	id := n.ID()
	e.asks.Done(id)
	was := e.state(id).Blocked
	e.edit(id).Blocked = graph.DoubtUnset
	switch {
	case absent && f.shown: // the watch goes first
		e.asks.Forget(id)
		e.counts.Contradictions++
	case absent:
		e.asks.Forget(id)
		e.kinds.SetAnswered(f.began)
		e.believeAbsent(id, f.began)
	case r.Err != nil:
		e.unread(id, was, r.Err)
		return
	case e.shows(f, n, r.Object):
		e.asks.Forget(id)
	default:
		e.asks.Forget(id)
		e.witness(n, f, r.Object)
	}
	e.answered(id)
}

// unread puts a read that failed off. Nothing is proven by it (R8): whoever
// waits for it is decided by what else is known, and held, with the reason, where
// only the outside can help.
func (e *Engine) unread(id observed.NodeID, was graph.Doubt, err error) {
	e.counts.FailedReads++
	e.retryAt(e.asks, id, err)
	m, doubt := e.edit(id), graph.DoubtUnset
	if kind := e.graph.Node(id).Kind(); e.kinds.Unconfirmed(e.graph, kind, e.kinds.LostAt()) { // a listing would tell, too
		e.kinds.WantList(kind)
	}
	switch {
	case errors.Is(err, ErrKindUnknown):
		doubt = graph.UnservedKind
	case errors.Is(err, ErrRefused), e.kinds.Sick(e.graph.Node(id).Kind()) != "":
		doubt = graph.Unreadable
	}
	m.Blocked = doubt
	counted := !m.ReadFailing
	m.ReadFailing = true
	if doubt == graph.DoubtUnset {
		defer e.holdUnreadable(id, err)
	}
	if !counted && doubt == was {
		return
	}
	for _, d := range e.waiters[id] {
		if e.tell(d, counted) && doubt != graph.DoubtUnset && e.refers(d, id) {
			e.hold(d, policy.OwnerUnknown, doubt) // until it is looked at
			e.held.SetError(d, err)
		}
	}
}

// refers reports whether an observed node has a reference to the owner. Who waits
// for a read is noted by an id, which may name another node by now.
func (e *Engine) refers(id, owner observed.NodeID) bool {
	n := e.graph.Node(id)
	if n.State() != observed.Observed {
		return false
	}
	for i := range n.Owners() {
		if e.ownerID(id, i) == owner {
			return true
		}
	}
	return false
}

// witness notes what a read showed of an owner that exists, unless the watch
// has said something else while the read was under way.
func (e *Engine) witness(n observed.Node, f flight, o Object) {
	id := n.ID()
	m, s := e.state(id), sightIn(o)
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
	e.sights[id] = sight{sight: s, version: o.Version, began: f.began, done: e.seq.Stamp()}
	e.edit(id).HasResult = true
}

// answered has whoever waited for a read of the owner, and for no other one,
// looked at again.
func (e *Engine) answered(id observed.NodeID) {
	w, counted := e.waiters[id], !e.state(id).ReadFailing
	delete(e.waiters, id)
	e.held.Succeed(id)
	e.edit(id).ReadFailing = false
	if len(w) >= mostWaiters { // the others are not noted
		e.fan(id)
	}
	for _, d := range w {
		e.tell(d, counted)
	}
}

// tell has a node that waited for a read looked at again, if it waits for no
// other one, and reports that; counted says that it did wait. Ids are used again:
// it may be another node that is looked at early.
func (e *Engine) tell(id observed.NodeID, counted bool) bool {
	m := e.edit(id)
	if counted && m.PendingReads > 0 {
		m.PendingReads--
	}
	if m.PendingReads > 0 || !e.graph.InUse(id) {
		return false
	}
	e.work.Add(id, queue.Normal)
	return true
}

// dropResult forgets the result of the last read of a node in use.
func (e *Engine) dropResult(id observed.NodeID) {
	if _, ok := e.sights[id]; ok {
		delete(e.sights, id)
		e.nodes.ClearResult(e.graph, id)
	}
}
