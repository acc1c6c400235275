package graph

import "fmt"

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
func (n Node) OwnerClass(i int) (Class, Doubt) {
	owner := n.owner(i)
	scope := n.g.places[n.g.at(owner).place].scope
	if n.at().is(wideMark) {
		r := &n.g.page(n.id).wide[slotOf(n.id)][i]
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

// FastKeep reports whether the graph alone shows that nobody asks for the node's end: it
// is observed, unmarked and flawless, no listing is about to leave it out, and its
// only owner, if it has one, is solid and unmarked, which is returned. Of any other
// node it says nothing: OwnerClass does. It takes a few instructions, for those who
// ask it of every node. Held by TestFastKeep.
func (n Node) FastKeep() (owner NodeID, ok bool) {
	g, x := n.g, n.at()
	at := &g.places[x.place]
	if x.state() != Observed || x.is(deletingMark|flawedMark|wideMark) || x.epoch != g.kinds[at.kind].epoch {
		return 0, false
	}
	if x.owner == 0 {
		return 0, true
	}
	o := g.at(x.owner)
	if c, _ := g.classOf(x.owner); c != Solid || o.is(deletingMark) || x.owner == n.id {
		return 0, false
	}
	if o.place != x.place && g.doubtScope(at.scope, g.places[o.place].scope) != DoubtUnset {
		return 0, false
	}
	return x.owner, true
}

// doubtScope holds what a reference's own text decides.
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

// classOf: an observed absence is proof whatever became of the kind since, but
// for a kind whose objects may not own, and where the UID lives elsewhere: no
// store may have that, and whether it was there before must not matter.
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
	case o.is(twinMark):
		return Unknown, SharedUID
	case o.role() == waiting:
		return Waiting, DoubtUnset
	case o.state() == Observed:
		return Solid, DoubtUnset
	}
	if d := g.elsewhere(owner); d != DoubtUnset {
		return Unknown, d
	}
	if !k.listed && !k.pruning {
		return Unknown, Unlisted
	}
	return Unknown, Unobserved
}

// classOfUnwatched: a read can tell of an owner whose kind is not watched, but not
// where it may live in another scope: that takes a fence of the kind. What was
// observed while the kind was watched says nothing any more.
func (g *Graph) classOfUnwatched(owner NodeID) (Class, Doubt) {
	at := &g.places[g.at(owner).place]
	global := !g.kinds[at.kind].info.Scoped && at.scope == ""
	if g.at(owner).state() == Observed || !global && g.cfg.Scope == ScopeHold {
		return Unknown, UnservedKind
	}
	return Unknown, Unobserved
}

// elsewhere returns how the UID of the unobserved node lives under the same kind
// at another place, where a rule is to hold such references: Misplaced under the
// same name, Renamed otherwise. Where a store has more twins than are looked at,
// it takes one of them to hold: that deletes nothing.
func (g *Graph) elsewhere(owner NodeID) Doubt {
	scopes, names := g.cfg.Scope == ScopeHold, g.cfg.OwnerName != NameAbsent
	if !scopes && !names || !g.at(owner).is(sharedMark|kinMark) {
		return DoubtUnset
	}
	at, name := &g.places[g.at(owner).place], g.name(owner)
	found, n := DoubtUnset, 0
	for id := g.aliveLike(owner); id != 0; id = g.twins[id].next {
		if n++; n > mostTwins {
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
	case n <= mostTwins:
		return found
	case scopes:
		return Misplaced
	}
	return Renamed
}
