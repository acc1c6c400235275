package policy

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// FactsOf returns the facts of an observed node that its graph alone shows. Moments, reads and
// fences are zero, which is unknown. [Decide] then deletes an object only if the watch has shown
// the ends of all its owners. It asks for the evidence that any other decision needs. The caller
// adds that evidence to the facts:
//
//	AddMoments   the moments of the object and of its owners
//	Fence        the fences; at level 1 Released is the present moment while graph.Graph.IsListed is
//	             true, and the rest is zero
//	AddRing      the references inside of a ring of foreground deletions
//	AddRead      the answer of a read, for each owner of a decision to verify
//
// After such reads Decide may ask for one more read of an owner, and the caller repeats both. A
// later moment than the true one is safe for a version. It costs more reads and fences.
//
// A mark that its holder keeps back asks for no propagation (RULES, G3). Decide then keeps the
// marked object because of its finalizers.
//
// An object whose UID another observed object has counts as unreadable: no write may rest on it,
// because a write to one may be a write to the other.
//
// The caller owns the result. FactsOf changes nothing. It allocates the list of owners.
//
//test:by TestFactsOf TestFactsOfDecides
func FactsOf(n graph.Node) Facts {
	x := n.Inside(inside.Key{})
	f := Facts{
		Deleting: n.Deleting(), Finalizers: x.HasFinalizers(), Propagation: x.Propagation(),
		Flawed: x.Flawed(), Unreadable: x.Unreadable() || x.SharesUID(),
		Protected: x.HasFinalizer(graph.FinalizerProtect), Restricted: n.Restricted(),
		References: n.Owners(), Referring: n.Referring(), Elsewhere: x.Elsewhere(), Blocking: n.Blocking(),
		Owners: make([]OwnerFacts, 0, n.Owners()),
	}
	if x.MarkWithheld() {
		f.Propagation, f.Withheld = graph.Unset, x.Restricts()
	}
	for _, r := range n.References() {
		f.Owners = append(f.Owners, ownerFacts(n, &r))
	}
	f.Several = Several(f.Owners, n.OwnerAt)
	return f
}

// OwnerOf returns the node that Owners[i] of FactsOf is about. It is the node of the reference. An
// object that orphans the dependent by its UID alone has precedence. A read of the owner asks for
// the key of this node, and its moments are those of the facts. It returns false for a reference
// that no read can resolve: a self-reference, one without a UID or a known place, and one that the
// object does not have.
//
//test:by TestOwnerOf
func OwnerOf(n graph.Node, i int) (graph.Node, bool) {
	if i < 0 || i >= n.Owners() {
		return graph.Node{}, false
	}
	r := n.Reference(i)
	o, _ := ownerOf(n, &r)
	return o, o != graph.Node{}
}

// ownerOf returns the node that the facts of a reference are about, or the zero Node. Orphans says
// that it orphans the dependent by its UID.
func ownerOf(n graph.Node, r *graph.Reference) (o graph.Node, orphans bool) {
	if r.Owner == 0 || r.Self {
		return o, false
	}
	named := n.Inside(inside.Key{}).Graph().Node(r.Owner)
	x := named.Inside(inside.Key{})
	switch live, ok := x.OrphanedBy(); {
	case ok && live != n: // no object orphans itself
		return live, true
	case x.ByUID():
		return o, false
	}
	return named, false
}

// ownerFacts returns the facts about the owner of a reference. An object that orphans its
// dependents by their UID is the owner of a reference with other coordinates. A mark that its
// holder keeps back counts for no dependent (RULES, G3).
func ownerFacts(n graph.Node, r *graph.Reference) OwnerFacts {
	f := OwnerFacts{Self: r.Self, Block: r.Block, Class: r.Class, Doubt: r.Doubt, OnDelete: r.OnDelete}
	of, orphans := ownerOf(n, r)
	if of == (graph.Node{}) {
		return f
	}
	if orphans {
		if f.Elsewhere = !n.Inside(inside.Key{}).Graph().Node(r.Owner).Inside(inside.Key{}).ByUID(); f.Class == graph.Dangling {
			f.Class, f.Doubt = graph.Unknown, graph.Unobserved
		}
	}
	o := of.Inside(inside.Key{})
	if o.MarkWithheld() && f.Class == graph.Waiting {
		f.Class = graph.Solid
	}
	f.Restricted = o.MarkWithheld() && of.Restricted()
	f.Orphaning = o.Orphaning() && !o.MarkWithheld() && !o.SharesUID()
	return f
}

// Several reports whether an object has more than one owner by its unset references. A reference of
// the object to itself does not count. The same reference twice counts once. The function owner
// returns the reference with an index.
func Several(facts []OwnerFacts, owner func(int) graph.Owner) bool {
	first := -1
	for i := range facts {
		switch {
		case facts[i].Self || facts[i].OnDelete != graph.OnDeleteUnset:
		case first < 0:
			first = i
		case !owner(i).Same(owner(first)):
			return true
		}
	}
	return false
}
