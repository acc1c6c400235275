package kinds

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Hash adds all parts of the table that decide the engine's acts. Stamps enter through the
// comparisons that the engine makes of them. Versions says that versions are compared.
func (t *Table) Hash(p *fingerprint.Printer, g *graph.Graph, versions bool) {
	for _, name := range t.names {
		t.hashKind(p, g, name, versions)
	}
	for _, name := range t.pruning {
		p.Text(string(name))
	}
	l := &t.lists
	p.Word(uint64(len(l.wanted))<<32 | uint64(l.tries))
	for _, name := range l.wanted {
		p.Text(string(name))
	}
	p.Text(string(l.last))
	p.Until(l.retry)
	p.Flags(l.set, t.relisting, t.setKnown, t.setLost, t.setOpen, t.allSeen, t.observed,
		t.loss.open, t.SetReportedSince(), t.Unanswered())
	for _, epoch := range t.epochs {
		p.Text(epoch)
	}
}

func (t *Table) hashKind(p *fingerprint.Printer, g *graph.Graph, name graph.Kind, versions bool) {
	s := t.states[name]
	k, _ := g.Kind(name)
	behind := t.Behind(name, t.loss.at)
	p.Text(string(name))
	p.Flags(s.Part, s.Listed, !s.well(), s.ReportedSick, s.NeedsRelist, s.ListingInvalid, s.Pruning, s.Open,
		s.Begun > t.rewound, t.loss.at != 0 && behind, t.HasLoss(name), s.Begun > t.loss.at || !behind, s.Pending != 0)
	p.Flags(k.Known, k.NoOwner, k.Unwatched, k.Scoped, k.Listing, k.Listed)
	p.Flags(s.Late, s.waits)
	if s.waits {
		p.Until(s.lateAt())
	} else if s.spent > 0 {
		p.Word(uint64(s.spent))
	}
	if t.HasLoss(name) {
		p.Until(t.LossEnd())
	}
	p.Seq(g.OfKind(name))
	p.Seq(g.Inside(inside.Key{}).Unpruned(name))
	if versions {
		p.Text(string(s.High))
		p.Text(string(s.Floor))
	}
}

// Confirmed reports whether the observed state of a kind counts until the next sign of a
// rewind, even if the kind leaves.
func (t *Table) Confirmed(name graph.Kind) bool {
	return t.loss.at == 0 || t.Part(name) && !t.Behind(name, t.loss.at)
}
