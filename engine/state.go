package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/unfinished/recount"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
)

// Inside returns the view of the engine for the proofs of this module. Users cannot call
// it, because they cannot make a Key.
func (e *Engine) Inside(inside.Key) insider { return insider{e} }

// insider is the view of an engine for the proofs of this module. Package internal/probe
// has its methods as functions.
type insider struct{ e *Engine }

// Inside returns the functions of the package for this module.
func Inside(inside.Key) insider { return insider{} }

// Clone returns an engine that goes on from here on its own. The two share the Config, and
// nothing that either may change.
func (i insider) Clone() *Engine { return i.e.clone() }

// Check verifies the invariants that stand on Engine. An error names the first broken one.
func (i insider) Check() error { return i.e.check() }

// Fingerprint returns a hash of all state that decides the engine's later acts.
func (i insider) Fingerprint(rename func(graph.Key, graph.Version) uint64) uint64 {
	return i.e.fingerprint(rename)
}

// Busy reports whether there is work left that needs neither an event nor a result.
func (i insider) Busy() bool { return i.e.busy() }

// Follows returns the number of the followers of deletions.
func (i insider) Follows() int { return len(i.e.follows) }

// ObserveAll takes many events as Observe does, one after another, and is faster. It
// returns the errors of the refused events, joined.
func (i insider) ObserveAll(now time.Time, events []graph.Event) error {
	var errs []error
	for piece := range slices.Chunk(events, ahead) {
		i.e.tick(now)
		i.e.graph.Inside(inside.Key{}).Prefetch(piece)
		for n := range piece {
			if err := i.e.applyEvent(&piece[n]); err != nil {
				errs = append(errs, err)
			}
		}
		i.e.endStep()
	}
	return errors.Join(errs...)
}

// Decide decides an object at once, and returns the first report of that. It returns false
// for an object without a decision now. The engine's OnDecision gets no report any more.
func (i insider) Decide(key graph.Key) (d DecisionEvent, ok bool) {
	n, found := i.e.graph.Lookup(key)
	i.e.cfg.OnDecision = func(ev DecisionEvent) {
		if !ok && ev.Key == key {
			d, ok = ev, true
		}
	}
	if found {
		i.e.decide(n.ID(), new(Call))
		i.e.scratch.issued = 0
	}
	return d, ok
}

// Tick takes the time, and does nothing else.
func (i insider) Tick(now time.Time) { i.e.tick(now) }

// Wake returns the time at which Next of the lane will have something to do if no event
// and no result comes before. It returns false for never.
func (i insider) Wake(lane Lane) (time.Time, bool) {
	at := i.e.wake(one(lane))
	return at, !at.IsZero()
}

// BeginWait begins a wait for the engine to be idle, and returns its moment.
func (i insider) BeginWait(now time.Time) seq.Stamp { return i.e.beginWait(now) }

// TryEndWait reports whether a wait is over, or asks for the fence that it waits for.
func (i insider) TryEndWait(at seq.Stamp) bool { return i.e.tryEndWait(at) }

// clone returns an engine that goes on from here on its own. The two share the Config, and
// nothing that either may change.
func (e *Engine) clone() *Engine {
	c := *e
	c.graph = e.graph.Clone()
	c.nodes = e.nodes.Clone()
	c.times = e.times.Clone()
	c.kinds, c.fence = e.kinds.Clone(), e.fence.Clone()
	c.work, c.reads = e.work.Clone(), e.reads.Clone()
	c.expected = e.expected.Clone()
	c.undone = e.undone.Clone()
	c.pauses = e.pauses.Clone()
	c.history = e.history.Clone()
	c.held, c.calls = e.held.Clone(), e.calls.Clone()
	c.misplaced = make(map[graph.UID][]graph.NodeID, len(e.misplaced))
	for u, w := range e.misplaced {
		c.misplaced[u] = slices.Clone(w)
	}
	c.absent, c.orphaned = e.absent.Clone(), e.orphaned.Clone()
	c.cycles, c.handlers = e.cycles.Clone(), e.handlers.Clone()
	c.sweeps, c.order = e.sweeps.Clone(), e.order.Clone()
	c.guards = e.guards.Clone()
	c.audit, c.brake = e.audit.Clone(), e.brake.Clone()
	if e.audit.IsSearching() { // the copy begins the audit anew
		c.auditSoon()
	}
	c.revision = run.NewRevision(e.revision.Number())
	c.effects, c.carrying = effect.List{}, false
	c.scratch = scratch{}
	c.fanout, c.copies, c.follows = e.fanout.Clone(), seed.Open{}, nil
	return &c
}

// check verifies the invariants that stand on Engine and returns an error that
// names the first one broken. It walks everything: it is for tests and audits.
func (e *Engine) check() error {
	for _, check := range []func() error{
		e.graph.Check, e.work.Check, e.checkSides, func() error { return e.calls.Check(e.view(), e.work, e.kinds.Rewound()) }, func() error { return e.reads.Check(e.view()) }, func() error { return e.sweeps.Check(e.sweepView()) }, func() error { return e.order.Check(e.orderView()) }, e.checkFastPath, e.kinds.Check,
		func() error { return e.cycles.Check(e.view()) }, e.audit.Check, func() error { return e.fanout.Check(e.view()) },
		func() error { return e.handlers.Check(e.graph) }, func() error { return e.guards.Check(e.guardView()) }, func() error { return e.held.Check(e.graph) },
		func() error {
			return recount.Check(recount.View{Nodes: e.view(), Work: e.work, Fanout: &e.fanout, Held: &e.held, Expected: &e.expected, Handlers: &e.handlers})
		},
		func() error { return e.undone.Check(e.view()) }, func() error { return e.expected.Check(e.graph) }, e.absent.Check, e.orphaned.Check,
		func() error { return e.pauses.Check(e.graph) },
		e.times.Check, e.history.Check, e.checkFollows, func() error { return e.brake.Check(e.graph) },
	} {
		if err := check(); err != nil {
			return fmt.Errorf("engine invariant: %w", err)
		}
	}
	return e.broken
}

func (e *Engine) checkSides() error {
	for k := range e.absent.All() {
		if n, ok := e.graph.Lookup(k); ok && n.State() == graph.Observed {
			return fmt.Errorf("N5: %s is remembered as absent, and is observed", k)
		}
	}
	return nil
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
	p.nodes()
	e.kinds.Hash(p.Printer, e.graph, e.cfg.CompareVersions != nil)
	p.Queue(e.work)
	e.reads.Hash(p.Printer)
	e.fence.Hash(p.Printer, &e.kinds, e.graph, &e.nodes)
	p.rest()
	e.sweeps.Hash(p.Printer, e.sweepView())
	e.order.Hash(p.Printer, e.orderView())
	return p.Sum()
}

// printer hashes the state of an engine.
type printer struct {
	*fingerprint.Printer
	e *Engine
}

func (p *printer) nodes() {
	e := p.e
	for _, id := range p.Nodes() {
		n, m := e.graph.Node(id), e.state(id)
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
			p.Until(e.acknowledgedBy(id))
		}
		if m.Absent > e.kinds.Rewound() {
			p.absentSince(n, m.Absent)
		}
		if e.brake.Any() {
			p.root(n, m.Root)
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
}

// root hashes the roots of a node: they name the cascades of the brake.
func (p *printer) root(n graph.Node, number uint64) {
	r := p.e.history.RootAt(n, number)
	p.Word(uint64(len(r.Keys)))
	p.Flags(r.More > 0)
	for _, k := range r.Keys {
		p.Key(k)
	}
}

// absentSince hashes the dependents for which the absence of n is evidence. A call that
// began then proved it. See absenceServes in package evidence.
func (p *printer) absentSince(n graph.Node, began seq.Stamp) {
	for d := range n.Dependents() {
		if p.e.calls.HasRetry(d.ID()) || n.State() == graph.Phantom {
			p.Node(d.ID())
			p.Flags(began > p.e.state(d.ID()).Known)
		}
	}
}

// fenceAfter hashes which fences began after a stamp.
func (p *printer) fenceAfter(s seq.Stamp) {
	p.e.fence.HashAfter(p.Printer, s)
}

// began hashes the comparisons of the beginning of a read of n: with its dependents, and
// with their owners.
func (p *printer) began(n graph.Node, at seq.Stamp) {
	e := p.e
	p.Flags(e.kinds.Of(n.Kind()).Ended > at)
	p.fenceAfter(at)
	for d := range n.Inside(inside.Key{}).Orphans() {
		p.Node(d.ID())
		p.Flags(at > e.state(d.ID()).Known)
		for _, o := range d.OwnerNodes() {
			m := e.state(o.ID())
			p.Flags(at > max(m.Changed, m.Absent), at > m.Mark)
		}
	}
}

func (p *printer) rest() {
	e := p.e
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
	e.brake.Hash(p.Printer)
}

// underWay hashes a call under way, and the objects for which it may be evidence.
func (p *printer) underWay(id uint64, x inflight.Call) {
	x.Hash(p.Printer, id, p.e.view(), &p.e.kinds, p.e.fence.ID())
	n, ok := p.e.graph.Lookup(x.Key)
	if !ok {
		return
	}
	p.absentSince(n, x.Began)
	if x.Purpose == inflight.Read {
		p.began(n, x.Began)
	}
}

// call hashes a read or write that waits for its lane.
func (p *printer) call(c Call) {
	p.Word(uint64(c.Type)<<8 | uint64(c.Options.Propagation))
	p.Key(c.Key)
	p.Version(c.Key, c.Precondition.Version)
	p.Version(c.Key, c.Options.Precondition.Version)
	p.Text(c.Change.DropFinalizer)
	if c.Change.AddFinalizer != "" {
		p.Text(c.Change.AddFinalizer)
	}
	for _, refs := range [...][]graph.Owner{c.Change.DropOwners, c.Change.Unblock} {
		p.Owners(refs)
	}
}
