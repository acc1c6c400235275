package graph

// Two observed objects with one UID are twins. A store promises that there are
// none, but some serve one object under two kinds, and none of them may cost
// the graph more than it does without. So the observed nodes with one UID are a
// list that is entered and left in one step.

// twin holds the links of a node in such a list, 0 at its ends. A node without
// twins has none.
type twin struct{ next, prev NodeID }

// mostTwins bounds how many nodes with one UID are looked at.
const mostTwins = 64

// Twinned reports whether another observed node has the node's UID. Nothing may
// be decided by either then: what is done to one may be done to the other, and
// only the store knows which of them a reference means.
func (n Node) Twinned() bool { return n.g.twins[n.id] != twin{} }

// Alive returns the observed node with the UID, wherever it lives. Of several,
// which no store may have, it is the one with the least key, so that the answer
// does not depend on the order of their events (up to 64 of them).
func (g *Graph) Alive(u UID) (Node, bool) {
	least, ok := g.alive[u]
	for id, n := g.twins[least].next, 1; id != 0 && n < mostTwins; id, n = g.twins[id].next, n+1 {
		if g.nodes[id].obj.Key.Compare(g.nodes[least].obj.Key) < 0 {
			least = id
		}
	}
	return Node{g, least}, ok
}

// enliven enters a node into the list of its UID.
func (g *Graph) enliven(id NodeID) {
	u := g.nodes[id].obj.UID
	first, ok := g.alive[u]
	g.alive[u] = id
	if ok {
		g.delta.Twin = true
		g.join(id, first)
	}
}

// bury takes a node out of the list of its UID.
func (g *Graph) bury(id NodeID) {
	u, t := g.nodes[id].obj.UID, g.twins[id]
	delete(g.twins, id)
	switch {
	case t == (twin{}):
		delete(g.alive, u)
	case t.prev == 0:
		g.alive[u] = t.next
	}
	g.join(t.prev, t.next)
}

// join makes b follow a. Either may be 0, for none.
func (g *Graph) join(a, b NodeID) {
	if a != 0 {
		g.relate(a, twin{next: b, prev: g.twins[a].prev})
	}
	if b != 0 {
		g.relate(b, twin{next: g.twins[b].next, prev: a})
	}
}

func (g *Graph) relate(id NodeID, t twin) {
	if t == (twin{}) {
		delete(g.twins, id)
		return
	}
	g.twins[id] = t
}
