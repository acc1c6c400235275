package policy

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// FactsOf returns the facts of an observed node that its graph alone shows. Moments, reads and
// fences are zero, which is unknown. [Decide] then deletes an object only if the watch has shown
// the ends of all its owners. It asks for the evidence that any other decision needs, and the
// caller adds it to the facts. The engine adds moments, reads and fences to the same facts.
//
// The caller owns the result. FactsOf changes nothing. It allocates the list of owners.
//
// Held by TestFactsOf and TestFactsOfDecides.
func FactsOf(n graph.Node) Facts {
	x := n.Inside(inside.Key{})
	f := Facts{
		Deleting: n.Deleting(), Finalizers: x.HasFinalizers(), Propagation: x.Propagation(),
		Flawed: x.Flawed(), Unreadable: x.Unreadable(),
		References: n.Owners(), Referring: n.Referring(), Elsewhere: x.Elsewhere(), Blocking: n.Blocking(),
		Owners: make([]OwnerFacts, 0, n.Owners()),
	}
	for _, r := range n.References() {
		f.Owners = append(f.Owners, ownerFacts(x.Graph(), &r))
	}
	f.Several = Several(f.Owners, n.OwnerAt)
	return f
}

// ownerFacts returns the facts about the owner of a reference. An object that orphans its
// dependents by their UID is the owner of a reference with other coordinates. A mark that its
// holder keeps back counts for no dependent (RULES, G3).
func ownerFacts(g *graph.Graph, r *graph.Reference) OwnerFacts {
	f := OwnerFacts{Self: r.Self, Block: r.Block, Class: r.Class, Doubt: r.Doubt}
	if r.Owner == 0 || r.Self {
		return f
	}
	o := g.Node(r.Owner).Inside(inside.Key{})
	if live, ok := o.OrphanedBy(); ok {
		if f.Elsewhere = !o.ByUID(); f.Class == graph.Dangling {
			f.Class, f.Doubt = graph.Unknown, graph.Unobserved
		}
		o = live.Inside(inside.Key{})
	} else if o.ByUID() {
		return f
	}
	if o.MarkHeld() && f.Class == graph.Waiting {
		f.Class = graph.Solid
	}
	f.Orphaning = o.Orphaning() && !o.MarkHeld() && !o.SharesUID()
	return f
}

// Several reports whether an object has more than one owner. A reference of the object to
// itself does not count. The same reference twice counts once. The function owner returns the
// reference with an index.
func Several(facts []OwnerFacts, owner func(int) graph.Owner) bool {
	first := -1
	for i := range facts {
		switch {
		case facts[i].Self:
		case first < 0:
			first = i
		case !owner(i).Same(owner(first)):
			return true
		}
	}
	return false
}
