package ownergraph

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/policy"
)

// labels hashes what selections have shown, and what they will.
func (p *printer) labels() {
	l := &p.e.clear.labels
	if len(l.asks) == 0 {
		return
	}
	p.flags(l.under, l.call != 0, l.unmet)
	p.pass(l.at)
	for _, text := range [...]string{l.selector, l.label, l.after} {
		p.text(text)
	}
	for _, k := range l.wanted {
		p.pass(k)
	}
	p.word(uint64(len(l.wanted)))
	keys := slices.SortedFunc(maps.Keys(l.passes), passKey.compare)
	for _, k := range keys {
		x := l.passes[k]
		p.pass(k)
		p.flags(x.unmet, x.outside, x.err != "")
		p.word(uint64(x.begun))
		p.until(x.next)
		p.until(x.next.Add(2 * selectPause))
		for _, id := range p.e.clear.sorted() {
			r := p.e.clear.runs[id]
			under := l.under && l.at == k
			for _, after := range [...]policy.Stamp{r.turned, r.hinted, r.seen, r.fenced} {
				p.flags(x.began > after, under && l.began > after)
			}
			p.flags(r.fenced > max(r.turned, r.seen, p.e.loss.at))
		}
	}
	p.word(uint64(len(keys)))
	p.marks()
}

func (p *printer) pass(k passKey) {
	p.word(uint64(k.ask))
	p.text(string(k.kind))
}

// marks hashes what is known of the labels of each node.
func (p *printer) marks() {
	l := &p.e.clear.labels
	for _, id := range p.ids {
		n, known := p.e.graph.Node(id), p.e.state(id).Known
		for i := range l.asks {
			k := passKey{i, n.Kind()}
			m, is := l.marks[markKey{id, i}]
			began := l.passes[k].began
			p.flags(is, began > known, began > m.began, l.under && l.at == k && l.began > known, l.under && l.at == k && l.began > m.began)
			if is {
				p.version(n.Key(), m.version)
				p.text(m.value)
			}
		}
	}
}
