package graph

import (
	"fmt"
	"iter"
	"maps"
)

// A reference may have the UID of a live object and other coordinates. It leads to a node of
// its own, which the watch does not show. The end of an orphaning counts it by the UID alone
// (RULES, Decisions): a mistake there keeps an object. The same-UID group of the live object
// therefore has the number of these references.
//
// A setting may read other coordinates as absence, as Kubernetes does. Such a reference is
// no reference to the live object, also for the end of an orphaning:
//
//	setting               the coordinates that have to be the owner's
//	none                  none
//	ScopeAbsent     the scope
//	NameAbsent      the name
//	both                  all

// isOrphanedBy reports whether the orphaning of an owner drops a reference with its UID at the
// coordinates of k, in a graph with these settings. An object in the scope dep has the reference.
//
//test:by TestElsewhere internal/core/orphaned.TestOf
func (c *Config) isOrphanedBy(dep string, k, owner Key) bool {
	scopes, names := c.Scope == ScopeHold, c.OwnerName != NameAbsent
	if !scopes && k.Scope != "" && dep != "" {
		k.Scope = dep // see resolve
	}
	return k == owner || (scopes || names) && (scopes || k.Scope == owner.Scope) && (names || k.Name == owner.Name)
}

// isKeptBy reports whether an owner keeps a dependent, by a reference with its UID and the
// coordinates of k. The dependent has the scope dep. While the owner lives, a reference with other
// coordinates is unknown: see Node.OwnerClass. Afterwards it is dangling.
//
//test:by TestKept
func (c *Config) isKeptBy(dep string, k, owner Key) bool {
	return k.Kind == owner.Kind && c.isOrphanedBy(dep, k, owner)
}

// sharedPlace returns the coordinate that two nodes with one UID have to share, so that a
// reference to one of them counts for the orphaning of the other. With false no two nodes
// share it.
func (g *Graph) sharedPlace(id NodeID) (shared string, ok bool) {
	scopes, names := g.cfg.Scope == ScopeHold, g.cfg.OwnerName != NameAbsent
	switch {
	case scopes && names:
		return "", true
	case scopes:
		return string(g.name(id)), true
	case names:
		return g.places[g.at(id).place].scope, true
	}
	return "", false
}

// HasUIDOf reports whether the node has the UID of another node.
func (n innerNode) HasUIDOf(id NodeID) bool { return n.g.hasUIDOf(n.id, id) }

// hasUIDOf reports whether both nodes have one UID.
func (g *Graph) hasUIDOf(a, b NodeID) bool {
	x, y := g.at(a), g.at(b)
	return x.uid == y.uid && x.is(textUID) == y.is(textUID) &&
		(!x.is(textUID) || string(g.facts(a).uid) == string(g.facts(b).uid))
}

// countElsewhere updates the counters of a same-UID group for one reference to a member. A
// reference of an object to its own UID never counts.
func (g *Graph) countElsewhere(dep, owner NodeID, d int32) {
	f := g.groupOf(owner)
	if g.hasUIDOf(dep, owner) {
		if f.own == nil {
			f.own = map[NodeID]int32{}
		}
		if f.own[owner] += d; f.own[owner] == 0 {
			delete(f.own, owner)
		}
		return
	}
	if g.at(owner).state() != Observed {
		g.addElsewhere(f, owner, d)
	}
}

// addElsewhere adds a number of references to a node that is not observed.
func (g *Graph) addElsewhere(f *uidGroup, owner NodeID, d int32) {
	shared, ok := g.sharedPlace(owner)
	if !ok || d == 0 || g.isClaim(owner) {
		return
	}
	if f.elsewhere == nil {
		f.elsewhere = map[string]int32{}
	}
	if f.elsewhere[shared] += d; f.elsewhere[shared] == 0 {
		delete(f.elsewhere, shared)
	}
}

// moveElsewhere updates the counters for all references to a member that was observed, with
// a positive sign, or that is about to be observed.
func (g *Graph) moveElsewhere(id NodeID, sign int32) {
	if g.at(id).is(groupHeadMark | groupMemberMark) {
		f := g.groupOf(id)
		g.addElsewhere(f, id, sign*(g.ownerRecordOf(id).refs-f.own[id]))
	}
}

// Elsewhere returns the number of references of other objects that have the UID of the
// observed node and other coordinates. They count for the end of its orphaning alone, and
// Referring leaves them out.
//
//test:by TestElsewhere
func (n innerNode) Elsewhere() int {
	if x := n.at(); x.state() != Observed || !x.is(groupHeadMark|groupMemberMark) {
		return 0
	}
	shared, ok := n.g.sharedPlace(n.id)
	if !ok {
		return 0
	}
	return int(n.g.groupOf(n.id).elsewhere[shared])
}

// OrphanedBy returns the object that orphans the dependents of the node, though the node
// has other coordinates: the node is a claim on its UID, or counts in its Elsewhere. Two
// objects with one UID orphan no such dependent, because a write to one may be a write to the
// other.
//
//test:by TestElsewhere
func (n innerNode) OrphanedBy() (Node, bool) {
	g, x := n.g, n.at()
	if x.state() == Observed || !x.is(groupHeadMark|groupMemberMark) {
		return Node{}, false
	}
	id := g.aliveWithUIDOf(n.id)
	if id == 0 || g.at(id).role() != orphaning || g.at(id).is(duplicateMark) || !g.isClaim(n.id) && !g.shares(n.id, id) {
		return Node{}, false
	}
	return Node{g, id}, true
}

// shares reports whether two nodes with one UID share what sharedPlace returns.
func (g *Graph) shares(a, b NodeID) bool {
	x, ok := g.sharedPlace(a)
	y, _ := g.sharedPlace(b)
	return ok && x == y
}

// Orphans yields the nodes that the orphaning of an observed node sets free: its Dependents,
// and then the dependents that count in Elsewhere. It looks at maxSameUID nodes with the UID
// at most.
//
//test:by TestElsewhere
func (n innerNode) Orphans() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for d := range n.Dependents() {
			if !yield(d) {
				return
			}
		}
		if n.Elsewhere() == 0 {
			return
		}
		g := n.g
		for _, id := range n.SameUID() {
			if g.at(id).state() == Observed || g.isClaim(id) || !g.shares(id, n.id) {
				continue
			}
			for e := g.ownerRecordOf(id).firstDep; e != 0; {
				next, dep := g.following(e)
				if e = next; !g.hasUIDOf(dep, n.id) && !yield(Node{g, dep}) {
					return
				}
			}
		}
	}
}

// OwnersElsewhere returns the references of the node whose UID lives at other coordinates, in
// their order. It leaves out the node's own UID, and references that name a UID alone.
//
//test:by TestOwnersElsewhere
func (n innerNode) OwnersElsewhere() (out []OwnerElsewhere) {
	g := n.g
	for i, o := range n.OwnerNodes() {
		if o.State() == Observed || o.inner().ByUID() || n.HasUIDOf(o.ID()) {
			continue
		}
		if id := g.leastDuplicate(g.aliveWithUIDOf(o.ID())); id != 0 {
			out = append(out, OwnerElsewhere{Owner: n.OwnerAt(i), Lives: g.key(id)})
		}
	}
	return out
}

// fanMembers puts the cursor of a same-UID group on its first node, for the fan-out of an
// observed member. It reports whether another node is there.
func (g *Graph) fanMembers(id NodeID) bool {
	x := g.at(id)
	if x.state() != Observed || !x.is(groupHeadMark|groupMemberMark) {
		return false
	}
	f := g.groupOf(id)
	f.fan, f.fanHead = f.first, true
	return true
}

// FanMember returns the next other node with the UID of a node that fans out, and moves the
// cursor. It returns false at the end. The references to such a node may count for the node
// that fans out: the unresolved ones and those of Elsewhere.
//
//test:by TestFanMembers
func (g inner) FanMember(id NodeID) (NodeID, bool) {
	x := g.at(id)
	if x.state() != Observed || !x.is(groupHeadMark|groupMemberMark) {
		return 0, false
	}
	f := g.groupOf(id)
	for {
		next := f.fan
		switch {
		case f.fanHead:
			f.fanHead = false
			next = g.head(id)
		case next == 0:
			return 0, false
		default:
			f.fan = g.groupLinks[next].next
		}
		if g.at(next).state() != Observed {
			return next, true
		}
	}
}

// head returns the node of the index with the UID of a node.
func (g *Graph) head(id NodeID) NodeID {
	x := g.at(id)
	var scratch [64]byte
	return g.withUID(packed{x.uid, x.is(textUID)}, UID(g.appendUID(scratch[:0], id)))
}

// checkElsewhere compares the counters of a same-UID group with its lists.
func (g *Graph) checkElsewhere(u UID, f *uidGroup, head NodeID) error {
	elsewhere, own := map[string]int32{}, map[NodeID]int32{}
	for id := head; id != 0; {
		for e := g.ownerRecordOf(id).firstDep; e != 0; {
			next, dep := g.following(e)
			shared, ok := g.sharedPlace(id)
			switch {
			case g.leadsBack(dep, id):
			case g.hasUIDOf(dep, id):
				own[id]++
			case ok && g.at(id).state() != Observed && !g.isClaim(id):
				elsewhere[shared]++
			}
			e = next
		}
		if id == head {
			id = f.first
		} else {
			id = g.groupLinks[id].next
		}
	}
	if !maps.Equal(elsewhere, f.elsewhere) || !maps.Equal(own, f.own) {
		return fmt.Errorf("I4: UID %q: counts %v elsewhere and %v of its own, has %v and %v", u, f.elsewhere, f.own, elsewhere, own)
	}
	return nil
}
