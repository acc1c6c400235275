package graph

import (
	"slices"
	"strings"
)

// refer stores the references of a node and makes their edges, in their order. A
// reference without a UID has no edge, and its object is flawed.
func (g *Graph) refer(dep NodeID, o *Object) {
	plain := len(o.Owners) == 1 && g.isPlain(o.Scope, &o.Owners[0])
	last := edgeID(0)
	for i := range o.Owners {
		r := &o.Owners[i]
		if r.UID == "" {
			continue
		}
		owner := NodeID(0)
		if plain {
			owner = g.ownerNode(&r.Key)
		} else {
			k := g.resolve(o.Scope, *r)
			owner = g.ownerNode(&k)
		}
		if last == 0 {
			x := g.at(dep)
			x.owner, last = owner, edgeID(dep)
			x.set(blockMark, r.Block)
			x.set(controllerMark, r.Controller && plain)
		} else {
			e := furtherEdge | edgeID(g.edges.add(edge{dep: dep, owner: owner, slot: int32(i), block: r.Block}))
			if last&furtherEdge != 0 {
				g.edges.at(uint32(last &^ furtherEdge)).nextOwner = e
			} else {
				g.makeOwnerRecord(dep).more = e
			}
			last = e
		}
		g.link(last, dep, owner, r.Block)
		if r.OnDelete == OnDeleteRestrict {
			g.addRestrict(last, dep, owner, o)
		}
	}
	if plain && o.Owners[0].OnDelete == OnDeleteUnset || len(o.Owners) == 0 {
		g.dropOwners(dep)
	} else {
		g.keepOwners(dep, o.Owners)
	}
}

// isPlain reports whether the node of the owner and two marks express the whole reference
// of an object in the scope, without OnDelete.
func (g *Graph) isPlain(scope string, r *Owner) bool {
	return r.UID != "" && !g.isByUID(r) && (g.cfg.Scope != ScopeAbsent || r.Scope == "" || scope == "" || r.Scope == scope)
}

// keepOwners stores a list of references with a copy of their text. The list never
// changes, so that clones may share it.
func (g *Graph) keepOwners(dep NodeID, owners []Owner) {
	p := g.page(dep)
	if p.owners == nil {
		p.owners = map[uint16][]Owner{}
	}
	var text strings.Builder
	n := 0
	for i := range owners {
		n += keyLen(&owners[i].Key)
	}
	text.Grow(n)
	owners = slices.Clone(owners)
	for i := range owners {
		owners[i].Key = cloneKeyTo(&owners[i].Key, &text)
	}
	p.owners[slotOf(dep)] = owners
	g.at(dep).set(ownersMark, true)
}

func (g *Graph) dropOwners(dep NodeID) {
	if x, p := g.at(dep), g.page(dep); x.is(ownersMark) {
		x.set(ownersMark, false)
		if delete(p.owners, slotOf(dep)); len(p.owners) == 0 {
			p.owners = nil
		}
	}
}

// onDelete returns the policy of the i-th reference of a node.
func (g *Graph) onDelete(dep NodeID, i int) OnDelete {
	if !g.at(dep).is(ownersMark) {
		return OnDeleteUnset
	}
	return g.page(dep).owners[slotOf(dep)][i].OnDelete
}

// plainOwner returns the one plain reference of a node.
func (g *Graph) plainOwner(dep NodeID) Owner {
	x := g.at(dep)
	return Owner{Key: g.key(x.owner), Block: x.is(blockMark), Controller: x.is(controllerMark)}
}

// refers reports whether the node has exactly these references.
func (g *Graph) refers(dep NodeID, o *Object) bool {
	x := g.at(dep)
	switch {
	case x.is(ownersMark):
		return slices.Equal(g.page(dep).owners[slotOf(dep)], o.Owners)
	case x.owner == 0 || len(o.Owners) != 1:
		return x.owner == 0 && len(o.Owners) == 0
	}
	r := &o.Owners[0]
	if x.is(blockMark) != r.Block || x.is(controllerMark) != r.Controller || r.OnDelete != OnDeleteUnset || !g.isPlain(o.Scope, r) {
		return false
	}
	return g.hasUID(x.owner, g.packUID(r.UID), r.UID) && g.isPlaced(x.owner, &r.Key)
}

// ownerNode returns the node with the coordinates, and makes one if none exists. Most
// objects come with others of the same owner, so the graph tries the last owner first.
func (g *Graph) ownerNode(k *Key) NodeID {
	var s location
	s.uid = g.packUID(k.UID)
	if last := g.lastOwner; last != 0 && g.inner().InUse(last) && g.hasUID(last, s.uid, k.UID) && g.isPlaced(last, k) {
		return last
	}
	if g.locatePacked(k, &s); s.id == 0 {
		s.id = g.addPhantom(k, &s)
		g.delta.Added = append(g.delta.Added, s.id)
	}
	g.lastOwner = s.id
	return s.id
}

// link adds an edge to its owner's list.
func (g *Graph) link(e edgeID, dep, owner NodeID, block bool) {
	h := g.makeOwnerRecord(owner)
	next := h.firstDep
	h.firstDep = e
	g.setLinks(e, next, 0)
	if next != 0 {
		g.setPrev(next, e)
	}
	g.count(h, dep, owner, block, 1)
}

// count updates the owner's counters. A self-reference never counts, neither directly nor
// through the claim on the object's own UID.
func (g *Graph) count(h *ownerRecord, dep, owner NodeID, block bool, d int32) {
	if g.leadsBack(dep, owner) {
		return
	}
	if g.at(owner).is(groupHeadMark | groupMemberMark) {
		g.countElsewhere(dep, owner, d)
	}
	h.refs += d
	if block {
		h.blocks += d
	}
}

// unlink removes the edges of a node's owner references. The references stay: see refer.
func (g *Graph) unlink(dep NodeID) {
	for id := g.firstEdge(dep); id != 0; {
		e := g.edge(id)
		h := g.makeOwnerRecord(e.owner)
		if h.fan == id {
			h.fan = e.next
		}
		if len(g.cursors) > 0 {
			g.passCursors(id, e.next)
		}
		if e.prev == 0 {
			h.firstDep = e.next
		} else {
			g.setNext(e.prev, e.next)
		}
		if e.next != 0 {
			g.setPrev(e.next, e.prev)
		}
		g.count(h, dep, e.owner, e.block, -1)
		if len(g.restrictions.links) > 0 {
			g.dropRestrict(id, dep, e.owner)
		}
		g.unused = append(g.unused, e.owner)
		if id&furtherEdge != 0 {
			g.edges.drop(uint32(id &^ furtherEdge))
		}
		if e.owner != dep {
			g.dropOwnerRecord(e.owner)
		}
		id = e.nextOwner
	}
	delete(g.restrictions.acts, dep)
	x := g.at(dep)
	x.owner, x.next, x.prev = 0, 0, 0
	x.set(blockMark|controllerMark, false)
	if x.record != 0 {
		g.makeOwnerRecord(dep).more = 0
		g.dropOwnerRecord(dep)
	}
}

// Fan puts the cursor of the node's fan-out on its first dependent. It reports whether a
// dependent exists, or another node with the UID of an observed node. The references to
// such a node have a fan-out of their own: see FanMember. The fan-out does not visit later
// references, because their own events report them.
func (g inner) Fan(id NodeID) bool {
	if others := g.fanMembers(id); g.at(id).record == 0 || others {
		if g.at(id).record != 0 {
			h := g.makeOwnerRecord(id)
			h.fan = h.firstDep
		}
		return others
	}
	h := g.makeOwnerRecord(id)
	h.fan = h.firstDep
	return h.fan != 0
}

// FanNext returns the next dependent of a fan-out and moves its cursor, or false at the
// end. It visits each reference once, a self-reference included. It does not visit a
// reference that leaves the list before its turn.
//
//test:by TestFanVisits
func (g inner) FanNext(id NodeID) (NodeID, bool) {
	if g.at(id).record == 0 {
		return 0, false
	}
	h := g.makeOwnerRecord(id)
	if h.fan == 0 {
		return 0, false
	}
	next, dep := g.following(h.fan)
	h.fan = next
	return dep, true
}
