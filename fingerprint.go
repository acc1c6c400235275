package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/tombstone"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// Fingerprint returns 64 bits that stand for all that decides what the engine
// does from here on: two engines of one Config with different fingerprints may
// act differently, and two with the same act alike, up to a collision of the
// hash. Counters, reports and logs are no part of it; nor is when the next audit
// is due, and in which order it looks at objects, which decides nothing unless
// something was amiss. Times enter as how far away they are.
//
// Stamps enter only through the comparisons that the engine makes of them: of
// what was learnt of an object with when a read or a fence began. rename, if
// not nil, stands for each version, so that a checker can take states together
// that differ in the versions' text alone.
//
// Held by TestFingerprint and, in internal/exhaustive, TestFingerprintAgrees.
func (e *Engine) Fingerprint(rename func(Key, Version) uint64) uint64 {
	p := printer{e: e, rename: rename, hash: 0xcbf29ce484222325}
	p.order()
	p.nodes()
	p.kinds()
	p.queue(e.work)
	p.queue(e.asks)
	p.fence()
	p.rest()
	p.clearings()
	return p.hash
}

func (p *printer) order() {
	p.index = make([]uint64, p.e.graph.Cap())
	p.ids = make([]graph.NodeID, 0, p.e.graph.Len())
	for n := range p.e.graph.Nodes() {
		p.ids = append(p.ids, n.ID())
	}
	for i, id := range p.ids {
		p.index[id] = uint64(i + 1)
	}
}

func (p *printer) nodes() {
	e := p.e
	for _, id := range p.ids {
		n, m := e.graph.Node(id), e.state(id)
		p.object(n.Object())
		p.word(uint64(n.State()))
		p.flags(m.Known > e.rewound, m.Mark > e.rewound, m.Absent > e.rewound, m.Absent > e.loss.at || e.staysConfirmed(n.Kind()), m.GoneObserved, m.Reread, m.Reread && m.Probing, m.OutcomeUnknown, m.ReadFailing, m.Suspect, m.Overdue, m.FanningOut, m.AwaitsFence,
			m.Call != 0, m.Mark != 0, m.Cycle != 0, e.graph.PendingPrune(id))
		if m.Cycle != 0 {
			p.set(e.rings.found[m.Cycle].members)
			p.fenceAfter(e.rings.found[m.Cycle].seen)
		}
		p.fenceAfter(m.Known)
		p.fenceAfter(m.Mark)
		if len(e.cfg.Acknowledge) > 0 && !m.Marked.IsZero() {
			p.until(e.acknowledgedBy(id))
		}
		if m.Absent > e.rewound {
			p.absentSince(n, m.Absent)
		}
		if s, ok := e.sights[id]; ok {
			p.flags(s.began > e.loss.at)
			p.word(uint64(s.sight))
			p.version(n.Key(), s.version)
			p.flags(m.Known > s.done, m.Role > s.done, m.Known < s.began)
			p.began(n, s.began)
		}
		if a := e.awaits.of(id); a != nil {
			p.version(n.Key(), a.version)
			p.until(a.deadline)
			p.word(uint64(a.then)<<1 | uint64(btoi(a.outside)))
			p.word(uint64(a.wrote))
			p.flags(a.gone, a.asked != 0, e.relisted(n.Kind(), a.asked), e.kinds[n.Kind()].begun > a.asked)
		}
		p.lastWrite(id)
		if r, ok := e.retries[id]; ok {
			p.version(n.Key(), r.Version)
			p.flags(e.relisted(n.Kind(), m.Known), e.kinds[n.Kind()].begun > m.Known)
			for _, o := range n.OwnerNodes() {
				p.flags(e.unconfirmed(o.Kind(), m.Known), e.state(o.ID()).Absent > m.Known)
			}
		}
		if t, ok := e.parked[id]; ok {
			p.until(t)
		}
		p.list(e.waiters[id])
		p.word(uint64(m.PendingReads)<<8 | uint64(m.Blocked))
		for d := range n.Dependents() {
			p.node(d.ID())
			if n.State() == graph.Phantom { // see Engine.unsettled
				p.flags(e.kinds[n.Kind()].passed > e.state(d.ID()).Known)
			}
		}
		if m.FanningOut {
			p.seq(e.graph.Unfanned(id))
		}
		p.word(uint64(min(m.Conflicts, 2)))
		p.list(e.misplaced[n.Key().UID])
	}
}

// lastWrite hashes what is known of the last write to a node.
func (p *printer) lastWrite(id graph.NodeID) {
	if w, ok := p.e.written[id]; ok {
		p.word(uint64(w.digest)<<32 | uint64(w.tries)<<1 | uint64(btoi(w.judged)))
		p.until(w.after)
	}
}

// absentSince hashes for which dependents the absence of n, by a call that began then,
// is evidence: see absenceServes.
func (p *printer) absentSince(n graph.Node, began policy.Stamp) {
	for d := range n.Dependents() {
		if has(p.e.retries, d.ID()) || n.State() == graph.Phantom {
			p.node(d.ID())
			p.flags(began > p.e.state(d.ID()).Known)
		}
	}
}

// fenceAfter hashes which fences began after a stamp.
func (p *printer) fenceAfter(s policy.Stamp) {
	f := &p.e.fence
	p.flags(f.passed > s, f.id != 0 && f.began > s, f.freed > s)
}

// began hashes how the beginning of a read of n stands to what was learnt of
// its dependents and of their owners: all that it is ever compared with.
func (p *printer) began(n graph.Node, at policy.Stamp) {
	e := p.e
	p.flags(e.kinds[n.Kind()].spoken > at)
	p.fenceAfter(at)
	for d := range n.Dependents() {
		p.node(d.ID())
		p.flags(at > e.state(d.ID()).Known)
		for _, o := range d.OwnerNodes() {
			m := e.state(o.ID())
			p.flags(at > max(m.Changed, m.Absent), at > m.Mark)
		}
	}
}

func (p *printer) kinds() {
	e := p.e
	names := make([]Kind, 0, 16)
	for name := range e.kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		k := e.kinds[name]
		g, _ := e.graph.Kind(name)
		p.text(string(name))
		p.flags(k.part, k.listed, k.sick != "", k.ill, k.damaged, k.spoilt, k.sweeping, k.begun > e.rewound, e.loss.at != 0 && e.behind(name, e.loss.at), e.lossOf(name), k.begun > e.loss.at || !e.behind(name, e.loss.at),
			k.pending != 0, g.Known, g.NoOwner, g.Unwatched, g.Scoped, g.Listing, g.Listed, e.fence.open[name])
		if e.lossOf(name) {
			p.until(e.loss.time.Add(maxLossWait))
		}
		p.seq(e.graph.OfKind(name))
		p.seq(e.graph.Unpruned(name))
		p.set(slices.Collect(maps.Keys(k.waiting)))
		if e.cfg.CompareVersions != nil {
			p.text(string(e.tide(name).high))
			p.text(string(e.tide(name).floor))
		}
	}
}

// staysConfirmed reports whether what the watch has shown of a kind counts, whatever
// becomes of the kind, as long as there is no further sign of a rewind.
func (e *Engine) staysConfirmed(name Kind) bool {
	return e.loss.at == 0 || e.kinds[name].part && !e.behind(name, e.loss.at)
}

func (p *printer) queue(q *queue.Queue[graph.NodeID]) {
	for x := range q.Entries() {
		p.node(x.Key)
		p.word(uint64(x.Priority)<<32 | uint64(x.State)<<16 | uint64(x.Attempts))
		p.until(x.At)
	}
	p.word(uint64(q.PassedOver(queue.Normal))<<32 | uint64(q.PassedOver(queue.Low)))
	p.word(uint64(q.Len()))
}

func (p *printer) fence() {
	f := &p.e.fence
	p.flags(f.wanted != 0, f.id != 0, f.passed > f.wanted, f.began > f.wanted, f.freed < f.began, f.open[""])
	for _, id := range f.waiting {
		if p.e.state(id).AwaitsFence {
			p.node(id)
		}
	}
	p.word(0)
	if f.id != 0 {
		p.until(f.due(p.e.fenceHeld()))
		p.word(uint64(f.lost)<<32 | uint64(f.yielded))
	}
	p.until(f.retry)
	if p.e.cfg.FenceWait != 0 && (f.wanted != 0 || f.id != 0) {
		p.until(f.since.Add(p.e.cfg.FenceWait))
	}
}

func (p *printer) rest() {
	e := p.e
	for _, id := range slices.Sorted(maps.Keys(e.flights)) {
		p.flight(id, e.flights[id])
	}
	for _, c := range e.prepared.All() {
		p.call(c)
	}
	p.list(e.fans)
	p.list(e.wakes)
	for _, k := range e.sweeps {
		p.text(string(k))
	}
	p.set(e.rings.suspects)
	if len(e.rings.suspects) > 0 {
		p.until(e.rings.due)
	}
	p.set(e.rings.searched)
	p.lists()
	p.flags(e.healing, e.broken != nil, e.audit.under, e.kindsSeen, e.kindsLost, e.allSeen, e.learnt, e.loss.open, e.loss.set > e.loss.at, e.unanswered())
	for _, epoch := range e.epochs.taken {
		p.text(epoch)
	}
	p.audit()
	for _, m := range [...]tombstone.Set{e.absent, e.orphaned} {
		n := 0
		for k := range m.All() {
			p.key(k)
			n++
		}
		p.word(uint64(n))
	}
	p.handlers()
}

func (p *printer) lists() {
	l := &p.e.lists
	p.word(uint64(len(l.wanted))<<32 | uint64(l.tries))
	p.flags(l.set)
	for _, k := range l.wanted {
		p.text(string(k))
	}
	p.text(string(l.last))
	p.until(l.retry)
}

// audit hashes whom an audit that is under way has still to look at, in its order.
func (p *printer) audit() {
	if !p.e.audit.under {
		return
	}
	for id := p.e.audit.at; int(id) < len(p.index); id++ {
		p.node(id)
	}
}

func (p *printer) flight(id CallID, f flight) {
	p.word(uint64(f.call)<<8 | uint64(f.ending))
	p.key(f.key)
	p.version(f.key, f.version)
	p.text(f.handler)
	p.word(uint64(f.wrote))
	p.flags(f.reread, f.shown, f.fence != 0 && f.fence == p.e.fence.id, f.began > p.e.rewound, f.began > p.e.loss.at)
	if f.run != 0 {
		p.text("run")
	}
	n, ok := p.e.graph.Lookup(f.key)
	if !ok {
		return
	}
	m := p.e.state(n.ID())
	p.flags(m.Known > f.began, n.ID() == f.node, m.Call == uint64(id))
	p.absentSince(n, f.began)
	if f.call == CallRead && !f.reread {
		p.flags(m.Known < f.began, m.Changed < f.began)
		p.began(n, f.began)
	}
}

func (p *printer) handlers() {
	h := &p.e.handlers
	for _, name := range h.names {
		p.list(h.lines[name])
		for _, id := range p.ids {
			s := h.states[handlerKey{id, name}]
			p.word(uint64(s.phase)<<32 | uint64(s.tries))
			if s.phase == failed {
				p.until(h.due(s))
			}
		}
	}
}
