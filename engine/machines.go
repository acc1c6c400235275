package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/moments"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/core/unfinished/recount"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// A new machine is a field of Engine, and its lines in the lists of this file. Package lattice
// has the reason for each machine that a list leaves out.

// leaveObject ends the work for an object that is gone. Unseen says that the watch may have
// skipped states of it.
func (e *Engine) leaveObject(id graph.NodeID, unseen bool) {
	k, v := e.graph.Node(id).Inside(inside.Key{}).Named()
	leaveGuards(e, id, k, v)
	e.expected.Drop(id)
	e.undone.Drop(id)
	e.pauses.Drop(id)
	e.share.Drop(id)
	e.reads.DropResult(e.view(), id)
	e.handlers.Drop(id)
	e.brake.End(id)
	e.held.Open.End(id)
	m := e.edit(id)
	m.Reread, m.Marked = false, time.Time{}
	e.unhold(id, false)
	leaveSweeps(e, id, unseen)
}

// freeNode forgets a node that left the graph, and remembers its proven absence.
func (e *Engine) freeNode(f graph.Freed, unseen bool) {
	m := e.nodes.Free(f.Note)
	if f.Absent || m.GoneObserved && m.Absent > e.kinds.Rewound() {
		e.absent.Remember(f.Key, m.Root, e.graph.Inside(inside.Key{}).Cap())
	}
	e.unhold(f.ID, false)
	leaveGuards(e, f.ID, f.Key, "")
	leaveSweeps(e, f.ID, unseen)
	e.cycles.Drop(m.Cycle, e.now)
	e.work.Drop(f.ID)
	e.work.Done(f.ID) // the id may name another node before the call completes
	e.reads.Release(f.ID)
	e.expected.Drop(f.ID)
	e.undone.Drop(f.ID)
	e.pauses.Drop(f.ID)
	e.share.Drop(f.ID)
	e.calls.DropRetry(f.ID)
	e.expected.EndWatch(f.ID)
	e.reads.Leave(e.view(), f.ID, m.ReadFailing, &e.effects)
	e.carryOut()
	e.handlers.Drop(f.ID)
	e.brake.Drop(f.ID)
	e.held.Open.End(f.ID)
}

// leaveGuards forgets an object that is gone, with its last key and version, as far as it is known.
func leaveGuards(e *Engine, id graph.NodeID, k graph.Key, v graph.Version) {
	if !e.share.Has(k.UID) { // the engine of its share reports its end
		e.guards.Roots.Withdraw(id)
	}
	if e.guards.Follows(id) {
		e.guards.Leave(e.guardView(), id, k, v)
		e.carryOut()
	}
}

// observeSweeps takes a new version of an object for the sweeps.
func observeSweeps(e *Engine, id graph.NodeID, n graph.Node) {
	if e.sweeps.Any() {
		e.sweeps.Observe(e.sweepView(), id, n)
		e.carryOut()
	}
}

// leaveSweeps takes an object that is gone out of the sweeps.
func leaveSweeps(e *Engine, id graph.NodeID, unseen bool) {
	if e.sweeps.Any() {
		e.sweeps.Leave(e.sweepView(), id, unseen)
		e.carryOut()
	}
}

// clone returns an engine that goes on from here on its own. The two share the Config, and
// nothing that either may change.
func (e *Engine) clone() *Engine {
	c := *e
	c.graph = e.graph.Clone()
	c.nodes = e.nodes.Clone()
	c.times = e.times.Clone()
	c.kinds = e.kinds.Clone()
	c.fence = e.fence.Clone()
	c.work = e.work.Clone()
	c.reads = e.reads.Clone()
	c.expected = e.expected.Clone()
	c.undone = e.undone.Clone()
	c.pauses = e.pauses.Clone()
	c.share = e.share.Clone()
	c.history = e.history.Clone()
	c.held = e.held.Clone()
	c.calls = e.calls.Clone()
	c.misplaced = e.misplaced.Clone()
	c.absent = e.absent.Clone()
	c.orphaned = e.orphaned.Clone()
	c.cycles = e.cycles.Clone()
	c.handlers = e.handlers.Clone()
	c.sweeps = e.sweeps.Clone()
	c.order = e.order.Clone()
	c.guards = e.guards.Clone()
	c.brake = e.brake.Clone()
	c.fanout = e.fanout.Clone()
	if c.audit = e.audit.Clone(); e.audit.IsSearching() { // the copy begins the audit anew
		c.auditSoon()
	}
	c.revision = run.NewRevision(e.revision.Number())
	c.effects, c.scratch = effect.List{}, scratch{}
	c.copies, c.follows = seed.Open{}, nil
	return &c
}

// check verifies the invariants that stand on Engine and returns an error that
// names the first one broken. It walks everything: it is for tests and audits.
func (e *Engine) check() error {
	v := e.view()
	for _, check := range []func() error{
		e.graph.Check,
		e.work.Check,
		func() error { return e.calls.Check(v, e.work, e.kinds.Rewound()) },
		on(v, e.reads.Check),
		on(e.sweepView(), e.sweeps.Check),
		on(e.orderView(), e.order.Check),
		e.checkFastPath,
		e.kinds.Check,
		on(v, e.cycles.Check),
		e.audit.Check,
		on(v, e.fanout.Check),
		on(e.graph, e.handlers.Check),
		on(e.guardView(), e.guards.Check),
		on(e.graph, e.held.Check),
		on(recount.View{Nodes: v, Work: e.work, Fanout: &e.fanout, Held: &e.held, Expected: &e.expected, Handlers: &e.handlers}, recount.Check),
		on(v, e.undone.Check),
		on(e.graph, e.expected.Check),
		on(e.graph, e.absent.CheckUnobserved),
		e.orphaned.Check,
		on(e.graph, e.pauses.Check),
		on(e.graph, e.share.Check),
		e.times.Check,
		e.history.Check,
		on(e.followView(), e.follows.Check),
		on(e.graph, e.brake.Check),
	} {
		if err := check(); err != nil {
			return fmt.Errorf("engine invariant: %w", err)
		}
	}
	return e.broken
}

// on returns the check of a machine that needs a view of others.
func on[V any](view V, check func(V) error) func() error {
	return func() error { return check(view) }
}

// fingerprint returns a hash of all state that decides the engine's later acts. Two
// engines of one Config with different fingerprints may act differently. Two with the same
// fingerprint act alike, except for a collision. Counters, reports and logs are no part of
// it. The time and order of the next audit are none either: they decide only where the
// engine had a fault. Times enter as distances from now.
//
// Stamps enter only through the comparisons that the engine makes of them. Rename, if not
// nil, stands for each version. So a checker may merge states that differ only in the text
// of versions.
//
//test:by TestFingerprint internal/proof/exhaustive.TestFingerprintAgrees
func (e *Engine) fingerprint(rename func(graph.Key, graph.Version) uint64) uint64 {
	p := printer{fingerprint.New(e.graph, e.now, rename), e}
	for _, id := range p.Nodes() {
		p.node(e.graph.Node(id), e.state(id))
	}
	e.kinds.Hash(p.Printer, e.graph, e.cfg.CompareVersions != nil)
	p.Queue(e.work)
	e.reads.Hash(p.Printer)
	e.fence.Hash(p.Printer, &e.kinds, e.graph, &e.nodes)
	for _, id := range e.calls.IDs() {
		p.underWay(id, e.calls.At(id))
	}
	for _, c := range e.calls.Prepared() {
		p.call(c)
	}
	e.fanout.Hash(p.Printer)
	e.cycles.Hash(p.Printer)
	p.Flags(e.broken != nil)
	e.audit.Hash(p.Printer)
	for k := range e.absent.All() {
		p.Key(k)
	}
	p.Word(uint64(e.absent.Len()))
	e.orphaned.Hash(p.Printer)
	e.handlers.Hash(p.Printer)
	e.guards.Hash(p.Printer, p.fenceAfter)
	e.pauses.Hash(p.Printer)
	e.share.Hash(p.Printer)
	e.brake.Hash(p.Printer, e.kinds.Returned())
	e.sweeps.Hash(p.Printer, e.sweepView())
	e.order.Hash(p.Printer, e.orderView())
	return p.Sum()
}

// node hashes what the machines have of a node.
func (p *printer) node(n graph.Node, m record.State) {
	e, id := p.e, n.ID()
	p.Object(n.Object())
	p.Word(uint64(n.State()))
	p.Flags(m.Known > e.kinds.Rewound(), m.Mark > e.kinds.Rewound(), m.Absent > e.kinds.Rewound(), m.Absent > e.kinds.LostAt() || e.kinds.Confirmed(n.Kind()), m.GoneObserved, m.Reread, m.Reread && m.Probing, m.OutcomeUnknown, m.ReadFailing, m.Suspect, m.Overdue, m.Withheld, m.FanningOut, m.AwaitsFence,
		m.Call != 0, m.Mark != 0, m.Cycle != 0, e.graph.Inside(inside.Key{}).PendingPrune(id))
	if m.Cycle != 0 {
		members, seen := e.cycles.At(m.Cycle)
		p.Set(members)
		p.fenceAfter(seen)
	}
	p.fenceAfter(m.Known)
	p.fenceAfter(m.Mark)
	if len(e.cfg.Acknowledge) > 0 && !m.Marked.IsZero() {
		p.Until(evidence.AcknowledgedBy(&m, e.cfg.AcknowledgeWithin))
	}
	if m.Absent > e.kinds.Rewound() {
		p.absentSince(n, m.Absent)
	}
	if e.brake.Any() { // the roots name its cascades
		r := e.history.RootAt(n, m.Root)
		p.Word(uint64(len(r.Keys)))
		p.Flags(r.More > 0)
		for _, k := range r.Keys {
			p.Key(k)
		}
	}
	if s, ok := e.reads.Result(id); ok {
		p.Flags(s.Began > e.kinds.LostAt())
		p.Word(uint64(s.State))
		p.Version(n.Key(), s.Version)
		p.Flags(m.Known > s.Done, m.Role > s.Done, m.Known < s.Began)
		p.began(n, s.Began)
	}
	e.expected.HashNode(p.Printer, n, &e.kinds)
	e.undone.HashNode(p.Printer, id)
	if r, ok := e.calls.Retry(id); ok {
		p.Version(n.Key(), r.Version)
		p.Flags(e.kinds.Relisted(n.Kind(), m.Known), e.kinds.Of(n.Kind()).Begun > m.Known)
		for _, o := range n.OwnerNodes() {
			p.Flags(e.kinds.Unconfirmed(e.graph, o.Kind(), m.Known), e.state(o.ID()).Absent > m.Known)
		}
	}
	e.reads.HashWaiters(p.Printer, id)
	p.Word(uint64(m.PendingReads)<<8 | uint64(m.Blocked))
	for d := range n.Dependents() {
		p.Node(d.ID())
		if n.State() == graph.Phantom { // see unsettled in package evidence
			p.Flags(e.kinds.Of(n.Kind()).Passed > e.state(d.ID()).Known)
		}
	}
	if m.FanningOut {
		p.Seq(e.graph.Inside(inside.Key{}).Unfanned(id))
	}
	p.Word(uint64(min(m.Conflicts, 2)))
	p.List(e.misplaced[n.Key().UID])
}

// Pending work has three questions. Busy asks for the work of now, and wake for the time of more.
// Idle asks for all work that ends without the outside, which busy is a part of. Of that work,
// pendingNodes has the objects and hasSharedWork the rest, for the question about one scope.

// busy reports whether there is work left that needs neither an event nor a result. Next
// would hand out a read or a write, or get something done.
func (e *Engine) busy() bool {
	return len(e.calls.Prepared()) > 0 ||
		len(e.fanout.Woken()) > 0 || len(e.fanout.Owners()) > 0 ||
		!e.kinds.IsPruned() ||
		e.work.Ready() > 0 ||
		e.reads.Ready() > 0 ||
		e.cycles.HasWork(e.now, e.quiet()) ||
		e.audit.IsRunning() ||
		e.sweeps.IsReady() ||
		e.pauses.Walks() ||
		e.expected.Retries() ||
		e.brake.Any() && e.brake.HasWork(e.now, e.brakeListed()) ||
		e.order.HasWork()
}

// wake returns the time at which Next of one of the lanes will have something to do, the
// zero time for never, as without a lane.
func (e *Engine) wake(of Lanes) time.Time {
	w := moments.First{After: e.now}
	if of != (Lanes{}) && len(e.calls.Prepared()) < maxPrepared { // the work of step
		w.Add(e.work.Due())
		w.Add(e.cycles.DueAt())
		w.Add(e.audit.NextAt(), true)
		w.Add(e.sweeps.At())
		w.Add(e.brake.At())
		w.Add(e.share.At())
	}
	if of[LaneStore] {
		w.Add(e.reads.Due())
	}
	if of[LaneControl] {
		at, counts := e.fence.Times(&e.kinds)
		for i := range at {
			w.Add(at[i], counts[i])
		}
		w.Add(e.kinds.ListAt())
		w.Add(e.kinds.LateAt())
		w.Add(e.guards.Roots.At())
		w.Add(e.selections().At())
	}
	return w.At()
}

// Idle reports whether the engine has no work without an event from outside. Then no call
// is under way or due, and no object waits for an expected event. Refused writes and held
// objects do not count as work.
func (e *Engine) Idle() bool {
	p := pending{e}
	if e.busy() || // what looks at many entries stands last
		e.calls.Len() > 0 ||
		e.expected.WatchLen() > 0 ||
		len(e.cycles.Suspects()) > 0 ||
		e.guards.Roots.Busy() ||
		e.fence.Busy(&e.kinds) ||
		e.expected.HasUnblocked() ||
		p.isShared() ||
		e.brake.Waiting() > 0 {
		return false
	}
	for range p.queued {
		return false
	}
	return true
}

// pending has the questions about the work that is left. It changes nothing.
type pending struct{ e *Engine }

// isShared reports whether there is work that is of no object alone: kinds have still to be
// told or listed, objects to be selected by labels, members to be proven, or a walk goes on.
func (p pending) isShared() bool {
	e := p.e
	return !e.kinds.SetKnown() || e.kinds.Busy() ||
		e.sweeps.Proving(e.sweepView()) || e.sweeps.Selecting(e.sweepView()) || e.guards.Selecting(e.guardView()) ||
		e.cycles.Searching() ||
		e.audit.IsRunning() ||
		e.pauses.Walks()
}

// queued yields the nodes of the queues that do not wait for the outside. The next try of a
// failed read is work.
func (p pending) queued(yield func(graph.NodeID) bool) {
	for x := range p.e.work.Entries() {
		if x.State != queue.Idle && (x.State != queue.Delayed || !p.waitsOutside(x.Key)) && !yield(x.Key) {
			return
		}
	}
	for x := range p.e.reads.Entries() {
		if x.State != queue.Idle && (x.State != queue.Delayed || p.e.state(x.Key).Blocked == graph.DoubtUnset) && !yield(x.Key) {
			return
		}
	}
}

// waitsOutside reports whether the delayed decision of a node waits for a user or the
// store. The wait for an acknowledgement is work.
func (p pending) waitsOutside(id graph.NodeID) bool {
	m := p.e.state(id)
	return (!m.Reread || p.e.expected.IsBlocked(id)) && m.Reason != policy.NeedAcknowledgement
}

// nodesLeft returns the nodes that are queued for a decision or a handler, that a call under way is
// about, or that await an event that has to come, or a fence that no sick kind blocks.
func (p pending) nodesLeft() []graph.NodeID {
	e := p.e
	ids := slices.Concat(
		e.guards.Roots.Pending(),
		e.fanout.Woken(), e.fanout.Owners(),
		e.cycles.Suspects(),
		e.expected.AwaitingWatch(),
		e.brake.WaitingNodes(),
		e.handlers.QueuedNodes(),
	)
	ids = slices.AppendSeq(ids, p.queued)
	ids = slices.AppendSeq(ids, e.expected.Unblocked())
	for _, x := range e.calls.All() {
		if x.Node != 0 {
			ids = append(ids, x.Node)
		}
	}
	if e.level >= Level2 && !e.fence.Blocked(&e.kinds) {
		ids = append(ids, e.fence.Waiters(e.graph, &e.nodes)...)
	}
	return ids
}

// maxPending bounds the pieces of work that one idleIn considers.
const maxPending = 1024

// idleIn is Idle for the objects of a scope and global ones. With more than maxPending
// pieces of work it is Idle.
func (p pending) idleIn(scope string) bool {
	e := p.e
	count := len(e.fanout.Woken()) + len(e.fanout.Owners()) + len(e.cycles.Suspects()) + e.expected.WatchLen() + e.calls.Len()
	count += e.fence.MaxWaiters() + e.kinds.Len() + e.work.Len() + e.reads.Len() + e.expected.Len() + e.brake.Waiting() + e.handlers.Queued()
	if count > maxPending {
		return e.Idle()
	}
	if p.isShared() {
		return false
	}
	return !slices.ContainsFunc(p.nodesLeft(), func(id graph.NodeID) bool {
		return e.graph.Inside(inside.Key{}).InUse(id) && slices.Contains([]string{"", scope}, e.graph.Node(id).Scope())
	})
}
