package order

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// maxAbove bounds the owners that tell whether an object hangs below a root. An object with
// more of them counts as hanging below it.
const maxAbove = 256

// maxJoined bounds the stale orders in which an object with more owners gets a place. It waits
// for one of them, and is decided again after the walk.
const maxJoined = 64

// joins are the places that an object lacks in stale orders, and gets by a commit. Nil is none.
type joins struct {
	id     graph.NodeID
	roots  []graph.NodeID          // that may have a place for the object after the commit: see Machine.above
	places map[graph.NodeID]*place // the new ones, by root
}

// joinsOf returns the places that an object lacks in the stale orders to which its owners lead,
// because no walk may have come to it.
func (m *Machine) joinsOf(v View, id graph.NodeID) (j *joins) {
	if !m.isUnplaced(id) {
		return nil
	}
	seen, known := []graph.NodeID{id}, map[graph.NodeID]bool{id: true}
	for at := 0; at < len(seen) && len(seen) < maxAbove; at++ {
		for _, owner := range v.Node(seen[at]).OwnerNodes() {
			m.looked++
			for o, p := range m.all(owner.ID()) {
				if o.stale && (p.status == goes || p.status == gone || p.status == top) {
					j = m.withJoin(v, j, o, id)
				}
			}
			if !known[owner.ID()] {
				known[owner.ID()] = true
				seen = append(seen, owner.ID())
			}
		}
	}
	if len(seen) < maxAbove {
		return j
	}
	if m.walk != nil && !m.walk.over {
		j = m.withStaleJoin(v, j, m.walk.order, id)
	}
	for _, root := range m.stale[:min(maxJoined, len(m.stale))] {
		j = m.withStaleJoin(v, j, m.orders[root], id)
	}
	return j
}

// withStaleJoin adds a place in an order that is stale and has none for the object.
func (m *Machine) withStaleJoin(v View, j *joins, o *order, id graph.NodeID) *joins {
	if o != nil && o.stale && m.found(o, id) == nil {
		return m.withJoin(v, j, o, id)
	}
	return j
}

// withJoin adds a place in an order, unless the object has or gets one there.
func (m *Machine) withJoin(v View, j *joins, o *order, id graph.NodeID) *joins {
	if p := m.foundJoined(j, o, id); p != nil && p.status != outside {
		return j
	}
	if j == nil {
		j = &joins{id: id, roots: slices.Clone(m.above[id]), places: map[graph.NodeID]*place{}}
	}
	j.places[o.root] = m.joinedPlace(v, o, id)
	if !slices.Contains(j.roots, o.root) {
		j.roots = append(j.roots, o.root)
	}
	return j
}

// commitJoins gives the object its places.
func (m *Machine) commitJoins(j *joins) {
	if j == nil {
		return
	}
	for _, root := range j.roots {
		if p := j.places[root]; p != nil {
			m.know(m.orders[root], j.id, p)
		}
	}
}

// foundJoined returns what found returns after the commit of the joins.
func (m *Machine) foundJoined(j *joins, o *order, id graph.NodeID) *place {
	if j != nil && j.id == id {
		if p := j.places[o.root]; p != nil {
			return p
		}
	}
	return m.found(o, id)
}

// allJoined yields what all yields for a node after the commit of its joins.
func (m *Machine) allJoined(j *joins, id graph.NodeID) func(yield func(*order, *place) bool) {
	return func(yield func(*order, *place) bool) {
		roots := m.above[id]
		if j != nil {
			roots = j.roots
		}
		for _, root := range roots {
			if o := m.orders[root]; o != nil {
				if p := m.foundJoined(j, o, id); p != nil && !yield(o, p) {
					return
				}
			}
		}
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
	if p := m.found(o, id); p == nil || p.status == outside {
		m.know(o, id, m.joinedPlace(v, o, id))
	}
}

// joinedPlace returns the place of an object below the root to which no walk has come.
func (m *Machine) joinedPlace(v View, o *order, id graph.NodeID) *place {
	n := v.Node(id)
	x := n.Object()
	p := &place{status: goes, own: uint8(PhaseOf(m.phases(o), x))}
	p.facts = factsOf(n, &x, p.own)
	return p
}
