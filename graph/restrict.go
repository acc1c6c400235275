package graph

import (
	"fmt"
	"iter"
	"maps"
)

// A reference with OnDeleteRestrict restricts its owner, as long as its object is unmarked, or has a
// mark that counts for no dependent by itself (RULES, E4). Few objects have such a reference, so maps
// have them, and not the records of nodes and edges.
//
// The mark of a restricted object counts for no dependent either: its role is withheld. Such a mark
// ends what the object itself restricts. Otherwise two marked objects that restrict each other would
// hold one another, and only if neither mark came first.

// restrictions is the index of these references.
type restrictions struct {
	of    map[NodeID]restriction // by the node of the owner
	links map[edgeID]edgeLinks   // the lists of of
	acts  map[NodeID]bool        // by the object of such references: whether they restrict
}

// restriction has the references with OnDeleteRestrict to one node. References of an object to itself
// are none.
type restriction struct {
	first      edgeID // the newest
	refs, acts int32  // their number, and that of those that restrict
}

type edgeLinks struct{ next, prev edgeID }

func (r *restrictions) clone() restrictions {
	return restrictions{maps.Clone(r.of), maps.Clone(r.links), maps.Clone(r.acts)}
}

// restricts reports whether the references of an object may restrict: it is unmarked, or its mark
// counts for no dependent, whatever restricts the object itself.
func (g *Graph) restricts(o *Object) bool { return !o.Deleting || g.ownRole(o) == withheld }

// addRestrict adds a reference with OnDeleteRestrict to the index.
func (g *Graph) addRestrict(e edgeID, dep, owner NodeID, o *Object) {
	if g.leadsBack(dep, owner) {
		return
	}
	r := &g.restrictions
	if r.of == nil {
		*r = restrictions{map[NodeID]restriction{}, map[edgeID]edgeLinks{}, map[NodeID]bool{}}
	}
	acts, known := r.acts[dep]
	if !known {
		acts = g.restricts(o)
		r.acts[dep] = acts
	}
	x := r.of[owner]
	if r.links[e] = (edgeLinks{next: x.first}); x.first != 0 {
		r.links[x.first] = edgeLinks{next: r.links[x.first].next, prev: e}
	}
	x.first = e
	x.refs++
	r.of[owner] = x
	if acts {
		g.countRestrict(owner, 1)
	}
}

// dropRestrict takes a reference out of the index, if it is there.
func (g *Graph) dropRestrict(e edgeID, dep, owner NodeID) {
	r := &g.restrictions
	at, ok := r.links[e]
	if !ok {
		return
	}
	if r.acts[dep] {
		g.countRestrict(owner, -1)
	}
	delete(r.links, e)
	x := r.of[owner]
	if at.prev == 0 {
		x.first = at.next
	} else {
		r.links[at.prev] = edgeLinks{next: at.next, prev: r.links[at.prev].prev}
	}
	if at.next != 0 {
		r.links[at.next] = edgeLinks{next: r.links[at.next].next, prev: at.prev}
	}
	if x.refs--; x.refs == 0 {
		delete(r.of, owner)
	} else {
		r.of[owner] = x
	}
	if len(r.links) == 0 { // maps keep their size
		*r = restrictions{}
	}
}

// reviewRestrict counts the references of an object whose mark has changed.
func (g *Graph) reviewRestrict(dep NodeID, o *Object) {
	r := &g.restrictions
	was, ok := r.acts[dep]
	if !ok || was == g.restricts(o) {
		return
	}
	r.acts[dep] = !was
	by := int32(1)
	if was {
		by = -1
	}
	for id := g.firstEdge(dep); id != 0; {
		e := g.edge(id)
		if _, ok := r.links[id]; ok {
			g.countRestrict(e.owner, by)
		}
		id = e.nextOwner
	}
}

// countRestrict counts a reference that begins or ceases to restrict a node. For a node that becomes
// restricted or free it updates the roles.
func (g *Graph) countRestrict(owner NodeID, by int32) {
	r := &g.restrictions
	x := r.of[owner]
	was := x.acts > 0
	x.acts += by
	if r.of[owner] = x; was == (x.acts > 0) {
		return
	}
	if !g.isClaim(owner) {
		g.restrictionChanged(owner)
		return
	}
	for o, n := g.aliveWithUIDOf(owner), 0; o != 0 && n < maxDuplicates; o, n = g.duplicates[o].next, n+1 {
		g.restrictionChanged(o)
	}
}

// restrictionChanged takes the role of a node that becomes restricted or free, and reports it.
func (g *Graph) restrictionChanged(id NodeID) {
	if g.delta.Restricted = append(g.delta.Restricted, id); g.at(id).state() == Observed && g.at(id).is(deletingMark) {
		o := g.object(id)
		g.at(id).setRole(g.roleAt(id, &o))
	}
}

// roleAt returns the role of an object at a node. The mark of a restricted object counts for no
// dependent.
func (g *Graph) roleAt(id NodeID, o *Object) role {
	if o.Deleting && g.isRestricted(id) {
		return withheld
	}
	return g.ownRole(o)
}

func (g *Graph) isRestricted(id NodeID) bool {
	r := &g.restrictions
	if len(r.of) == 0 {
		return false
	}
	return r.of[id].acts > 0 || r.of[g.claim(id)].acts > 0
}

// Restricted reports whether another object restricts the node: it refers to the node with
// OnDeleteRestrict, and it is unmarked, or its mark counts for no dependent because of a guard or a
// protection. An unresolved reference restricts each object with its UID. The mark of a restricted
// object counts for no dependent (RULES, E4).
//
//test:by TestRestricted TestNodeAgrees
func (n Node) Restricted() bool {
	return len(n.g.restrictions.of) > 0 && n.g.isRestricted(n.id) // a decision without restrictions makes no call
}

// RestrictedBy yields the objects that restrict the node, the newest reference first. One that refers
// to it twice comes twice. It looks at 4,096 references with OnDeleteRestrict at most, those of marked
// objects included.
//
//test:by TestRestricted
func (n Node) RestrictedBy() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		g := n.g
		if len(g.restrictions.of) == 0 {
			return
		}
		looked := 0
		for _, id := range [2]NodeID{n.id, g.claim(n.id)} {
			for e := g.restrictions.of[id].first; e != 0 && looked < maxSameUID; looked++ {
				_, dep := g.following(e)
				if e = g.restrictions.links[e].next; g.restrictions.acts[dep] && !yield(Node{g, dep}) {
					return
				}
			}
		}
	}
}

// checkRestrictions compares the index with all references.
func (g *Graph) checkRestrictions() error {
	links, of, acts := map[edgeID]bool{}, map[NodeID]restriction{}, map[NodeID]bool{}
	for dep := range g.ids() {
		for id := g.firstEdge(dep); id != 0; {
			e := g.edge(id)
			if g.onDelete(dep, int(e.slot)) == OnDeleteRestrict && !g.leadsBack(dep, e.owner) {
				o := g.object(dep)
				x := of[e.owner]
				acts[dep], links[id] = g.restricts(&o), true
				if x.refs++; acts[dep] {
					x.acts++
				}
				of[e.owner] = x
			}
			id = e.nextOwner
		}
	}
	r := &g.restrictions
	listed := 0
	for id, x := range r.of {
		n := int32(0)
		for e := x.first; e != 0; e = r.links[e].next {
			if n++; !links[e] {
				return fmt.Errorf("I11: node %d is restricted by edge %d, which is none", id, e)
			}
		}
		if listed += int(n); n != x.refs || of[id].refs != x.refs || of[id].acts != x.acts {
			return fmt.Errorf("I11: node %d has %d restricting references of %d, counted as %d of %d, listed %d", id, of[id].acts, of[id].refs, x.acts, x.refs, n)
		}
	}
	if listed != len(links) || len(r.links) != len(links) || !maps.Equal(acts, r.acts) {
		return fmt.Errorf("I11: %d restricting references of %d objects, found %d of %d", len(links), len(acts), listed, len(r.acts))
	}
	return nil
}
