package order

import "github.com/ownergraph/ownergraph/graph"

// pass derives the phases of the next object that goes. Due phases go from owners to
// dependents, and the others from dependents to owners. Without a ring one pass suffices.
func (m *Machine) pass(v View, w *walk) {
	if w.at == len(w.ids) {
		if w.rings && w.again {
			w.at, w.again = 0, false
		} else {
			w.next()
		}
		return
	}
	id := w.ids[w.at]
	if w.stage != passingDue {
		id = w.ids[len(w.ids)-1-w.at]
	}
	w.at++
	if p := w.places[id]; p != nil && p.status == goes {
		w.derive(p, m.owners(v, w.places, id))
		w.deriveHolders(v, p, id)
	}
}

// deriveHolders derives the due phase of a place, or the done phases of the holders of its object.
func (w *walk) deriveHolders(v View, p *place, id graph.NodeID) {
	if v.Holders == nil || w.stage == passingDelete {
		return
	}
	for _, h := range v.Holders(id) {
		switch q := w.places[h]; {
		case q == nil || q.status != goes || h == id:
		case w.stage == passingDue:
			w.rings = true // a holder has no rank before its members
			w.lower(&p.due, q.due)
			p.del = p.due
		default:
			w.raise(&q.done, p.done)
		}
	}
}

// owners yields the places of the owners of a node that go. An owner with several references
// comes several times.
func (m *Machine) owners(v View, places map[graph.NodeID]*place, id graph.NodeID) func(yield func(*place) bool) {
	return func(yield func(*place) bool) {
		for _, owner := range v.Node(id).OwnerNodes() {
			m.looked++
			at := ownerAt(v, owner)
			if p := places[at]; p != nil && p.status == goes && at != id && !yield(p) {
				return
			}
		}
	}
}

// derive derives one phase of a place, or those of its owners.
func (w *walk) derive(p *place, owners func(yield func(*place) bool)) {
	switch w.stage {
	case passingDue:
		for o := range owners {
			w.lower(&p.due, o.due)
		}
		p.del = p.due
	case passingDelete:
		for o := range owners {
			w.lower(&o.del, p.del)
		}
	case passingDone:
		w.raise(&p.done, p.del)
		for o := range owners {
			w.raise(&o.done, p.done)
		}
	}
}

func (w *walk) lower(phase *uint8, to uint8) {
	if to < *phase {
		*phase, w.again = to, true
	}
}

func (w *walk) raise(phase *uint8, to uint8) {
	if to > *phase {
		*phase, w.again = to, true
	}
}

// count counts the next object below the root, and the references that delay no owner. Those
// of the root are among them.
func (m *Machine) count(v View, w *walk) {
	if w.at == len(w.taken) {
		w.next()
		return
	}
	if w.at == 0 {
		for o := range m.owners(v, w.places, w.order.root) {
			o.kept++
		}
	}
	id := w.taken[w.at]
	w.at++
	p := w.places[id]
	if p == nil || p.status != goes && p.status != stays {
		return
	}
	for o := range m.owners(v, w.places, id) {
		if !delays(o, p) {
			o.kept++
		}
	}
	if p.status == goes && !p.after {
		w.add(p, 1)
	}
	if p.status == goes && v.Unproven != nil && v.Unproven(id) { // it may stay
		m.ready = append(m.ready, id)
	}
}

// endWalk puts the result of a walk in force. All objects that wait are decided again.
func (m *Machine) endWalk(v View, w *walk) {
	o := w.order
	o.places, o.counts, o.stale = w.places, w.counts, false
	m.stales--
	m.dropWalk(v)
	for id := range o.sources {
		if p := o.places[id]; p == nil || p.status != gone {
			delete(o.sources, id)
		}
	}
	m.release(o, len(o.waiting)-1)
	if !o.fresh {
		o.fresh, o.low = true, o.first()
	}
	m.update(v, o)
}
