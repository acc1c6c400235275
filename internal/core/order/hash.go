package order

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
)

// Hash adds all parts of the orders that decide the engine's acts. The progress of a walk is
// none: its result follows from the graph.
func (m *Machine) Hash(p *fingerprint.Printer, v View) {
	if !m.Any() {
		return
	}
	p.Flags(m.due, m.walk != nil)
	p.List(m.ready)
	p.List(m.opening)
	p.List(m.stale)
	roots := slices.SortedFunc(maps.Keys(m.orders), func(a, b graph.NodeID) int { return cmp.Compare(p.Rank(a), p.Rank(b)) })
	for _, root := range roots {
		m.hashOrder(p, v, m.orders[root])
	}
	for _, id := range p.Nodes() {
		if _, is := m.doomed[id]; is {
			p.Node(id)
		}
	}
}

func (m *Machine) hashOrder(p *fingerprint.Printer, v View, o *order) {
	p.Node(o.root)
	p.Word(uint64(o.guard)<<32 | uint64(o.open)<<16 | uint64(o.low))
	p.Flags(o.stale, o.fresh, o.cleared != 0, m.walk != nil && m.walk.order == o)
	v.Fence.HashAfter(p, o.cleared)
	for _, id := range p.Nodes() {
		if x := o.places[id]; x != nil {
			_, source := o.sources[id]
			p.Node(id)
			p.Flags(x.listed, x.counted, source, x.free, x.known, x.above, x.after)
			p.Word(uint64(x.status)<<32 | uint64(x.own)<<24 | uint64(x.due)<<16 | uint64(x.del)<<8 | uint64(x.done))
			p.Word(uint64(x.kept))
		}
	}
	for _, uid := range slices.Sorted(slices.Values(o.gone)) {
		p.Text(string(uid))
	}
	for _, list := range o.waiting {
		p.List(list)
	}
}
