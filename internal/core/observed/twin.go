package observed

import "github.com/ownergraph/ownergraph/graph"

// Two observed objects with one UID are twins. A store promises that there are
// none, but some serve one object under two kinds, and none of them may cost
// the graph more than it does without. So the observed nodes with one UID are a
// list that is entered and left in one step.

// links are a node's neighbours in a list, 0 at its ends.
type links struct{ next, prev NodeID }

// mostTwins bounds how many nodes with one UID are looked at.
const mostTwins = 64

// SharesUID reports whether another observed node has the node's UID. Nothing may
// be decided by either then: what is done to one may be done to the other, and
// only the store knows which of them a reference means.
func (n Node) SharesUID() bool { return n.at().is(twinMark) }

// Alive returns the observed node with the UID, wherever it lives. Of several,
// which no store may have, it is the one with the least key, so that the answer
// does not depend on the order of their events (up to 64 of them).
func (g *Graph) Alive(u graph.UID) (Node, bool) {
	first := g.alive(u)
	return Node{g, g.leastTwin(first)}, first != 0
}

// alive returns the first of the observed nodes with the UID, or 0.
func (g *Graph) alive(u graph.UID) NodeID {
	id := g.withUID(g.packUID(u), u)
	if id == 0 {
		return 0
	}
	return g.aliveLike(id)
}

// aliveLike is alive for the UID of a node.
func (g *Graph) aliveLike(id NodeID) NodeID {
	switch x := g.at(id); {
	case x.is(sharedMark | kinMark):
		return g.familyOf(id).alive
	case x.state() == Observed:
		return id
	}
	return 0
}

// leastTwin returns the one with the least key of a list of twins.
func (g *Graph) leastTwin(first NodeID) NodeID {
	if first == 0 || !g.at(first).is(twinMark) {
		return first
	}
	least, key := first, g.key(first)
	for id, n := g.twins[first].next, 1; id != 0 && n < mostTwins; id, n = g.twins[id].next, n+1 {
		if k := g.key(id); k.Compare(key) < 0 {
			least, key = id, k
		}
	}
	return least
}

// enliven enters a node into the list of its UID.
func (g *Graph) enliven(id NodeID) {
	if !g.at(id).is(sharedMark | kinMark) {
		return
	}
	f := g.familyOf(id)
	first := f.alive
	f.alive = id
	if first != 0 {
		g.delta.DuplicateUID = true
		g.joinTwins(id, first)
	}
}

// bury takes a node out of the list of its UID.
func (g *Graph) bury(id NodeID) {
	if !g.at(id).is(sharedMark | kinMark) {
		return
	}
	t := g.twins[id]
	g.relate(id, links{})
	if t.prev == 0 {
		g.familyOf(id).alive = t.next
	}
	g.joinTwins(t.prev, t.next)
}

// joinTwins makes b follow a. Either may be 0, for none.
func (g *Graph) joinTwins(a, b NodeID) {
	if a != 0 {
		g.relate(a, links{next: b, prev: g.twins[a].prev})
	}
	if b != 0 {
		g.relate(b, links{next: g.twins[b].next, prev: a})
	}
}

func (g *Graph) relate(id NodeID, t links) {
	g.at(id).set(twinMark, t != links{})
	if t == (links{}) {
		delete(g.twins, id)
		return
	}
	if g.twins == nil {
		g.twins = map[NodeID]links{}
	}
	g.twins[id] = t
}
