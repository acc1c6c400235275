package graph

// Nearly every UID belongs to one node, and the index leads from a UID to one node.
// Several nodes have one UID if two objects share it, if a reference has wrong
// coordinates, or if a claim on the UID exists. These nodes are a same-UID group. The
// index leads to the head of the group. A map finds the other members by their key. A
// list of them has the next head for the time when the head goes.

// uidGroup is the state of a UID that several nodes have.
type uidGroup struct {
	alive NodeID // the first of the observed nodes
	claim NodeID // the node of unresolved references to the UID
	first NodeID // the first of the members that are not in the index

	fan       NodeID           // the next member of the fan-out of an observed one
	fanHead   bool             // that fan-out has not visited the head
	elsewhere map[string]int32 // the references of others to nodes that are not observed, by sharedPlace
	own       map[NodeID]int32 // the references to a node of other nodes with its UID
}

func (g *Graph) groupOf(id NodeID) *uidGroup {
	var scratch [64]byte
	return g.groups[UID(g.appendUID(scratch[:0], id))]
}

// lookup returns the node with exactly these coordinates, or 0.
func (g *Graph) lookup(k *Key) NodeID {
	var s location
	g.locate(k, &s)
	return s.id
}

// location is the result of a key's lookup. It has all that a new node for the key needs.
type location struct {
	id    NodeID // the node with exactly these coordinates, or 0
	first NodeID // the node that the index has for the UID, or 0
	uid   packed
	hash  uint64 // of the UID
}

// locate looks a key up. It writes each field of the result in place, because a copy of
// the result would wait for all fields.
func (g *Graph) locate(k *Key, s *location) {
	s.uid = g.packUID(k.UID)
	g.locatePacked(k, s)
}

// locatePacked is locate for a key with a packed UID.
func (g *Graph) locatePacked(k *Key, s *location) {
	s.hash = g.index.hash(s.uid.uid)
	s.first = g.withHash(s.hash, s.uid, k.UID)
	g.choosePlaced(k, s)
}

// choosePlaced sets the id of the node with the coordinates, or 0. The field first has
// the index's node for the UID.
func (g *Graph) choosePlaced(k *Key, s *location) {
	switch s.id = s.first; {
	case s.id == 0 || g.isPlaced(s.id, k):
	case g.at(s.id).is(groupHeadMark):
		s.id = g.groupNodes[*k]
	default:
		s.id = 0
	}
}

// isPlaced reports whether the node has the kind, the scope and the name.
func (g *Graph) isPlaced(id NodeID, k *Key) bool {
	p := g.page(id)
	x := &p.nodes[slotOf(id)]
	if !g.places[x.place].is(k) {
		return false
	}
	if x.text == 0 || x.is(textUID|textVersion|longText) {
		return string(g.name(id)) == k.Name
	}
	b := p.textOf(x)
	if n := len(b) - 1; x.is(moreText) && b[n] < longForm { // a generation
		b = b[:n]
	} else if x.is(moreText) {
		b, _ = field(b)
	}
	return string(b) == k.Name
}

// isClaim reports whether the node stands for unresolved references to a UID.
func (g *Graph) isClaim(id NodeID) bool { return g.at(id).place == 0 && len(g.name(id)) == 0 }

// leadsBack reports whether a reference of dep to the node owner is a self-reference,
// directly or through the claim on its own UID.
func (g *Graph) leadsBack(dep, owner NodeID) bool {
	if dep == owner {
		return true
	}
	return g.at(dep).uid == g.at(owner).uid && g.isClaim(owner) && g.hasUIDOf(dep, owner)
}

// enterIndex adds a node under its key.
func (g *Graph) enterIndex(id NodeID, k *Key, s *location) {
	first := s.first
	if first == 0 {
		g.indexNode(id, s.hash)
		return
	}
	own := cloneKey(k)
	if !g.at(first).is(groupHeadMark) {
		f := &uidGroup{alive: g.aliveWithUIDOf(first)}
		if g.isClaim(first) {
			f.claim = first
		}
		if g.groups == nil {
			g.groups, g.groupNodes, g.groupLinks = map[UID]*uidGroup{}, map[Key]NodeID{}, map[NodeID]links{}
		}
		g.groups[own.UID] = f
		g.at(first).set(groupHeadMark, true)
		if g.at(first).state() != Observed {
			g.moveElsewhere(first, 1)
		}
	}
	g.at(id).set(groupMemberMark, true)
	g.groupNodes[own] = id
	f := g.groupOf(id)
	if g.isClaim(id) {
		f.claim = id
	}
	g.groupLinks[id] = links{next: f.first}
	if f.first != 0 {
		g.groupLinks[f.first] = links{next: g.groupLinks[f.first].next, prev: id}
	}
	f.first = id
}

// leaveIndex removes a node that is not observed from its key.
func (g *Graph) leaveIndex(id NodeID, k *Key) {
	x := g.at(id)
	switch {
	case x.is(groupMemberMark):
		g.leaveGroup(id, k)
		if f := g.groupOf(id); f.first == 0 {
			g.endGroup(k.UID, g.withUID(g.packUID(k.UID), k.UID))
		} else if f.claim == id {
			f.claim = 0
		}
	case x.is(groupHeadMark):
		f := g.groupOf(id)
		heir := f.first
		own := g.key(heir)
		f.fanHead = f.fanHead || f.fan == heir
		g.leaveGroup(heir, &own)
		g.swapIndexed(id, heir)
		g.at(heir).set(groupMemberMark, false)
		g.at(heir).set(groupHeadMark, true)
		if f.claim == id {
			f.claim = 0
		}
		if f.first == 0 {
			g.endGroup(k.UID, heir)
		}
	default:
		g.unindexNode(id)
	}
}

// leaveGroup removes a node from the list of its group.
func (g *Graph) leaveGroup(id NodeID, k *Key) {
	at := g.groupLinks[id]
	delete(g.groupLinks, id)
	delete(g.groupNodes, *k)
	f := g.groupOf(id)
	if f.fan == id {
		f.fan = at.next
	}
	if at.prev == 0 {
		f.first = at.next
	} else {
		g.groupLinks[at.prev] = links{next: at.next, prev: g.groupLinks[at.prev].prev}
	}
	if at.next != 0 {
		g.groupLinks[at.next] = links{next: g.groupLinks[at.next].next, prev: at.prev}
	}
}

// endGroup ends the group of a UID whose only node is last. Maps keep their size, so that
// the empty maps are made anew.
func (g *Graph) endGroup(u UID, last NodeID) {
	g.at(last).set(groupHeadMark, false)
	if delete(g.groups, u); len(g.groups) == 0 {
		g.groups, g.groupNodes, g.groupLinks, g.duplicates = nil, nil, nil, nil
	}
}
