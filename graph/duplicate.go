package graph

// Two observed objects with one UID are duplicates. A store promises that it has none,
// but some stores serve one object under two kinds. The observed nodes with one UID are a
// linked list, so that a node enters and leaves in one step.

// links are the neighbours of a node in a list, 0 at the ends.
type links struct{ next, prev NodeID }

// maxDuplicates bounds the nodes with one UID that one step looks at.
const maxDuplicates = 64

// SharesUID reports whether another observed node has the node's UID. The engine decides
// for neither of them, because a write to one may be a write to the other. Only the store
// can tell which one a reference means.
func (n innerNode) SharesUID() bool { return n.at().is(duplicateMark) }

// Alive returns the observed node with the UID, at any place. Of several nodes, which no
// store may have, it returns the one with the least key. The answer then does not depend
// on the order of their events, for up to 64 nodes.
func (g *Graph) Alive(u UID) (Node, bool) {
	first := g.alive(u)
	return Node{g, g.leastDuplicate(first)}, first != 0
}

// alive returns the first of the observed nodes with the UID, or 0.
func (g *Graph) alive(u UID) NodeID {
	id := g.withUID(g.packUID(u), u)
	if id == 0 {
		return 0
	}
	return g.aliveWithUIDOf(id)
}

// aliveWithUIDOf is alive for the UID of a node.
func (g *Graph) aliveWithUIDOf(id NodeID) NodeID {
	switch x := g.at(id); {
	case x.is(groupHeadMark | groupMemberMark):
		return g.groupOf(id).alive
	case x.state() == Observed:
		return id
	}
	return 0
}

// leastDuplicate returns the node with the least key in a list of duplicates.
func (g *Graph) leastDuplicate(first NodeID) NodeID {
	if first == 0 || !g.at(first).is(duplicateMark) {
		return first
	}
	least, key := first, g.key(first)
	for id, n := g.duplicates[first].next, 1; id != 0 && n < maxDuplicates; id, n = g.duplicates[id].next, n+1 {
		if k := g.key(id); k.Compare(key) < 0 {
			least, key = id, k
		}
	}
	return least
}

// addObserved adds a node to the list of its UID.
func (g *Graph) addObserved(id NodeID) {
	if !g.at(id).is(groupHeadMark | groupMemberMark) {
		return
	}
	f := g.groupOf(id)
	first := f.alive
	f.alive = id
	if first != 0 {
		g.delta.DuplicateUID = true
		g.linkDuplicates(id, first)
	}
}

// removeObserved removes a node from the list of its UID.
func (g *Graph) removeObserved(id NodeID) {
	if !g.at(id).is(groupHeadMark | groupMemberMark) {
		return
	}
	t := g.duplicates[id]
	g.setDuplicateLinks(id, links{})
	if t.prev == 0 {
		g.groupOf(id).alive = t.next
	}
	g.linkDuplicates(t.prev, t.next)
}

// linkDuplicates makes b follow a. Either may be 0, for none.
func (g *Graph) linkDuplicates(a, b NodeID) {
	if a != 0 {
		g.setDuplicateLinks(a, links{next: b, prev: g.duplicates[a].prev})
	}
	if b != 0 {
		g.setDuplicateLinks(b, links{next: g.duplicates[b].next, prev: a})
	}
}

func (g *Graph) setDuplicateLinks(id NodeID, t links) {
	g.at(id).set(duplicateMark, t != links{})
	if t == (links{}) {
		delete(g.duplicates, id)
		return
	}
	if g.duplicates == nil {
		g.duplicates = map[NodeID]links{}
	}
	g.duplicates[id] = t
}
