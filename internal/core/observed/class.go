package observed

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Class says what an owner reference is, as far as it is known. It is the
// collector's classification (Kubernetes: solid, dangling, waiting for
// dependents deletion) with the fourth answer that Kubernetes hides in I/O.
type Class uint8

const (
	// ClassUnset is no class.
	ClassUnset Class = iota
	// Solid: the owner exists and does not wait for its dependents.
	Solid
	// Dangling: the owner is proven absent. That is stable (rule R2 of package policy).
	Dangling
	// Waiting: the owner is being deleted in the foreground and waits for its
	// dependents. That is not stable: it needs evidence to act on.
	Waiting
	// Unknown: not proven either way. Unknown never deletes anything.
	Unknown
)

var classNames = [...]string{"unset", "solid", "dangling", "waiting", "unknown"}

// String returns the class in lower case.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// OwnerClass classifies the node's i-th owner reference by what the graph
// alone holds. A self-reference is Solid only in name: callers leave it out
// (see SelfOwner). One without a UID is Unknown with UnresolvedScope; its object
// is flawed. The work does not depend on how many references there are, and it
// allocates nothing (held by TestManyOwners).
func (n Node) OwnerClass(i int) (Class, graph.Doubt) {
	owner := n.owner(i)
	scope := n.g.places[n.g.at(owner).place].scope
	if n.at().is(ownersMark) {
		r := &n.g.page(n.id).owners[slotOf(n.id)][i]
		switch {
		case r.Unresolved || r.UID == "":
			return Unknown, graph.UnresolvedScope
		case n.g.isByUID(r):
			return Unknown, graph.IgnoredKind
		}
		scope = r.Scope
	}
	if d := n.g.doubtScope(n.Scope(), scope); d != graph.DoubtUnset {
		return Unknown, d
	}
	return n.g.classOf(owner)
}

// FastKeep reports whether the graph alone shows that nobody asks for the node's end: it
// is observed, unmarked and flawless, no listing is about to leave it out, and its
// only owner, if it has one, is solid and unmarked, which is returned. Of any other
// node it says nothing: OwnerClass does. It takes a few instructions, for those who
// ask it of every node. Held by TestFastKeep.
func (n Node) FastKeep() (owner NodeID, ok bool) {
	g, x := n.g, n.at()
	at := &g.places[x.place]
	if x.state() != Observed || x.is(deletingMark|flawedMark|ownersMark) || x.epoch != g.kinds[at.kind].epoch {
		return 0, false
	}
	if x.owner == 0 {
		return 0, true
	}
	o := g.at(x.owner)
	if c, _ := g.classOf(x.owner); c != Solid || o.is(deletingMark) || x.owner == n.id {
		return 0, false
	}
	if o.place != x.place && g.doubtScope(at.scope, g.places[o.place].scope) != graph.DoubtUnset {
		return 0, false
	}
	return x.owner, true
}

// doubtScope holds what a reference's own text decides.
func (g *Graph) doubtScope(dep, owner string) graph.Doubt {
	switch {
	case owner == "":
		return graph.DoubtUnset
	case dep == "":
		return graph.ScopedOwner
	case owner != dep && g.cfg.Scope == graph.ScopeHold:
		return graph.ForeignScope
	}
	return graph.DoubtUnset
}

// classOf: an observed absence is proof whatever became of the kind since, but
// for a kind whose objects may not own, and where the UID lives elsewhere: no
// store may have that, and whether it was there before must not matter.
func (g *Graph) classOf(owner NodeID) (Class, graph.Doubt) {
	o := g.at(owner)
	k := &g.kinds[g.places[o.place].kind]
	switch {
	case k.known && k.info.NoOwner:
		return Unknown, graph.BannedOwner
	case o.state() == Absent && !k.info.NoOwner && g.elsewhere(owner) == graph.DoubtUnset:
		return Dangling, graph.DoubtUnset
	case !k.known:
		return Unknown, graph.UnservedKind
	case k.info.Unwatched:
		return g.classOfUnwatched(owner)
	case o.is(duplicateMark):
		return Unknown, graph.SharedUID
	case o.role() == waiting:
		return Waiting, graph.DoubtUnset
	case o.state() == Observed:
		return Solid, graph.DoubtUnset
	}
	if d := g.elsewhere(owner); d != graph.DoubtUnset {
		return Unknown, d
	}
	if !k.listed && !k.pruning {
		return Unknown, graph.Unlisted
	}
	return Unknown, graph.Unobserved
}

// classOfUnwatched: a read can tell of an owner whose kind is not watched, but not
// where it may live in another scope: that takes a fence of the kind. What was
// observed while the kind was watched says nothing any more.
func (g *Graph) classOfUnwatched(owner NodeID) (Class, graph.Doubt) {
	at := &g.places[g.at(owner).place]
	global := !g.kinds[at.kind].info.Scoped && at.scope == ""
	if g.at(owner).state() == Observed || !global && g.cfg.Scope == graph.ScopeHold {
		return Unknown, graph.UnservedKind
	}
	return Unknown, graph.Unobserved
}

// elsewhere returns how the UID of the unobserved node lives under the same kind
// at another place, where a rule is to hold such references: Misplaced under the
// same name, Renamed otherwise. Where a store has more twins than are looked at,
// it takes one of them to hold: that deletes nothing.
func (g *Graph) elsewhere(owner NodeID) graph.Doubt {
	scopes, names := g.cfg.Scope == graph.ScopeHold, g.cfg.OwnerName != graph.NameAbsent
	if !scopes && !names || !g.at(owner).is(groupHeadMark|groupMemberMark) {
		return graph.DoubtUnset
	}
	at, name := &g.places[g.at(owner).place], g.name(owner)
	found, n := graph.DoubtUnset, 0
	for id := g.aliveWithUIDOf(owner); id != 0; id = g.duplicates[id].next {
		if n++; n > maxDuplicates {
			break
		}
		o := &g.places[g.at(id).place]
		named := string(g.name(id)) == string(name)
		switch {
		case o.kind != at.kind || o.scope != at.scope && !scopes || !named && !names:
		case named:
			return graph.Misplaced
		default:
			found = graph.Renamed
		}
	}
	switch {
	case n <= maxDuplicates:
		return found
	case scopes:
		return graph.Misplaced
	}
	return graph.Renamed
}
