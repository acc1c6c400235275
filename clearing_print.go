package ownergraph

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// clearings hashes the sweeps under way. Counts follow from who is a member, and
// holders from the graph.
func (p *printer) clearings() {
	c := &p.e.clear
	if len(c.plans) == 0 {
		return
	}
	p.Flags(c.again, c.stir)
	p.Until(c.due)
	p.Until(c.proofs)
	p.Until(c.ends)
	if c.walk != 0 {
		p.From(c.walk)
	}
	runs := c.sorted()
	for _, id := range runs {
		p.clearing(c.runs[id])
		p.lapses(c.runs[id])
	}
	p.Word(uint64(len(runs)))
	p.labels()
	for _, id := range p.Nodes() {
		ms := slices.Clone(c.members[id])
		ms = slices.DeleteFunc(ms, func(m membership) bool { return c.runs[m.run] == nil })
		slices.SortFunc(ms, func(a, b membership) int {
			return cmp.Compare(slices.Index(runs, a.run), slices.Index(runs, b.run))
		})
		for _, m := range ms {
			r := c.runs[m.run]
			p.Word(uint64(slices.Index(runs, m.run))<<32 | uint64(m.phase))
			p.Flags(m.fixed, m.owned, r.need < m.since, r.sought < m.since)
			p.proof(r, m.since)
		}
	}
}

func (p *printer) clearing(r *clearing) {
	c := &p.e.clear
	p.Key(r.holder.Key)
	p.Version(r.holder.Key, r.holder.Version)
	p.Word(uint64(r.plan))
	p.Flags(r.node == 0, r.need != 0, r.sought != 0, r.read, r.halted, r.over, r.bare, r.done, r.paced, c.walked > r.turned, c.began > r.turned,
		r.asked > max(r.turned, r.seen, p.e.kinds.LostAt()), r.need > r.sought)
	p.fenceAfter(max(r.turned, r.seen, p.e.kinds.LostAt()))
	p.proof(r, r.need)
	p.proof(r, r.sought)
	for _, k := range p.e.kinds.Names() {
		p.Flags(p.e.kinds.Relisted(k, r.asked), p.e.kinds.Of(k).Begun > r.asked)
	}
	p.Word(uint64(min(r.waves, 9)))
	p.Until(r.next)
}

// lapses hashes what the ends of other holders' claims ask of a sweep. One that
// begins later has to be proven later than all of them.
func (p *printer) lapses(r *clearing) {
	lapse := func(at seq.Stamp) {
		p.Flags(at != 0, r.need < at, r.sought < at)
		p.proof(r, at)
	}
	lapse(p.e.clear.lapsed)
	lapse(p.e.clear.latest)
	for _, id := range p.Nodes() {
		lapse(p.e.clear.dying[id])
	}
	yielded := p.e.clear.yielded
	for _, name := range slices.SortedFunc(maps.Keys(yielded), func(a, b holderName) int {
		return cmp.Or(cmp.Compare(a.plan, b.plan), cmp.Compare(a.scope, b.scope), cmp.Compare(a.name, b.name))
	}) {
		p.Word(uint64(name.plan))
		p.Text(name.scope)
		p.Text(name.name)
		lapse(yielded[name])
	}
}

// proof hashes whether there is one for what became known at a moment, or will
// be one by what is under way.
func (p *printer) proof(r *clearing, at seq.Stamp) {
	p.Flags(p.e.proven(r, at), r.proved > at)
	p.fenceAfter(at)
	p.Flags(p.e.fence.SetPassed() > at)
	for _, s := range p.e.clear.plans {
		p.Flags(p.e.kinds.Of(s.Sweep().Holder).Passed > at)
	}
}
