package order

import (
	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// maxAbove bounds the owners that tell whether an object hangs below a root. An object with
// more of them counts as hanging below it.
const maxAbove = 256

// TryDelete returns true if the delete of an object has to wait for its phase. The object is
// then decided again when the phase opens. Holder is the holder whose sweep deletes the object, 0
// without one. The sweep of a holder below the root deletes its members in the sweep's own
// phases, because the holder goes only after them.
func (m *Machine) TryDelete(v View, id, holder observed.NodeID) (wait bool) {
	phase := m.phaseOf(id, holder)
	if phase < 0 && m.tryHang(v, id) {
		phase = m.phaseOf(id, holder)
	}
	if phase <= 0 {
		return false
	}
	for o, p := range m.all(id) {
		if !m.delays(o, p, holder) || !o.stale && phase <= o.open {
			continue
		}
		if p.status == stays && holder == 0 && !o.stale {
			m.doomed[id] = struct{}{} // it goes after all, and has to be counted
			m.setStale(v, o)
		}
		o.wants(id, p, phase)
		return true
	}
	return false
}

// delays reports whether an order delays a delete of an object with this place.
func (m *Machine) delays(o *order, p *place, holder observed.NodeID) bool {
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
func (m *Machine) phaseOf(id, holder observed.NodeID) int {
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

// tryHang gives an object a place in each stale order to which its owners lead, because no walk
// may have come to it. It reports whether there is one.
func (m *Machine) tryHang(v View, id observed.NodeID) bool {
	if len(m.stale) == 0 && m.walk == nil {
		return false
	}
	is, seen, known := false, []observed.NodeID{id}, map[observed.NodeID]bool{id: true}
	for at := 0; at < len(seen) && len(seen) < maxAbove; at++ {
		for _, owner := range v.Node(seen[at]).OwnerNodes() {
			m.looked++
			for o, p := range m.all(owner.ID()) {
				if o.stale && (p.status == goes || p.status == gone || p.status == top) {
					m.join(v, o, id)
					is = true
				}
			}
			if !known[owner.ID()] {
				known[owner.ID()] = true
				seen = append(seen, owner.ID())
			}
		}
	}
	if len(seen) >= maxAbove {
		for _, o := range m.orders {
			if o.stale {
				m.join(v, o, id)
				is = true
			}
		}
	}
	return is
}

// join gives an object below the root a place until a walk comes to it.
func (m *Machine) join(v View, o *order, id observed.NodeID) {
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
func (m *Machine) TryRelease(v View, id observed.NodeID) (wait bool) {
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
func (m *Machine) Spare(v View, id observed.NodeID) {
	if _, is := m.doomed[id]; is {
		delete(m.doomed, id)
		m.Keep(v, id)
	}
}

// Keep notes that an object stays for a reason that its owners do not show: see View.Stays.
func (m *Machine) Keep(v View, id observed.NodeID) {
	for o, p := range m.all(id) {
		if p.status == goes && !v.Node(id).Deleting() {
			m.setStale(v, o)
		}
	}
}
