package sweep

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// labels hashes what selections have shown, and what they will.
func (sw *Sweeps) hashLabels(p *fingerprint.Printer, v View) {
	l := &sw.labels
	if len(l.asks) == 0 {
		return
	}
	p.Flags(l.under, l.call != 0, l.unmet)
	hashPass(p, l.at)
	for _, text := range [...]string{l.selector, l.label, l.after} {
		p.Text(text)
	}
	for _, k := range l.wanted {
		hashPass(p, k)
	}
	p.Word(uint64(len(l.wanted)))
	keys := slices.SortedFunc(maps.Keys(l.passes), passKey.compare)
	for _, k := range keys {
		x := l.passes[k]
		hashPass(p, k)
		p.Flags(x.unmet, x.outside, x.err != "")
		p.Word(uint64(x.begun))
		p.Until(x.next)
		p.Until(x.next.Add(2 * selectPause))
		for _, id := range sw.sorted() {
			r := sw.runs[id]
			under := l.under && l.at == k
			for _, after := range [...]seq.Stamp{r.turned, r.hinted, r.seen, r.fenced} {
				p.Flags(x.began > after, under && l.began > after)
			}
			p.Flags(r.fenced > max(r.turned, r.seen, v.Kinds.LostAt()))
		}
	}
	p.Word(uint64(len(keys)))
	sw.hashMatches(p, v)
}

func hashPass(p *fingerprint.Printer, k passKey) {
	p.Word(uint64(k.ask))
	p.Text(string(k.kind))
}

// marks hashes what is known of the labels of each node.
func (sw *Sweeps) hashMatches(p *fingerprint.Printer, v View) {
	l := &sw.labels
	for _, id := range p.Nodes() {
		n, known := v.Graph.Node(id), v.State(id).Known
		for i := range l.asks {
			k := passKey{i, n.Kind()}
			m, is := l.marks[markKey{id, i}]
			began := l.passes[k].began
			p.Flags(is, began > known, began > m.began, l.under && l.at == k && l.began > known, l.under && l.at == k && l.began > m.began)
			if is {
				p.Version(n.Key(), m.version)
				p.Text(m.value)
			}
		}
	}
}
