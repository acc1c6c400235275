package order

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// maxAbove bounds the owners that tell whether an object hangs below a root. An object with
// more of them counts as hanging below it.
const maxAbove = 256

// TryDelete returns true if the delete of an object has to wait for its phase. The object is
// then decided again when the phase opens. Holder is the holder whose sweep deletes the object, 0
// without one. The sweep of a holder below the root deletes its members in the sweep's own
// phases, because the holder goes only after them.
func (m *Machine) TryDelete(v View, id, holder graph.NodeID) (wait bool) {
	m.placeAll(v, id)
	phase := m.phaseOf(id, holder)
	if phase <= 0 {
		return false
	}
	for o, p := range m.all(id) {
		if !m.delays(o, p, holder) || !o.stale && phase <= o.open {
			continue
		}
		switch {
		case o.stale:
		case p.status == stays && holder == 0:
			m.doomed[id] = struct{}{} // it goes after all, and has to be counted
			if !p.known {             // another walk would find the same, and ask for decisions of the object without end
				m.setStale(v, o)
			}
		case m.isDelayed(v, o, p, id):
			m.setStale(v, o)
		}
		o.wants(id, p, phase)
		return true
	}
	return false
}

// isDelayed reports whether the object is a member of a holder with an earlier due phase. The
// walk did not know that yet.
func (m *Machine) isDelayed(v View, o *order, p *place, id graph.NodeID) bool {
	return v.Holders != nil && slices.ContainsFunc(v.Holders(id), func(h graph.NodeID) bool {
		q := m.found(o, h)
		return q != nil && h != id && q.status == goes && q.due < p.due && p.status == goes
	})
}

// delays reports whether an order delays a delete of an object with this place.
func (m *Machine) delays(o *order, p *place, holder graph.NodeID) bool {
	if p.status != goes && p.status != stays {
		return false
	}
	if holder == 0 || holder == o.root {
		return true
	}
	h := m.found(o, holder)
	return h == nil || h.status == outside
}

// phaseOf returns the earliest of the delete phases of an object, -1 for one that no order
// delays.
func (m *Machine) phaseOf(id, holder graph.NodeID) int {
	phase := -1
	for o, p := range m.all(id) {
		if at := o.phaseAt(p); m.delays(o, p, holder) && (phase < 0 || at < phase) {
			phase = at
		}
	}
	return phase
}

// phaseAt returns the delete phase of a place. It is the object's own while the order is stale,
// and for an object that stays.
func (o *order) phaseAt(p *place) int {
	if o.stale || p.status == stays {
		return int(p.own)
	}
	return int(p.del)
}

// maxJoined bounds the stale orders in which an object with more owners gets a place. It waits
// for one of them, and is decided again after the walk.
const maxJoined = 64

// placeAll gives an object a place in each stale order to which its owners lead, because no walk
// may have come to it.
func (m *Machine) placeAll(v View, id graph.NodeID) {
	if !m.isUnplaced(id) {
		return
	}
	seen, known := []graph.NodeID{id}, map[graph.NodeID]bool{id: true}
	for at := 0; at < len(seen) && len(seen) < maxAbove; at++ {
		for _, owner := range v.Node(seen[at]).OwnerNodes() {
			m.looked++
			for o, p := range m.all(owner.ID()) {
				if o.stale && (p.status == goes || p.status == gone || p.status == top) {
					m.join(v, o, id)
				}
			}
			if !known[owner.ID()] {
				known[owner.ID()] = true
				seen = append(seen, owner.ID())
			}
		}
	}
	if len(seen) < maxAbove {
		return
	}
	if m.walk != nil && !m.walk.over {
		m.joinStale(v, m.walk.order, id)
	}
	for _, root := range m.stale[:min(maxJoined, len(m.stale))] {
		m.joinStale(v, m.orders[root], id)
	}
}

// joinStale gives an object a place in an order that is stale and has none for it.
func (m *Machine) joinStale(v View, o *order, id graph.NodeID) {
	if o != nil && o.stale && m.found(o, id) == nil {
		m.join(v, o, id)
	}
}

// isUnplaced reports whether a stale order has no place for an object. It looks only at the
// orders that have one.
//
//test:by TestManyStale
func (m *Machine) isUnplaced(id graph.NodeID) bool {
	n := m.stales
	for o := range m.all(id) {
		if o.stale {
			n--
		}
	}
	return n > 0
}

// join gives an object below the root a place until a walk comes to it.
func (m *Machine) join(v View, o *order, id graph.NodeID) {
	if p := m.found(o, id); p != nil && p.status != outside {
		return
	}
	n := v.Node(id)
	x := n.Object()
	p := &place{status: goes, own: uint8(PhaseOf(m.phases(o), x))}
	p.facts = factsOf(n, &x, p.own)
	m.know(o, id, p)
}

// TryRelease returns true if the end of a foreground deletion has to wait: of the root for all
// objects that go with it, and of another owner for its dependents that do. So the owners
// lead to the root as long as an object has a phase, and a crash loses no order.
func (m *Machine) TryRelease(v View, id graph.NodeID) (wait bool) {
	for o, p := range m.all(id) {
		switch {
		case p.status == top:
			wait = o.stale || o.total > 0
		case p.status == goes && v.Node(id).Waiting():
			wait = o.stale || v.Node(id).Referring() > int(p.kept)
		}
		if wait {
			o.wants(id, p, 0)
			return true
		}
	}
	return false
}

// Spare notes a decision that keeps an object.
func (m *Machine) Spare(v View, id graph.NodeID) {
	if _, is := m.doomed[id]; is {
		delete(m.doomed, id)
		m.Keep(v, id)
	}
}

// Keep notes that an object stays for a reason that its owners do not show: see View.Stays.
func (m *Machine) Keep(v View, id graph.NodeID) {
	for o, p := range m.all(id) {
		if p.status == goes && !v.Node(id).Deleting() {
			m.setStale(v, o)
		}
	}
}
