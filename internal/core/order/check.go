package order

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Check verifies the invariants of Machine.
func (m *Machine) Check(v View) error {
	stales := 0
	for _, o := range m.sorted {
		if o.stale {
			stales++
		}
	}
	if len(m.sorted) != len(m.orders) || stales != m.stales || m.due != (len(m.opening) > 0) {
		return fmt.Errorf("order: %d of %d are sorted, and %d of %d are stale", len(m.sorted), len(m.orders), m.stales, stales)
	}
	for root, o := range m.orders {
		if !v.InUse(root) || o.root != root {
			return fmt.Errorf("order: the root %d is not in the graph", root)
		}
		if err := m.checkIndex(o); err != nil {
			return fmt.Errorf("order of %s: %w", v.Node(root).Key(), err)
		}
		if err := m.checkCounts(v, o); err != nil {
			return fmt.Errorf("order of %s: %w", v.Node(root).Key(), err)
		}
		if err := m.checkPhases(v, o); err != nil && !o.stale {
			return fmt.Errorf("order of %s: %w", v.Node(root).Key(), err)
		}
	}
	return nil
}

// checkIndex looks for an order in the lists of the machine.
func (m *Machine) checkIndex(o *order) error {
	walks := m.walk != nil && m.walk.order == o
	switch {
	case !slices.Contains(m.sorted, o):
		return errors.New("it is not among the sorted ones")
	case o.queued && !slices.Contains(m.stale, o.root), o.stale && !o.queued && !walks:
		return fmt.Errorf("stale %t, queued %t, and no walk will come", o.stale, o.queued)
	case o.fenced && !slices.Contains(m.fenced, o.root) && !slices.Contains(m.opening, o.root), o.cleared != 0 && !o.fenced:
		return fmt.Errorf("it waits for a fence %t, and is listed %t", o.cleared != 0, o.fenced)
	}
	for _, uid := range o.gone {
		if !slices.Contains(m.gone[uid], o.root) {
			return fmt.Errorf("%q went, and is not indexed", uid)
		}
	}
	return nil
}

// checkCounts counts the places of an order anew.
func (m *Machine) checkCounts(v View, o *order) error {
	want := counts{left: make([]int, len(o.left))}
	for id, p := range o.places {
		if !v.InUse(id) {
			return fmt.Errorf("it has a place for node %d, which is not in the graph", id)
		}
		if !slices.Contains(m.above[id], o.root) {
			return fmt.Errorf("the place of %s is not found", v.Node(id).Key())
		}
		if p.counted {
			want.left[p.done]++
			want.total++
			if p.del < p.own {
				want.forward++
			}
		}
		if p.status == goes && p.counted == p.after && !o.stale {
			return fmt.Errorf("%s goes and is not counted", v.Node(id).Key())
		}
	}
	if !slices.Equal(want.left, o.left) || want.total != o.total || want.forward != o.forward {
		return fmt.Errorf("%v, %d and %d are left, and it counts %v, %d and %d", want.left, want.total, want.forward, o.left, o.total, o.forward)
	}
	for i := range o.open {
		if o.left[i] > 0 && !o.stale {
			return fmt.Errorf("phase %d is open, and phase %d has %d objects", o.open, i, o.left[i])
		}
	}
	return nil
}

// checkPhases compares the phases of each object that goes with those of its owners.
func (m *Machine) checkPhases(v View, o *order) error {
	for id, p := range o.places {
		if p.status != goes {
			continue
		}
		if p.del > p.due || p.due > p.own || p.done < p.del || p.done > p.due {
			return fmt.Errorf("%s has the phases %d, %d, %d and %d", v.Node(id).Key(), p.own, p.due, p.del, p.done)
		}
		for q := range m.owners(v, o.places, id) {
			if p.due > q.due || q.del > p.del || q.done < p.done {
				return fmt.Errorf("%s has the phases %d, %d and %d, and an owner has %d, %d and %d",
					v.Node(id).Key(), p.due, p.del, p.done, q.due, q.del, q.done)
			}
		}
	}
	return nil
}

// Clone returns a machine that shares nothing with m but the guards. It begins the walk under
// way anew.
func (m *Machine) Clone() Machine {
	c := *m
	c.orders = make(map[graph.NodeID]*order, len(m.orders))
	for root, o := range m.orders {
		c.orders[root] = o.clone()
	}
	c.above, c.doomed = maps.Clone(m.above), maps.Clone(m.doomed)
	c.stale, c.ready, c.walk = slices.Clone(m.stale), slices.Clone(m.ready), nil
	c.fenced, c.opening, c.ended = slices.Clone(m.fenced), slices.Clone(m.opening), slices.Clone(m.ended)
	c.sorted = make([]*order, len(m.sorted))
	for i, o := range m.sorted {
		c.sorted[i] = c.orders[o.root]
	}
	c.gone = make(map[graph.UID][]graph.NodeID, len(m.gone))
	for uid, roots := range m.gone {
		c.gone[uid] = slices.Clone(roots)
	}
	if w := m.walk; w != nil && m.orders[w.order.root] == w.order && !c.orders[w.order.root].queued {
		c.orders[w.order.root].queued = true
		c.stale = slices.Insert(c.stale, 0, w.order.root)
	}
	return c
}

func (o *order) clone() *order {
	c := *o
	c.places = make(map[graph.NodeID]*place, len(o.places))
	for id, p := range o.places {
		p := *p
		c.places[id] = &p
	}
	c.sources, c.gone = maps.Clone(o.sources), slices.Clone(o.gone)
	c.left, c.waves = slices.Clone(o.left), slices.Clone(o.waves)
	c.waiting = make([][]graph.NodeID, len(o.waiting))
	for i, list := range o.waiting {
		c.waiting[i] = slices.Clone(list)
	}
	return &c
}
