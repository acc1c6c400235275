package ownergraph

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// Fingerprint returns 64 bits that stand for all that decides what the engine
// does from here on: two engines of one Config with different fingerprints may
// act differently, and two with the same act alike, up to a collision of the
// hash. Counters, reports and logs are no part of it.
//
// Stamps enter only through the comparisons that the engine makes of them: of
// what was learnt of an object with when a read or a fence began. rename, if
// not nil, stands for each version, so that a checker can take states together
// that differ in the versions' text alone.
//
// Held by TestFingerprint and TestFingerprintAgrees.
func (e *Engine) Fingerprint(rename func(Key, Version) uint64) uint64 {
	p := printer{e: e, rename: rename, hash: 0xcbf29ce484222325}
	p.order()
	p.nodes()
	p.kinds()
	p.queue(e.work)
	p.queue(e.asks)
	p.fence()
	p.rest()
	return p.hash
}

// printer feeds an engine's state into a hash, with nodes in order of keys.
type printer struct {
	e      *Engine
	rename func(Key, Version) uint64
	hash   uint64
	ids    []graph.NodeID
	index  []uint64 // by node id, from 1
}

func (p *printer) word(x uint64) {
	h := (p.hash ^ x) * 0x9e3779b97f4a7c15
	p.hash = h ^ h>>32
}

func (p *printer) text(s string) {
	h := uint64(len(s))
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	p.word(h)
}

func (p *printer) flags(fs ...bool) {
	x := uint64(1)
	for _, f := range fs {
		x = x<<1 | uint64(btoi(f))
	}
	p.word(x)
}

func (p *printer) version(k Key, v Version) {
	if p.rename != nil {
		p.word(p.rename(k, v))
		return
	}
	p.text(string(v))
}

func (p *printer) key(k Key) {
	p.text(string(k.Kind))
	p.text(k.Scope)
	p.text(k.Name)
	p.text(string(k.UID))
}

func (p *printer) node(id graph.NodeID) { p.word(p.rank(id)) }

// rank returns the place of a node in the order of keys, from 1; 0 for none.
func (p *printer) rank(id graph.NodeID) uint64 {
	if int(id) < len(p.index) {
		return p.index[id]
	}
	return 0
}

func (p *printer) list(ids []graph.NodeID) {
	p.word(uint64(len(ids)))
	for _, id := range ids {
		p.node(id)
	}
}

func (p *printer) seq(ids iter.Seq[graph.NodeID]) {
	n := uint64(0)
	for id := range ids {
		p.node(id)
		n++
	}
	p.word(n)
}

// set hashes ids whose order decides nothing.
func (p *printer) set(ids []graph.NodeID) {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b graph.NodeID) int { return cmp.Compare(p.rank(a), p.rank(b)) })
	p.list(ids)
}

// until hashes how far away a time is.
func (p *printer) until(t time.Time) {
	if t.IsZero() {
		p.word(1)
		return
	}
	p.word(uint64(max(t.Sub(p.e.now), 0)))
}

func (p *printer) order() {
	p.index = make([]uint64, len(p.e.nodes))
	p.ids = make([]graph.NodeID, 0, p.e.graph.Len())
	g := p.e.graph
	for id := range graph.NodeID(len(p.e.nodes)) {
		if g.InUse(id) {
			p.ids = append(p.ids, id)
		}
	}
	slices.SortFunc(p.ids, func(a, b graph.NodeID) int { return g.Node(a).Key().Compare(g.Node(b).Key()) })
	for i, id := range p.ids {
		p.index[id] = uint64(i + 1)
	}
}

func (p *printer) nodes() {
	e := p.e
	for _, id := range p.ids {
		n, m := e.graph.Node(id), &e.nodes[id]
		p.object(n.View())
		p.word(uint64(n.State()))
		p.flags(m.absent > e.rewound, m.buried, m.reread, m.unsure, m.suspect, m.fanning, m.waking,
			m.call != 0, m.mark != 0, m.ring != 0, e.graph.Stale(id))
		if m.ring != 0 {
			p.set(e.rings.found[m.ring].members)
			p.fenceAfter(e.rings.found[m.ring].seen)
		}
		p.fenceAfter(m.known)
		p.fenceAfter(m.mark)
		if s, ok := e.sights[id]; ok {
			p.word(uint64(s.sight))
			p.version(n.Key(), s.version)
			p.flags(m.known > s.done, m.role > s.done, m.known < s.began)
			p.began(n, s.began)
		}
		if a, ok := e.awaits[id]; ok {
			p.version(n.Key(), a.version)
			p.until(a.deadline)
			p.word(uint64(a.then)<<1 | uint64(btoi(a.outside)))
			p.flags(a.asked != 0, e.relisted(n.Key().Kind, a.asked), e.kinds[n.Key().Kind].begun > a.asked)
		}
		if r, ok := e.retries[id]; ok {
			p.version(n.Key(), r.Version)
		}
		if t, ok := e.parked[id]; ok {
			p.until(t)
		}
		p.list(e.waiters[id])
		for d := range n.Dependents() {
			p.node(d.ID())
		}
		if m.fanning {
			p.seq(e.graph.Unfanned(id))
		}
		p.word(uint64(min(m.conflicts, 2)))
		p.list(e.misplaced[n.Key().UID])
	}
}

func (p *printer) object(o Object) {
	p.key(o.Key)
	p.version(o.Key, o.Version)
	p.flags(o.Deleting)
	p.word(uint64(o.Generation))
	p.word(uint64(o.ObservedGeneration))
	p.owners(o.Owners)
	p.word(uint64(len(o.Finalizers)))
	for _, f := range o.Finalizers {
		p.text(f)
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
	p.flags(e.kinds[n.Key().Kind].spoken > at)
	for d := range n.Dependents() {
		p.node(d.ID())
		p.flags(at > e.nodes[d.ID()].known)
		for _, o := range d.OwnerNodes() {
			m := &e.nodes[o.ID()]
			p.flags(at > max(m.changed, m.absent), at > m.mark)
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
		p.flags(k.part, k.listed, k.sick != "", k.damaged, k.sweeping, k.begun > e.rewound, k.pending != 0,
			g.Listing, g.Listed, e.fence.open[name])
		p.seq(e.graph.Ranked(name))
		p.seq(e.graph.Unswept(name))
		p.list(k.waiting)
		if e.healing {
			p.text(string(k.high))
		}
		for _, id := range p.ids {
			if e.graph.Node(id).Key().Scope != "" {
				p.flags(k.passed > e.nodes[id].known)
			}
		}
	}
}

func (p *printer) queue(q *queue.Queue[graph.NodeID]) {
	for x := range q.Entries() {
		p.node(x.Key)
		p.word(uint64(x.Priority)<<32 | uint64(x.State)<<16 | uint64(x.Attempts))
		p.until(x.At)
	}
	p.word(uint64(q.Len()))
}

func (p *printer) fence() {
	f := &p.e.fence
	p.flags(f.wanted != 0, f.id != 0, f.passed > f.wanted, f.began > f.wanted, f.open[""])
	p.list(f.waiting)
	if f.id != 0 {
		p.until(f.due(p.e.fenceHeld()))
		p.word(uint64(f.lost))
	}
	p.until(f.retry)
}

func (p *printer) rest() {
	e := p.e
	for _, id := range slices.Sorted(maps.Keys(e.flights)) {
		p.flight(e.flights[id])
	}
	for _, c := range e.prepared {
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
	for _, k := range e.lists.wanted {
		p.text(string(k))
	}
	p.flags(e.healing, e.broken != nil, e.audit.under, e.allSeen)
	p.audit()
	for _, m := range [...]memory{e.absent, e.orphaned} {
		for _, k := range m.list() {
			p.key(k)
		}
		p.word(uint64(len(m.list())))
	}
	p.handlers()
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

// call hashes a read or write that waits for its lane.
func (p *printer) call(c Call) {
	p.word(uint64(c.Type)<<8 | uint64(c.Options.Propagation))
	p.key(c.Key)
	p.version(c.Key, c.Precondition.Version)
	p.version(c.Key, c.Options.Precondition.Version)
	p.text(c.Change.DropFinalizer)
	for _, refs := range [...][]Owner{c.Change.DropOwners, c.Change.Unblock} {
		p.owners(refs)
	}
}

func (p *printer) owners(refs []Owner) {
	p.word(uint64(len(refs)))
	for _, r := range refs {
		p.key(r.Key)
		p.flags(r.Unresolved, r.Block, r.Controller)
	}
}

func (p *printer) flight(f flight) {
	p.word(uint64(f.call)<<8 | uint64(f.ending))
	p.key(f.key)
	p.version(f.key, f.version)
	p.flags(f.reread, f.unsure)
	n, ok := p.e.graph.Lookup(f.key)
	if !ok {
		return
	}
	m := &p.e.nodes[n.ID()]
	p.flags(m.known > f.began, f.call == CallRead)
	if f.call == CallRead && !f.reread {
		p.flags(m.known < f.began)
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
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
