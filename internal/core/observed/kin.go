package observed

import "github.com/ownergraph/ownergraph/graph"

// Nearly every UID is that of one node, so the index leads from a UID to one
// node. Where several have it (twins, a reference with wrong coordinates, a claim
// on the UID alone), the others are its kin: they are found by their key, in a
// map of their own, and are a list by which one takes its place when it leaves.

// family is what is known of a UID that several nodes have.
type family struct {
	alive NodeID // the first of the list of twins
	claim NodeID // the node of unresolved references to the UID
	kin   NodeID // the first of the list of those that are not in the index
}

func (g *Graph) familyOf(id NodeID) *family {
	var room [64]byte
	return g.families[graph.UID(g.appendUID(room[:0], id))]
}

// lookup returns the node with exactly these coordinates, or 0.
func (g *Graph) lookup(k *graph.Key) NodeID {
	var s sought
	g.seek(k, &s)
	return s.id
}

// sought is what the look-up of a key came to: all that is of use to whoever
// then makes a node for it.
type sought struct {
	id    NodeID // the node with exactly these coordinates, or 0
	first NodeID // the one that the index has for its UID, or 0
	uid   packed
	hash  uint64 // of the UID
}

// seek looks a key up. What it finds is written field by field where it is to
// stand, since the copy of a result has to wait for all of its parts.
func (g *Graph) seek(k *graph.Key, s *sought) {
	s.uid = g.packUID(k.UID)
	g.find(k, s)
}

// find is that for a key whose UID is packed already.
func (g *Graph) find(k *graph.Key, s *sought) {
	s.hash = g.index.hash(s.uid.uid)
	s.first = g.withHash(s.hash, s.uid, k.UID)
	g.placed(k, s)
}

// placed makes the id that of the node with the coordinates, or 0; the first is the
// one that the index has for their UID.
func (g *Graph) placed(k *graph.Key, s *sought) {
	switch s.id = s.first; {
	case s.id == 0 || g.isPlaced(s.id, k):
	case g.at(s.id).is(sharedMark):
		s.id = g.others[*k]
	default:
		s.id = 0
	}
}

// isPlaced reports whether the node has the kind, the scope and the name.
func (g *Graph) isPlaced(id NodeID, k *graph.Key) bool {
	p := g.page(id)
	x := &p.nodes[slotOf(id)]
	if !g.places[x.place].is(k) {
		return false
	}
	if x.text == 0 || x.is(textUID|textVersion|longText) {
		return string(g.name(id)) == k.Name
	}
	b := p.textOf(x)
	if n := len(b) - 1; x.is(moreText) && b[n] < lengthy { // a generation
		b = b[:n]
	} else if x.is(moreText) {
		b, _ = field(b)
	}
	return string(b) == k.Name
}

// isClaim reports whether the node stands for unresolved references to a UID.
func (g *Graph) isClaim(id NodeID) bool { return g.at(id).place == 0 && len(g.name(id)) == 0 }

// leadsBack reports whether a reference of dep that is kept under owner is one
// to itself, directly or through the claim on its own UID.
func (g *Graph) leadsBack(dep, owner NodeID) bool {
	if dep == owner {
		return true
	}
	d, o := g.at(dep), g.at(owner)
	return d.uid == o.uid && g.isClaim(owner) && d.is(textUID) == o.is(textUID) &&
		(!d.is(textUID) || string(g.facts(dep).uid) == string(g.facts(owner).uid))
}

// enter makes a node found under its key.
func (g *Graph) enter(id NodeID, k *graph.Key, s *sought) {
	first := s.first
	if first == 0 {
		g.indexNode(id, s.hash)
		return
	}
	own := cloneKey(k)
	if !g.at(first).is(sharedMark) {
		f := &family{alive: g.aliveLike(first)}
		if g.isClaim(first) {
			f.claim = first
		}
		if g.families == nil {
			g.families, g.others, g.kin = map[graph.UID]*family{}, map[graph.Key]NodeID{}, map[NodeID]links{}
		}
		g.families[own.UID] = f
		g.at(first).set(sharedMark, true)
	}
	g.at(id).set(kinMark, true)
	g.others[own] = id
	f := g.familyOf(id)
	if g.isClaim(id) {
		f.claim = id
	}
	g.kin[id] = links{next: f.kin}
	if f.kin != 0 {
		g.kin[f.kin] = links{next: g.kin[f.kin].next, prev: id}
	}
	f.kin = id
}

// leave makes a node that is not observed found no more.
func (g *Graph) leave(id NodeID, k *graph.Key) {
	x := g.at(id)
	switch {
	case x.is(kinMark):
		g.leaveKin(id, k)
		if f := g.familyOf(id); f.kin == 0 {
			g.endFamily(k.UID, g.withUID(g.packUID(k.UID), k.UID))
		} else if f.claim == id {
			f.claim = 0
		}
	case x.is(sharedMark):
		f := g.familyOf(id)
		heir := f.kin
		own := g.key(heir)
		g.leaveKin(heir, &own)
		g.swapIndexed(id, heir)
		g.at(heir).set(kinMark, false)
		g.at(heir).set(sharedMark, true)
		if f.claim == id {
			f.claim = 0
		}
		if f.kin == 0 {
			g.endFamily(k.UID, heir)
		}
	default:
		g.unindexNode(id)
	}
}

// leaveKin takes a node out of the list of its family.
func (g *Graph) leaveKin(id NodeID, k *graph.Key) {
	at := g.kin[id]
	delete(g.kin, id)
	delete(g.others, *k)
	if at.prev == 0 {
		g.familyOf(id).kin = at.next
	} else {
		g.kin[at.prev] = links{next: at.next, prev: g.kin[at.prev].prev}
	}
	if at.next != 0 {
		g.kin[at.next] = links{next: g.kin[at.next].next, prev: at.prev}
	}
}

// endFamily ends the family of a UID that only the node last has. Maps keep the
// room of what they have held, so those that are empty are made anew.
func (g *Graph) endFamily(u graph.UID, last NodeID) {
	g.at(last).set(sharedMark, false)
	if delete(g.families, u); len(g.families) == 0 {
		g.families, g.others, g.kin, g.twins = nil, nil, nil, nil
	}
}
