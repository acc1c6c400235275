// Package fingerprint feeds the state of the engine and of its machines into one hash.
// Two engines with one fingerprint act alike, up to a collision. The engine makes a
// Printer, and each machine writes its own state to it.
package fingerprint

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Printer hashes values in the order of the calls. It names a node by its place in the
// order of keys, because node ids depend on the history. It gives a time as its distance
// from now. Make one with New. A Printer is not safe for concurrent use.
type Printer struct {
	graph  *graph.Graph
	now    time.Time
	rename func(graph.Key, graph.Version) uint64
	hash   uint64
	ids    []graph.NodeID
	index  []uint64 // by node id, from 1
}

// New returns a printer for the state of an engine over g, at the time now. If rename is
// not nil, its result stands for each version.
func New(g *graph.Graph, now time.Time, rename func(graph.Key, graph.Version) uint64) *Printer {
	p := &Printer{
		graph: g, now: now, rename: rename, hash: 0xcbf29ce484222325,
		index: make([]uint64, g.Inside(inside.Key{}).Cap()), ids: make([]graph.NodeID, 0, g.Len()),
	}
	for n := range g.Nodes() {
		p.ids = append(p.ids, n.ID())
		p.index[n.ID()] = uint64(len(p.ids))
	}
	return p
}

// Sum returns the hash of all values so far.
func (p *Printer) Sum() uint64 { return p.hash }

// Nodes returns all nodes in order of keys. The printer owns the slice.
func (p *Printer) Nodes() []graph.NodeID { return p.ids }

// Rank returns the place of a node in the order of keys, from 1. It is 0 for a node that
// is not in use.
func (p *Printer) Rank(id graph.NodeID) uint64 {
	if int(id) < len(p.index) {
		return p.index[id]
	}
	return 0
}

// Word hashes a number.
func (p *Printer) Word(x uint64) {
	h := (p.hash ^ x) * 0x9e3779b97f4a7c15
	p.hash = h ^ h>>32
}

// Text hashes a text.
func (p *Printer) Text(s string) {
	h := uint64(len(s))
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	p.Word(h)
}

// Flags hashes flags in their order, at most 63.
func (p *Printer) Flags(fs ...bool) {
	x := uint64(1)
	for _, f := range fs {
		x = x<<1 | Bit(f)
	}
	p.Word(x)
}

// Bit returns 1 for true and 0 for false.
func Bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Until hashes the distance of a time from now. All times in the past are alike.
func (p *Printer) Until(t time.Time) {
	if t.IsZero() {
		p.Word(1)
		return
	}
	p.Word(uint64(max(t.Sub(p.now), 0)))
}
