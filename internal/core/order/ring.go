package order

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// upward yields the owners of an object, and the holders of which it is a member, as far as a walk
// has taken them up. Firm says that such an object ends only after this one, without any order:
// this one blocks the owner, or the holder waits for its members.
func (m *Machine) upward(v View, places map[graph.NodeID]*place, id graph.NodeID) func(yield func(at graph.NodeID, firm bool) bool) {
	return func(yield func(graph.NodeID, bool) bool) {
		n := v.Node(id)
		for i, owner := range n.OwnerNodes() {
			m.looked++
			at := ownerAt(v, owner)
			if isBelow(places[at]) && at != id && !yield(at, n.Inside(inside.Key{}).Blocks(i) && v.Node(at).Inside(inside.Key{}).Propagation() != graph.Orphan) {
				return
			}
		}
		if v.Holders == nil {
			return
		}
		for _, h := range v.Holders(id) {
			if isBelow(places[h]) && h != id && !yield(h, true) {
				return
			}
		}
	}
}

// ownerAt returns the node of an owner. For a claim on a UID that is the node with the UID.
func ownerAt(v View, owner graph.Node) graph.NodeID {
	if !owner.Inside(inside.Key{}).ByUID() {
		return owner.ID()
	}
	alive, _ := v.Graph.Alive(owner.Key().UID)
	return alive.ID()
}

// isBelow reports whether a walk has found an object below the root.
func isBelow(p *place) bool { return p != nil && (p.status == goes || p.status == stays) }

// rise marks the next objects above the root: it hangs below them, although they hang below it.
func (m *Machine) rise(v View, w *walk) {
	if w.at == len(w.upper) {
		w.next()
		return
	}
	id := w.upper[w.at]
	w.at++
	if !v.InUse(id) {
		return
	}
	if p := w.places[id]; p != nil && m.orders[id] != nil {
		p.after = p.status != top
		w.last = append(w.last, id)
	}
	for at := range m.upward(v, w.places, id) {
		if p := w.places[at]; !p.above {
			p.above = true
			w.upper = append(w.upper, at)
		}
	}
}

// exclude marks the next objects that end only after the root, or after another ordered root
// above it. The root waits for none of them, and no phase does: both would wait for ever.
func (m *Machine) exclude(v View, w *walk) {
	if w.at == len(w.last) {
		w.next()
		return
	}
	id := w.last[w.at]
	w.at++
	if !v.InUse(id) {
		return
	}
	for at, firm := range m.upward(v, w.places, id) {
		if p := w.places[at]; firm && !p.after {
			p.after = true
			w.last = append(w.last, at)
		}
	}
}

// rings is the search of a walk for the rings of the objects below the root. It is Tarjan's
// algorithm with the stack as data, so that it goes on in steps.
type rings struct {
	number, low map[graph.NodeID]int32 // by discovery, from 1
	path        []ringFrame
	stack       []graph.NodeID
	closed      map[graph.NodeID]bool
}

type ringFrame struct {
	id    graph.NodeID
	above []graph.NodeID // still to follow
}

// circle goes on with the search for rings. Without a sign of a ring there is none.
func (m *Machine) circle(v View, w *walk) {
	s := &w.search
	switch {
	case len(s.path) > 0:
		m.follow(v, w)
	case !w.rings || w.at == len(w.taken):
		w.search = rings{}
		w.next()
	default:
		id := w.taken[w.at]
		w.at++
		if s.number[id] == 0 && isBelow(w.places[id]) && v.InUse(id) {
			m.enter(v, w, id)
		}
	}
}

func (m *Machine) enter(v View, w *walk, id graph.NodeID) {
	s := &w.search
	if s.number == nil {
		s.number, s.low, s.closed = map[graph.NodeID]int32{}, map[graph.NodeID]int32{}, map[graph.NodeID]bool{}
	}
	n := int32(len(s.number) + 1)
	s.number[id], s.low[id] = n, n
	s.stack = append(s.stack, id)
	f := ringFrame{id: id}
	for at := range m.upward(v, w.places, id) {
		f.above = append(f.above, at)
	}
	s.path = append(s.path, f)
}

// follow follows one reference of the last object of the path, or leaves that object.
func (m *Machine) follow(v View, w *walk) {
	s := &w.search
	f := &s.path[len(s.path)-1]
	if len(f.above) == 0 {
		s.leave(w)
		return
	}
	at := f.above[0]
	f.above = f.above[1:]
	switch {
	case s.number[at] == 0 && isBelow(w.places[at]) && v.InUse(at):
		m.enter(v, w, at)
	case s.number[at] != 0 && !s.closed[at]:
		s.low[f.id] = min(s.low[f.id], s.number[at])
	}
}

// leave leaves the last object of the path. The first member of a ring closes the ring.
func (s *rings) leave(w *walk) {
	id := s.path[len(s.path)-1].id
	s.path = s.path[:len(s.path)-1]
	if n := len(s.path); n > 0 {
		up := s.path[n-1].id
		s.low[up] = min(s.low[up], s.low[id])
	}
	if s.low[id] != s.number[id] {
		return
	}
	for alone := s.stack[len(s.stack)-1] == id; ; {
		last := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		s.closed[last] = true
		if p := w.places[last]; p != nil && !alone {
			p.ring = s.number[id]
		}
		if last == id {
			return
		}
	}
}

// delays reports whether an order makes the owner stay until the dependent has gone. The owner
// goes before a dependent that stays, or that ends only after the root. In a ring ownership alone
// decides: each order knows only its own root, so two orders would differ.
func delays(owner, dependent *place) bool {
	return dependent.status == goes && !dependent.after && owner.rank < dependent.rank && (owner.ring == 0 || owner.ring != dependent.ring)
}
