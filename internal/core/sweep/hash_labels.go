package sweep

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/selecting"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// hashLabels hashes the matches that selections have shown, and the selections to come.
func (sw *Sweeps) hashLabels(p *fingerprint.Printer, v View) {
	l := &sw.labels
	if len(l.rules) == 0 {
		return
	}
	p.Flags(l.under, l.call != 0, l.unmet)
	l.at.Hash(p)
	for _, text := range [...]string{l.selector, l.label, l.after} {
		p.Text(text)
	}
	for _, k := range l.wanted {
		k.Hash(p)
	}
	p.Word(uint64(len(l.wanted)))
	keys := slices.SortedFunc(maps.Keys(l.selections), selecting.Key.Compare)
	for _, k := range keys {
		x := l.selections[k]
		k.Hash(p)
		p.Flags(x.unmet, x.externallyBlocked, x.err != "")
		x.pace.Hash(p)
		for _, id := range sw.sorted() {
			r := sw.runs[id]
			under := l.under && l.at == k
			for _, after := range [...]seq.Stamp{r.since, r.labelsChanged, r.seen, r.fenced} {
				p.Flags(x.began > after, under && l.began > after)
			}
			p.Flags(r.fenced > max(r.since, r.seen, v.Kinds.LostAt()))
		}
	}
	p.Word(uint64(len(keys)))
	sw.hashMatches(p, v)
}

// hashMatches hashes the known labels of each node.
func (sw *Sweeps) hashMatches(p *fingerprint.Printer, v View) {
	l := &sw.labels
	for _, id := range p.Nodes() {
		n, known := v.Graph.Node(id), v.State(id).Known
		for i := range l.rules {
			k := selecting.Key{Rule: i, Kind: n.Kind()}
			m, is := l.matches[matchKey{id, i}]
			began := l.selections[k].began
			p.Flags(is, began > known, began > m.began, l.under && l.at == k && l.began > known, l.under && l.at == k && l.began > m.began)
			if is {
				p.Version(n.Key(), m.version)
				p.Text(m.value)
			}
		}
	}
}
