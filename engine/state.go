package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Inside returns a view of the engine. Only this module can call it, because only it can make a Key.
func (e *Engine) Inside(inside.Key) insider { return insider{e} }

// insider is the view of an engine for the proofs of this module. Package internal/probe
// has its methods as functions.
type insider struct{ e *Engine }

// Inside returns further functions. Only this module can call it, because only it can make a Key.
func Inside(inside.Key) insider { return insider{} }

// Clone returns an engine that goes on from here on its own.
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

// Decide decides an object at once, and returns the report of the decision. It returns false
// for an object without a decision now. The engine's OnDecision no longer gets a report.
func (i insider) Decide(key graph.Key) (d DecisionEvent, ok bool) {
	n, found := i.e.graph.Lookup(key)
	i.e.cfg.OnDecision = func(ev DecisionEvent) {
		if ev.Key == key { // reports of its guard come before
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

// printer hashes the state of an engine.
type printer struct {
	*fingerprint.Printer
	e *Engine
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
	p.Flags(e.kinds.Of(n.Kind()).Ended > at, at > e.state(n.ID()).Freed)
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
	p.Owners(c.Change.DropOwners)
	p.Owners(c.Change.Unblock)
}
