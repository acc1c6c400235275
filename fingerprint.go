package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/tombstone"
)

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
// Held by TestFingerprint and, in internal/exhaustive, TestFingerprintAgrees.
func (e *Engine) fingerprint(rename func(Key, Version) uint64) uint64 {
	p := printer{fingerprint.New(e.graph, e.now, rename), e}
	p.nodes()
	e.kinds.Hash(p.Printer, e.graph, e.cfg.CompareVersions != nil)
	p.Queue(e.work)
	e.reads.Hash(p.Printer)
	e.fence.Hash(p.Printer, &e.kinds, e.graph, &e.nodes)
	p.rest()
	e.sweeps.Hash(p.Printer, e.sweepView())
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
		p.Flags(m.Known > e.kinds.Rewound(), m.Mark > e.kinds.Rewound(), m.Absent > e.kinds.Rewound(), m.Absent > e.kinds.LostAt() || e.kinds.Confirmed(n.Kind()), m.GoneObserved, m.Reread, m.Reread && m.Probing, m.OutcomeUnknown, m.ReadFailing, m.Suspect, m.Overdue, m.FanningOut, m.AwaitsFence,
			m.Call != 0, m.Mark != 0, m.Cycle != 0, e.graph.PendingPrune(id))
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
			if n.State() == observed.Phantom { // see unsettled in package evidence
				p.Flags(e.kinds.Of(n.Kind()).Passed > e.state(d.ID()).Known)
			}
		}
		if m.FanningOut {
			p.Seq(e.graph.Unfanned(id))
		}
		p.Word(uint64(min(m.Conflicts, 2)))
		p.List(e.misplaced[n.Key().UID])
	}
}

// absentSince hashes the dependents for which the absence of n is evidence. A call that
// began then proved it. See absenceServes in package evidence.
func (p *printer) absentSince(n observed.Node, began seq.Stamp) {
	for d := range n.Dependents() {
		if p.e.calls.HasRetry(d.ID()) || n.State() == observed.Phantom {
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
func (p *printer) began(n observed.Node, at seq.Stamp) {
	e := p.e
	p.Flags(e.kinds.Of(n.Kind()).Ended > at)
	p.fenceAfter(at)
	for d := range n.Dependents() {
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
	for _, m := range [...]tombstone.Set{e.absent, e.orphaned} {
		n := 0
		for k := range m.All() {
			p.Key(k)
			n++
		}
		p.Word(uint64(n))
	}
	e.handlers.Hash(p.Printer)
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
	for _, refs := range [...][]Owner{c.Change.DropOwners, c.Change.Unblock} {
		p.Owners(refs)
	}
}
