package graph

import (
	"fmt"
	"github.com/ownergraph/ownergraph/internal/core/fate"
)

// Class is the state of the owner of a reference, as far as it is known. The collector of
// Kubernetes has the classes solid, dangling and waiting for dependents deletion. Unknown is the
// fourth class: the collector of Kubernetes makes a call instead.
type Class uint8

const (
	// ClassUnset is no class.
	ClassUnset Class = iota
	// Solid: the owner exists and does not wait for its dependents. An owner in an orphan deletion
	// is solid, too: see Node.Orphaning.
	Solid
	// Dangling: the owner is proven absent. Dangling is stable (RULES, R2).
	Dangling
	// Waiting: the owner is being deleted in the foreground and waits for its dependents.
	// Waiting is not stable, so an action needs evidence of it.
	Waiting
	// Unknown: there is no proof that the owner exists, and no proof that it is absent. An unknown
	// owner never deletes a dependent.
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

// OwnerClass classifies the node's i-th owner reference by the graph alone. A
// self-reference is Solid in name only, and callers leave it out: see SelfOwner. A
// reference without a UID is Unknown with UnresolvedScope, and its object is flawed. The
// work does not depend on the number of references, and it allocates nothing.
//
//test:by TestManyOwners
func (n innerNode) OwnerClass(i int) (Class, Doubt) { return n.ownerClass(i, n.owner(i)) }

// ownerClass is OwnerClass for the reference to the node owner.
func (n Node) ownerClass(i int, owner NodeID) (Class, Doubt) {
	scope := n.g.places[n.g.at(owner).place].scope
	if n.at().is(ownersMark) {
		r := &n.g.page(n.id).owners[slotOf(n.id)][i]
		switch {
		case r.Unresolved || r.UID == "":
			return Unknown, UnresolvedScope
		case n.g.isByUID(r):
			return Unknown, IgnoredKind
		}
		scope = r.Scope
	}
	if d := n.g.doubtScope(n.Scope(), scope); d != DoubtUnset {
		return Unknown, d
	}
	return n.g.classOf(owner)
}

// Fast returns the fate of a node that is observed, unmarked and flawless, that no listing is about to
// leave out, and whose only owner, if any, has a plain reference without a policy. With fate.Owned and fate.Unlisted it returns the only owner.
// For another node it returns fate.Unset. It takes a few instructions, so the engine can
// call it for every node.
//
//test:by TestFast
func (n innerNode) Fast() (owner NodeID, _ fate.Fate) {
	g, x := n.g, n.at()
	at := &g.places[x.place]
	if x.is(ownersMark) || x.state() != Observed || x.is(deletingMark|flawedMark) || x.epoch != g.kinds[at.kind].epoch {
		return 0, fate.Unset
	}
	if x.owner == 0 {
		return 0, fate.Alone
	}
	o := g.at(x.owner)
	if o.place != x.place && g.doubtScope(at.scope, g.places[o.place].scope) != DoubtUnset {
		return 0, fate.Unset
	}
	switch c, doubt := g.classOf(x.owner); {
	case c == Solid && !o.is(deletingMark) && x.owner != n.id:
		return x.owner, fate.Owned
	case doubt == Unlisted:
		if _, orphans := g.Node(x.owner).inner().OrphanedBy(); !orphans {
			return x.owner, fate.Unlisted
		}
	}
	return 0, fate.Unset
}

// doubtScope returns the doubt that the scopes of a reference and its object decide.
func (g *Graph) doubtScope(dep, owner string) Doubt {
	switch {
	case owner == "":
		return DoubtUnset
	case dep == "":
		return ScopedOwner
	case owner != dep && g.cfg.Scope == ScopeHold:
		return ForeignScope
	}
	return DoubtUnset
}

// classOf: an observed absence stays proven when the store stops serving the kind. It is
// no proof for a kind whose objects may not own. It is no proof either while the UID
// lives at another place. No store may have that, and the order of the two events must
// not matter.
func (g *Graph) classOf(owner NodeID) (Class, Doubt) {
	o := g.at(owner)
	k := &g.kinds[g.places[o.place].kind]
	switch {
	case k.known && k.info.NoOwner:
		return Unknown, BannedOwner
	case o.state() == Absent && !k.info.NoOwner && g.elsewhere(owner) == DoubtUnset:
		return Dangling, DoubtUnset
	case !k.known:
		return Unknown, UnservedKind
	case k.info.Unwatched:
		return g.classOfUnwatched(owner)
	case o.is(duplicateMark):
		return Unknown, SharedUID
	case o.role() == waiting:
		return Waiting, DoubtUnset
	case o.state() == Observed:
		return Solid, DoubtUnset
	}
	if d := g.elsewhere(owner); d != DoubtUnset {
		return Unknown, d
	}
	return Unknown, k.doubtUnobserved()
}

// doubtUnobserved returns the doubt about an object of a watched kind that was not observed.
func (k *kind) doubtUnobserved() Doubt {
	if !k.listed && !k.pruning {
		return Unlisted
	}
	return Unobserved
}

// classOfUnwatched: a read can find an owner whose kind is not watched. It cannot tell
// whether the owner lives in another scope, because that takes a fence of the kind. An
// observation from before, when the kind was watched, proves nothing.
func (g *Graph) classOfUnwatched(owner NodeID) (Class, Doubt) {
	if g.at(owner).state() == Observed {
		return Unknown, UnservedKind
	}
	at := &g.places[g.at(owner).place]
	return Unknown, g.doubtUnwatched(&g.kinds[at.kind], at.scope)
}

// doubtUnwatched returns the doubt about an object of an unwatched kind in a scope.
func (g *Graph) doubtUnwatched(k *kind, scope string) Doubt {
	global := !k.info.Scoped && scope == ""
	if !global && g.cfg.Scope == ScopeHold {
		return UnservedKind
	}
	return Unobserved
}

// elsewhere returns the place at which the UID of an unobserved node lives under the same
// kind, if a rule keeps such references unknown. Misplaced stands for the same name, and Renamed
// for another name. If a store has more nodes with one UID than maxDuplicates, one of the
// others is taken to be the one that the reference means. That deletes nothing.
func (g *Graph) elsewhere(owner NodeID) Doubt {
	if !g.at(owner).is(groupHeadMark | groupMemberMark) {
		return DoubtUnset
	}
	return g.livesElsewhere(g.aliveWithUIDOf(owner), &g.places[g.at(owner).place], g.name(owner))
}

// livesElsewhere is elsewhere for coordinates, and the first of the observed nodes with their UID.
func (g *Graph) livesElsewhere(first NodeID, at *place, name []byte) Doubt {
	scopes, names := g.cfg.Scope == ScopeHold, g.cfg.OwnerName != NameAbsent
	if !scopes && !names {
		return DoubtUnset
	}
	found, n := DoubtUnset, 0
	for id := first; id != 0; id = g.duplicates[id].next {
		if n++; n > maxDuplicates {
			break
		}
		o := &g.places[g.at(id).place]
		named := string(g.name(id)) == string(name)
		switch {
		case o.kind != at.kind || o.scope != at.scope && !scopes || !named && !names:
		case named:
			return Misplaced
		default:
			found = Renamed
		}
	}
	switch {
	case n <= maxDuplicates:
		return found
	case scopes:
		return Misplaced
	}
	return Renamed
}
