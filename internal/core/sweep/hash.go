package sweep

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Hash adds all parts of the runs that decide the engine's acts. The counts follow from the
// members, and the holders from the graph.
func (sw *Sweeps) Hash(p *fingerprint.Printer, v View) {
	if len(sw.plans) == 0 {
		return
	}
	p.Flags(sw.again, sw.dirty)
	p.Until(sw.due)
	p.Until(sw.proofs)
	p.Until(sw.ends)
	if sw.walk != 0 {
		p.From(sw.walk)
	}
	runs := sw.sorted()
	for _, id := range runs {
		sw.hashRun(p, v, sw.runs[id])
		sw.hashReleases(p, v, sw.runs[id])
	}
	p.Word(uint64(len(runs)))
	sw.hashLabels(p, v)
	for _, id := range p.Nodes() {
		ms := slices.Clone(sw.members[id])
		ms = slices.DeleteFunc(ms, func(m membership) bool { return sw.runs[m.run] == nil })
		slices.SortFunc(ms, func(a, b membership) int {
			return cmp.Compare(slices.Index(runs, a.run), slices.Index(runs, b.run))
		})
		for _, m := range ms {
			r := sw.runs[m.run]
			p.Word(uint64(slices.Index(runs, m.run))<<32 | uint64(m.phase))
			p.Flags(m.fixed, m.owned, r.need < m.since, r.proofAfter < m.since)
			sw.hashProof(p, v, r, m.since)
		}
	}
}

func (sw *Sweeps) hashRun(p *fingerprint.Printer, v View, r *run) {
	p.Key(r.holder.Key)
	p.Version(r.holder.Key, r.holder.Version)
	p.Word(uint64(r.plan))
	p.Flags(r.node == 0, r.need != 0, r.proofAfter != 0, r.read, r.halted, r.over, r.unguarded, r.done, r.fenceDelayed, sw.walked > r.since, sw.began > r.since,
		r.listsWanted > max(r.since, r.seen, v.Kinds.LostAt()), r.need > r.proofAfter)
	v.Fence.HashAfter(p, max(r.since, r.seen, v.Kinds.LostAt()))
	sw.hashProof(p, v, r, r.need)
	sw.hashProof(p, v, r, r.proofAfter)
	for _, k := range v.Kinds.Names() {
		p.Flags(v.Kinds.Relisted(k, r.listsWanted), v.Kinds.Of(k).Begun > r.listsWanted)
	}
	p.Word(uint64(min(r.waves, 9)))
	p.Until(r.next)
}

// hashReleases hashes the ends of other holders' claims, as far as they ask a run for a later
// proof. A run that begins later needs a proof later than all of them.
func (sw *Sweeps) hashReleases(p *fingerprint.Printer, v View, r *run) {
	release := func(at seq.Stamp) {
		p.Flags(at != 0, r.need < at, r.proofAfter < at)
		sw.hashProof(p, v, r, at)
	}
	release(sw.staleAt)
	release(sw.latest)
	for _, id := range p.Nodes() {
		release(sw.dying[id])
	}
	releases := sw.releases
	for _, name := range slices.SortedFunc(maps.Keys(releases), func(a, b holderName) int {
		return cmp.Or(cmp.Compare(a.plan, b.plan), cmp.Compare(a.scope, b.scope), cmp.Compare(a.name, b.name))
	}) {
		p.Word(uint64(name.plan))
		p.Text(name.scope)
		p.Text(name.name)
		release(releases[name])
	}
}

// hashProof hashes whether the run has a proof for a fact of that moment, or will have one by
// a fence under way.
func (sw *Sweeps) hashProof(p *fingerprint.Printer, v View, r *run, at seq.Stamp) {
	p.Flags(sw.proven(v, r, at), r.proved > at)
	v.Fence.HashAfter(p, at)
	p.Flags(v.Fence.SetPassed() > at)
	for _, s := range sw.plans {
		p.Flags(v.Kinds.Of(s.Sweep().Holder).Passed > at)
	}
}
