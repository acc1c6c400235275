package brake

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
)

// Hash writes the state to the printer. A walk under way counts as one that has still to
// begin. Returned is that of View.
func (m *Machine) Hash(p *fingerprint.Printer, returned uint64) {
	if !m.Any() {
		return
	}
	keys := slices.SortedFunc(maps.Keys(m.index), graph.Key.Compare)
	ranks := make(map[slot]uint64, len(keys))
	for i, k := range keys {
		ranks[m.index[k]] = uint64(i + 1)
	}
	for _, k := range keys {
		m.hashCascade(p, m.at(m.index[k]), returned)
	}
	if s := m.walk.slot; s != 0 {
		p.Word(ranks[s])
	}
	for _, list := range append([]fifo.List[slot]{m.pending}, m.ended[:]...) {
		p.Word(uint64(list.Len()))
		for _, s := range list.All() {
			p.Word(ranks[s])
		}
	}
	for _, call := range slices.Sorted(maps.Keys(m.calls)) {
		for _, x := range m.calls[call] {
			p.Word(ranks[x.slot])
			p.Flags(x.approval == 0, x.approval == m.at(x.slot).approvals)
		}
	}
	for _, u := range m.exempt.Keys() {
		p.Text(string(u))
	}
	m.hashWaits(p)
}

func (m *Machine) hashCascade(p *fingerprint.Printer, c *cascade, returned uint64) {
	p.Key(c.key)
	p.Flags(c.listed, c.recorded, c.unrecorded, c.gap != nil, c.isOutdated(returned))
	p.Word(uint64(c.state)<<8 | uint64(c.cause))
	p.Word(uint64(c.handed))
	p.Set(c.seeds)
	if c.state == Approved {
		p.Until(c.until)
		p.Word(uint64(c.atMost - c.used))
	}
	m.hashLine(p, &c.held)
}

func (m *Machine) hashLine(p *fingerprint.Printer, l *line) {
	p.Flags(l.called)
	var ids []graph.NodeID
	for _, x := range l.nodes.All() {
		if w := m.waits[x.node]; w.at == x.at && !w.called {
			ids = append(ids, x.node)
		}
	}
	p.List(ids)
}

func (m *Machine) hashWaits(p *fingerprint.Printer) {
	m.hashLine(p, &m.listing)
	m.hashLine(p, &m.window)
	for i := range m.full {
		m.hashLine(p, &m.full[i])
	}
	for _, id := range p.Nodes() {
		w := m.waits[id]
		p.Word(uint64(w.need)<<16 | uint64(w.answer)<<1 | fingerprint.Bit(w.called))
	}
	p.Flags(m.listed, m.taken)
	if m.set.Window > 0 && !m.bucket.began.IsZero() {
		p.Word(uint64(m.bucket.tokens)<<32 | uint64(m.bucket.made))
		p.Until(m.bucket.next())
	}
}
