package fence

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Hash adds all parts of the machine that decide the engine's acts.
func (f *Machine) Hash(p *fingerprint.Printer, k *kinds.Table, g *graph.Graph, nodes *record.Table) {
	p.Flags(f.wanted != 0, f.id != 0, f.passed > f.wanted, f.began > f.wanted, f.freed < f.began)
	for _, id := range f.waiting {
		if nodes.Get(g, id).AwaitsFence {
			p.Node(id)
		}
	}
	p.Word(0)
	for _, name := range f.AwaitedKinds() {
		p.Text(string(name))
		p.Set(f.AwaitingKind(name))
	}
	if f.id != 0 {
		p.Until(f.due(f.Blocked(k)))
		p.Word(uint64(f.lost)<<32 | uint64(f.yielded))
		p.Flags(f.token != 0)
		for _, r := range f.early {
			p.Word(r.token - f.spent) // a store may count its tokens
			p.Word(uint64(len(r.kinds)))
			for _, name := range r.kinds {
				p.Text(string(name))
			}
		}
	}
	p.Until(f.retry)
	if f.release != 0 && (f.wanted != 0 || f.id != 0) {
		p.Until(f.since.Add(f.release))
	}
}

// HashAfter adds which of the fences began after the moment.
func (f *Machine) HashAfter(p *fingerprint.Printer, at seq.Stamp) {
	p.Flags(f.passed > at, f.id != 0 && f.began > at, f.freed > at)
}

// Busy reports whether a fence is wanted or under way that no sick kind blocks.
func (f *Machine) Busy(k *kinds.Table) bool {
	return f.exact && (f.wanted != 0 || f.id != 0) && !f.Blocked(k)
}

// Serves reports whether the observed state of the well kinds includes every commit before
// the moment. A fence that began after the moment has passed, or sick kinds alone block one.
// Without fences it is always true.
func (f *Machine) Serves(at seq.Stamp, k *kinds.Table) bool {
	return !f.exact || f.passed > at || f.BeganAfter(at) && f.Blocked(k)
}

// CanJoin reports whether a fence is wanted anyway, or is under way and began after the
// moment.
func (f *Machine) CanJoin(at seq.Stamp) bool { return f.wanted != 0 || f.BeganAfter(at) }
