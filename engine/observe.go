package engine

import (
	"errors"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// isGoneObserved reports whether the watch showed the end of a node that references still
// name. The node remembers that longer than the bounded memory does.
func (e *Engine) isGoneObserved(id graph.NodeID) bool {
	if !e.graph.Inside(inside.Key{}).InUse(id) || e.nodes.IsCompact(e.graph, id) {
		return false
	}
	m := e.state(id)
	return m.GoneObserved && m.Absent > e.kinds.Rewound()
}

// returned is the end of a text about an object that was observed gone and is back (R5).
const returned = " was seen gone and is back"

// apply changes the graph, and no other function does (N2). It applies an event of the
// watch, of a pruning or of a rewind. Without an event it goes on with a pruning.
// During a decision it returns an error and changes nothing.
//
//test:by TestGraphIsFixedDuringDecision
func (e *Engine) apply(ev *graph.Event, p *pruning) (*graph.Delta, error) {
	switch {
	case e.scratch.deciding:
		return nil, errDeciding
	case ev != nil:
		if ev.Type == graph.Gone { // its node has the owners until then
			e.noteEnd(ev.Key)
		}
		return e.graph.Inside(inside.Key{}).ApplyEvent(ev)
	}
	p.at, p.seen, p.done = e.graph.Inside(inside.Key{}).Prune(p.kind, p.limit)
	return nil, nil
}

// errDeciding refuses a change of the graph.
var errDeciding = errors.New("N2: the graph is fixed during a decision")

// ahead is how many events the engine looks at together: see [graph.Graph.Prefetch].
const ahead = 32

// applyDelta takes the change that an event made in the graph.
func (e *Engine) applyDelta(ev *graph.Event, d *graph.Delta) {
	for _, id := range d.Added {
		e.addPhantom(id)
	}
	if d.Node != 0 && e.graph.Inside(inside.Key{}).InUse(d.Node) {
		e.applyNode(ev, d)
	}
	for _, id := range d.Owners {
		e.work.Add(id, queue.High)
	}
	for _, id := range d.Restricted {
		e.observeRestricted(id)
	}
	if d.Gone {
		e.counts.Gone++
		e.history.Keep()
		for _, id := range e.misplaced.Take(ev.Key.UID) {
			if e.graph.Inside(inside.Key{}).InUse(id) {
				e.work.Add(id, queue.Normal)
			}
		}
		e.orphaned.Observe(e.graph, ev.Key)
	}
	if d.Gone && d.SharesUID {
		if c, ok := e.graph.Lookup(graph.Key{UID: ev.Key.UID}); ok { // the claims on its UID, too
			e.fanout.Push(e.view(), c.ID())
		}
		if n, ok := e.graph.Alive(ev.Key.UID); ok { // a claim on the UID means another object now
			e.cycles.Restart(e.now)
			if !n.Inside(inside.Key{}).SharesUID() { // it was one of two until now
				e.work.Add(n.ID(), queue.High)
				e.fanout.Push(e.view(), n.ID())
			}
		}
	}
	if d.DuplicateUID {
		e.effects.Warn("two live objects have one UID", "reason", policy.UIDShared.Code(), "key", ev.Object.Key.String())
		e.counts.DuplicateUIDs++
		e.cycles.Restart(e.now)
		e.auditSoon() // no decision may rest on either from now on
	}
	if e.copies.Any() {
		v := e.seedView()
		e.copies.Observe(&v, d)
	}
	if len(e.follows) > 0 {
		e.follows.Observe(e.followView(), d)
	}
	if e.order.HasPhases() {
		e.observeOrder(ev, d)
	}
	for _, f := range d.Freed {
		e.freeNode(f, d.Unseen)
	}
	if len(d.Freed) > 0 && d.Mark { // it may have waited
		e.cycles.Restart(e.now)
	}
}

// addPhantom adds a phantom, whose absence may be known already.
func (e *Engine) addPhantom(id graph.NodeID) {
	if e.absent.Empty() {
		return
	}
	if root, ok := e.absent.UseRoot(e.graph.Node(id).Key()); ok {
		t, m := e.seq.Stamp(), e.edit(id)
		m.Root = root
		m.Absent, m.Changed, m.GoneObserved = e.kinds.Rewound()+1, t, true // it may go back to right after the rewind
	}
}

// observeRestricted takes that a node has become restricted or free. Its evidence begins anew (RULES, E4).
//
//test:by graph.TestRestrictedMark ownergraph.TestPolicies
func (e *Engine) observeRestricted(id graph.NodeID) {
	if !e.graph.Inside(inside.Key{}).InUse(id) {
		return
	}
	n, m := e.graph.Node(id), e.edit(id)
	switch noteRole(e, id, m); {
	case !n.Restricted():
		if m.Freed = m.Role; m.Reason == policy.StoreRefused { // a store of level 3 may have refused for that
			e.expected.Drop(id)
		}
	case m.Call != 0: // it may be a prepared delete or release
		e.revokePrepared()
	}
	if n.State() == graph.Observed {
		e.applyMark(&graph.Delta{}, n, e.edit(id))
		observeSweeps(e, id, n)
		e.work.Add(id, queue.High)
	}
}

func (e *Engine) applyNode(ev *graph.Event, d *graph.Delta) {
	id := d.Node
	n := e.graph.Node(id)
	if d.Version {
		e.orphaned.Update(n)
	}
	if d.Version && e.pauses.AnyUnknown() {
		e.pauses.Show(n)
	}
	if !d.Version && e.state(id).Known > e.kinds.Rewound() && n.State() == graph.Observed && !n.Deleting() {
		if e.state(id).Absent != 0 {
			e.dropAbsence(id, n, ev.Object.Key)
		}
		return // nothing else is new
	}
	if d.Created && n.State() == graph.Observed && !n.Deleting() {
		e.addObject(id, n, ev.Object.Key)
		return
	}
	if d.Version && !d.Class && !d.Observed && !n.Deleting() && e.nodes.IsCompact(e.graph, id) {
		e.updateVersion(id, n, d.Alike)
		return
	}
	m := e.edit(id)
	switch {
	case d.Version:
		t := e.seq.Stamp()
		m.Known, m.Changed = t, t
		e.newVersion(id, n)
		e.dropAbsence(id, n, ev.Object.Key)
		observeSweeps(e, id, n)
	case m.Known <= e.kinds.Rewound(): // the same state, of another history
		t := e.seq.Stamp()
		m.Known, m.Changed = t, t
		e.cycles.Changed(e.view(), id, e.now)
		e.cycles.Restart(e.now)
	}
	e.applyMark(d, n, m)
	e.applyRoot(d, n)
	if d.Class {
		m.Role = e.seq.Stamp()
	}
	watched := d.Version && n.Waiting() && e.expected.WatchLen() > 0 // a read may have shown this version first
	if d.Class || d.Acknowledged && n.Orphaning() || watched {
		e.fanout.Push(e.view(), id)
	}
	if d.Mark || d.Version && n.Waiting() { // it waits, or did
		e.cycles.Restart(e.now)
	}
	if d.Gone {
		e.leaveObject(id, d.Unseen)
	}
	if d.Version && n.State() == graph.Observed {
		m.Audited = false
		e.held.Observe(id, m.Call != 0, e.now)
		e.keepOrEnqueue(id, effect.Priority(n))
	}
}

// addObject adds a new object, as most events of a listing do. Only a reference by UID may
// name it already.
func (e *Engine) addObject(id graph.NodeID, n graph.Node, k graph.Key) {
	e.nodes.SetNew(e.graph, id, e.seq.Stamp())
	e.absent.Remove(k)
	if c, ok := e.graph.Inside(inside.Key{}).Claim(id); ok {
		e.fanout.Push(e.view(), c)
	}
	observeSweeps(e, id, n)
	if !e.tryKeepNew(id) {
		e.work.Add(id, effect.Priority(n))
	}
}

// updateVersion takes another version of an object with a compact state, whose role as an
// owner is the same. Most updates are so.
func (e *Engine) updateVersion(id graph.NodeID, n graph.Node, alike bool) {
	e.nodes.SetKnown(e.graph, id, e.seq.Stamp())
	if alike && e.stillKept(id) {
		e.work.Forget(id)
		return
	}
	e.endWaits(id, n)
	observeSweeps(e, id, n)
	e.keepOrEnqueue(id, effect.Priority(n))
}

// dropAbsence voids the absence of a node that the watch shows (R2, absence). Mostly the
// watch lags, and shows the end soon. But a reference may have named a UID before the
// store made it, or a restore may have brought the object back. No call that rests on the
// absence goes out.
//
//test:by internal/proof/script.TestScenarios/r2-a-forged-uid
func (e *Engine) dropAbsence(id graph.NodeID, n graph.Node, k graph.Key) {
	if n.State() != graph.Observed {
		return
	}
	e.absent.Remove(k)
	if m := e.edit(id); m.Absent != 0 {
		m.Absent, m.GoneObserved = 0, false
		e.counts.Contradictions++
		e.revokePrepared()
		e.fanout.Push(e.view(), id)
	}
}

// applyMark keeps the moment since which the node's mark is observed without a gap.
// Another finalizer begins anew. So does another version from a listing, because the mark
// may have changed and changed back in between (R3). So does any version after a rewind, and only that.
func (e *Engine) applyMark(d *graph.Delta, n graph.Node, m *record.State) {
	withheld := false
	if e.guards.Labels.Any() && n.State() == graph.Observed && n.Deleting() {
		o := n.Object()
		withheld = e.guards.Labels.MayProtect(&o, m.Known, e.kinds.Rewound())
	}
	e.noteWithheld(n.ID(), withheld)
	if n.State() != graph.Observed || !n.Deleting() || n.Inside(inside.Key{}).Propagation() == graph.Unset || n.Inside(inside.Key{}).MarkWithheld() {
		m.Mark = 0
		if n.State() == graph.Observed && n.Deleting() && m.Marked.IsZero() {
			m.Marked = e.now
		}
		return
	}
	if m.Marked.IsZero() || d.Mark || m.Mark <= e.kinds.Rewound() {
		m.Marked = e.now
	}
	k, _ := e.graph.Kind(n.Kind())
	if m.Known > e.kinds.Rewound() && (m.Mark <= e.kinds.Rewound() || d.Mark || d.Version && k.Listing) {
		m.Mark = e.seq.Stamp()
	}
}

// newVersion ends the notes about a node's former version.
func (e *Engine) newVersion(id graph.NodeID, n graph.Node) {
	if e.endWaits(id, n) {
		e.edit(id).Reread = false
	}
	e.edit(id).IsolatedCycle, e.edit(id).Overdue = false, false
	e.cycles.Changed(e.view(), id, e.now)
}

// endWaits ends the waits of a node's former version. It reports whether the node expected
// the new one.
func (e *Engine) endWaits(id graph.NodeID, n graph.Node) bool {
	e.calls.DropRetry(id)
	e.expected.EndWatch(id)
	e.work.Forget(id)
	wrote, met := e.expected.Meet(n)
	if wrote != 0 && n.State() == graph.Observed {
		e.undone.Wrote(id, wrote)
	}
	return met
}
