package order

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Observe takes the change that an event about the object with the key made. The engine begins
// and ends orders itself.
func (m *Machine) Observe(v View, d *graph.Delta, k graph.Key) {
	switch id := d.Node; {
	case id == 0:
	case d.Gone:
		m.leave(v, id, k.UID)
	case v.InUse(id) && v.Node(id).State() == graph.Observed && (d.Version || d.Class || d.Created || d.Observed):
		m.change(v, id, d)
	}
	if d.DuplicateUID || d.SharesUID {
		m.Doubt(v)
	}
	for _, f := range d.Freed {
		m.free(f.ID)
	}
}

// change takes the new state of an object.
func (m *Machine) change(v View, id graph.NodeID, d *graph.Delta) {
	delete(m.doomed, id)
	n, is := v.Node(id), d.Class || d.Created || d.Observed
	for o, p := range m.all(id) {
		if p.status == outside && is || (p.status == goes || p.status == stays || p.status == top) && m.differs(v, o, p, id) {
			m.setStale(v, o)
		}
	}
	for _, owner := range n.OwnerNodes() {
		m.looked++
		for o, p := range m.all(owner.ID()) {
			if p.status == goes || p.status == gone || p.status == top {
				m.arrive(v, o, id)
			}
		}
	}
	m.returnOwners(v, n)
}

// differs reports whether a changed object may have another place.
func (m *Machine) differs(v View, o *order, p *place, id graph.NodeID) bool {
	n := v.Node(id)
	x := n.Object()
	facts := factsOf(n, &x, uint8(PhaseOf(m.phases(o), x)))
	if p.status != stays { // its mark changes nothing
		return facts>>1 != p.facts>>1
	}
	return facts != p.facts
}

// arrive takes a new object below the root.
func (m *Machine) arrive(v View, o *order, id graph.NodeID) {
	if p := m.found(o, id); p != nil && p.status != outside {
		return
	}
	m.join(v, o, id)
	m.setStale(v, o)
}

// returnOwners takes an object whose owner has gone below a root before the watch showed the
// object.
func (m *Machine) returnOwners(v View, n graph.Node) {
	for i, owner := range n.OwnerNodes() {
		if owner.State() == graph.Observed {
			continue
		}
		for _, root := range m.goneBelow(n.OwnerAt(i).UID) {
			m.source(m.orders[root], owner.ID())
			m.arrive(v, m.orders[root], n.ID())
		}
	}
}

// goneBelow returns the roots below which an object with the UID went, sorted.
func (m *Machine) goneBelow(uid graph.UID) (roots []graph.NodeID) {
	for _, root := range m.gone[uid] {
		m.looked++
		if m.orders[root] != nil {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return roots
}

// went notes that an object with the UID went below a root.
func (m *Machine) went(o *order, uid graph.UID) {
	if !slices.Contains(m.gone[uid], o.root) {
		m.gone[uid] = append(m.gone[uid], o.root)
		o.gone = append(o.gone, uid)
	}
}

// forget forgets some of the objects that went below roots which are gone.
func (m *Machine) forget(budget int) {
	n := min(budget, len(m.ended))
	for _, uid := range m.ended[:n] {
		roots := slices.DeleteFunc(m.gone[uid], func(root graph.NodeID) bool { return m.orders[root] == nil })
		if m.gone[uid] = roots; len(roots) == 0 {
			delete(m.gone, uid)
		}
	}
	if m.ended = m.ended[n:]; len(m.ended) == 0 {
		m.ended = nil
	}
}

// source notes an object that has gone and to which others refer: a walk begins there, too.
func (m *Machine) source(o *order, id graph.NodeID) {
	if _, is := o.sources[id]; is {
		return
	}
	o.sources[id] = struct{}{}
	m.know(o, id, &place{status: gone, free: true})
	if w := m.walk; w != nil && w.order == o && !w.over {
		w.addSource(id)
	}
}

// leave takes the end of an object.
func (m *Machine) leave(v View, id graph.NodeID, uid graph.UID) {
	delete(m.doomed, id)
	for _, root := range m.above[id] {
		o := m.orders[root]
		if o == nil {
			continue
		}
		went := m.took(o, id)
		switch {
		case went == goes:
			m.went(o, uid)
			if v.InUse(id) {
				m.source(o, id)
			}
		case went == stays || went == outside:
			m.setStale(v, o)
		}
		m.update(v, o)
	}
}

// took takes the end of an object in one order. It returns the finding of the walk.
func (m *Machine) took(o *order, id graph.NodeID) status {
	was := unset
	take := func(p *place, c *counts) {
		if p == nil {
			return
		}
		if p.counted {
			c.add(p, -1)
		}
		if was = max(was, p.status); p.status == goes {
			p.status = gone
		}
	}
	take(o.places[id], &o.counts)
	if w := m.walk; w != nil && w.order == o {
		take(w.places[id], &w.counts)
	}
	return was
}

// free forgets a node that left the graph. Its id may name another node later.
func (m *Machine) free(id graph.NodeID) {
	for _, root := range m.above[id] {
		if o := m.orders[root]; o != nil {
			delete(o.places, id)
			delete(o.sources, id)
			if w := m.walk; w != nil && w.order == o {
				delete(w.places, id)
			}
		}
	}
	delete(m.above, id)
	delete(m.doomed, id)
	m.End(id)
}
