package ownergraph

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

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

// list hashes ids. One that is no longer in use will name another node: when,
// is what tells it from others.
func (p *printer) list(ids []graph.NodeID) {
	p.word(uint64(len(ids)))
	for _, id := range ids {
		p.node(id)
		if p.rank(id) == 0 {
			p.word(uint64(p.e.graph.ReuseAfter(id)))
		}
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

// call hashes a read or write that waits for its lane.
func (p *printer) call(c Call) {
	p.word(uint64(c.Type)<<8 | uint64(c.Options.Propagation))
	p.key(c.Key)
	p.version(c.Key, c.Precondition.Version)
	p.version(c.Key, c.Options.Precondition.Version)
	p.text(c.Change.DropFinalizer)
	if c.Change.AddFinalizer != "" {
		p.text(c.Change.AddFinalizer)
	}
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

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
