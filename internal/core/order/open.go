package order

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/queue"
)

// first returns the first phase that has objects left, or the last phase.
func (o *order) first() int {
	for i, n := range o.left {
		if n > 0 {
			return i
		}
	}
	return len(o.left) - 1
}

// update opens and closes phases after a change of the counts. A store without fences has no
// exact order: a phase opens at once there.
func (m *Machine) update(v View, o *order) {
	if o.stale {
		return
	}
	if o.total == 0 {
		v.Out.Look(o.root, queue.High)
	}
	low := o.first()
	if low < o.low {
		o.waves[low]++
	}
	if low != o.low {
		o.low, o.cleared = low, 0
	}
	switch {
	case low < o.open:
		o.open = low
		v.Out.Do(effect.Revoke)
		fallthrough
	case low == o.open:
		o.cleared = 0
		return
	case o.cleared == 0:
		o.cleared = v.Stamps.Stamp()
		m.await(o)
	}
	if v.Fence.Exact() && v.Fence.Passed() <= o.cleared {
		v.Out.WantFence(o.cleared)
		return
	}
	o.open, o.cleared = low, 0
	m.release(o, low)
}

// await lists an order that waits for a fence.
func (m *Machine) await(o *order) {
	if !o.fenced {
		o.fenced = true
		m.fenced = append(m.fenced, o.root)
	}
}

// FencePassed notes that a fence has passed.
func (m *Machine) FencePassed() { m.lookAtFenced() }

// lookAtFenced makes Step look again at the orders that wait for a fence.
func (m *Machine) lookAtFenced() {
	m.opening = append(m.opening, m.fenced...)
	m.fenced = nil
	slices.Sort(m.opening)
	m.due = len(m.opening) > 0
}

// openPhases opens the phases that have waited for a fence, of some orders.
func (m *Machine) openPhases(v View, budget int) {
	n := min(budget, len(m.opening))
	some := m.opening[:n]
	if m.opening = m.opening[n:]; len(m.opening) == 0 {
		m.opening, m.due = nil, false
	}
	for _, root := range some {
		m.looked++
		o := m.orders[root]
		if o == nil || !o.fenced {
			continue
		}
		o.fenced = false
		if m.update(v, o); o.cleared != 0 {
			m.await(o)
		}
	}
}

// release asks for new decisions of the objects that wait for a phase up to this one.
func (m *Machine) release(o *order, phase int) {
	for i := range o.waiting[:phase+1] {
		for _, id := range o.waiting[i] {
			if p := o.places[id]; p != nil {
				p.listed = false
			}
		}
		m.ready = append(m.ready, o.waiting[i]...)
		o.waiting[i] = nil
	}
}

// TakeBack closes all phases but the first ones: the fences that opened them prove nothing
// of a kind that has joined. The caller revokes the calls.
func (m *Machine) TakeBack() {
	for _, o := range m.orders {
		o.open, o.cleared = 0, 0
		m.await(o)
	}
	m.lookAtFenced()
}

// Rewind takes the orders back to their beginnings: their places may be of a history that the
// store has lost.
func (m *Machine) Rewind(v View) {
	clear(m.doomed)
	for _, o := range m.orders {
		o.gone = nil
	}
	clear(m.gone)
	m.ended = nil
	m.TakeBack()
	m.Doubt(v)
}

// Doubt asks for a new walk of all orders: the classes of many owners may have changed at once.
func (m *Machine) Doubt(v View) {
	for _, root := range slices.Sorted(maps.Keys(m.orders)) {
		m.setStale(v, m.orders[root])
	}
}

// wants lists an object that waits for a phase.
func (o *order) wants(id graph.NodeID, p *place, phase int) {
	if !p.listed {
		p.listed = true
		o.waiting[phase] = append(o.waiting[phase], id)
	}
}
