package order

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Status is the progress of one order. It shares nothing with the machine.
type Status struct {
	Root    graph.Key
	Guard   string
	Phases  []PhaseStatus
	Open    int // the number of phases that may delete
	Forward int // the objects whose delete phase is earlier than their own
	Stale   bool
}

// PhaseStatus is the progress of one phase. Left counts the objects that have to go before the
// next phase opens. Waves counts how often objects came back after the phase was empty.
type PhaseStatus struct {
	Name        string
	Left, Waves int
}

// Statuses returns the progress of at most limit orders, by root. It looks at no others.
func (m *Machine) Statuses(v View, limit int) []Status {
	out := make([]Status, 0, min(max(limit, 0), len(m.sorted)))
	for _, o := range m.sorted[:cap(out)] {
		out = append(out, m.status(v, o))
	}
	return out
}

func (m *Machine) status(v View, o *order) Status {
	s := Status{Root: o.key, Guard: m.guardName(o.guard), Open: o.open + 1, Forward: o.forward, Stale: o.stale}
	if o.stale {
		s.Open = 1
	}
	for i, n := range o.left {
		s.Phases = append(s.Phases, PhaseStatus{m.phaseName(o, i), n, o.waves[i]})
	}
	return s
}

// Awaited returns the root for whose order an object waits, and the first phase that has
// objects left. It also returns some of these, which it finds among at most scanned objects
// below the root. It reports false without an order.
func (m *Machine) Awaited(v View, id graph.NodeID, scanned int) (root graph.Key, phase PhaseStatus, some []graph.NodeID, ok bool) {
	for o, p := range m.all(id) {
		if p.listed {
			s := m.status(v, o)
			return s.Root, s.Phases[o.low], m.waitedFor(v, o, scanned), true
		}
	}
	return graph.Key{}, PhaseStatus{}, nil, false
}

// Detail names the root and the phase for which an object waits. It also names objects of the phase, or
// what blocks the fence before it: the error of the store, or the sick kinds. It is nil without an order.
func (m *Machine) Detail(v View, id graph.NodeID, scanned int, failing string, sick []string) (out []string) {
	root, phase, some, ok := m.Awaited(v, id, scanned)
	if !ok {
		return nil
	}
	out = append(out, "phase "+phase.Name+" of "+root.String())
	switch fenced := m.AwaitsFence(id); {
	case fenced && failing != "":
		return append(out, "the store begins no fence: "+failing)
	case fenced:
		return append(append(out, "a fence"), sick...)
	}
	for _, o := range some {
		out = append(out, v.Node(o).Key().String())
	}
	return out
}

// AwaitsFence reports whether an object waits for the fence before the first phase that has
// objects left. No object delays that phase.
func (m *Machine) AwaitsFence(id graph.NodeID) bool {
	for o, p := range m.all(id) {
		if p.listed {
			return !o.stale && o.cleared != 0
		}
	}
	return false
}

// waitedFor returns objects of the first phase that has any. They hang below the root, or below
// objects that went.
func (m *Machine) waitedFor(v View, o *order, scanned int) (some []graph.NodeID) {
	todo, seen := append([]graph.NodeID{o.root}, slices.Sorted(maps.Keys(o.sources))...), map[graph.NodeID]bool{o.root: true}
	for at := 0; at < len(todo); at++ {
		for d := range v.Node(todo[at]).Dependents() {
			if p := o.places[d.ID()]; p == nil || p.status != goes || seen[d.ID()] {
				continue
			}
			if len(seen) == scanned {
				return some
			}
			seen[d.ID()] = true
			if todo = append(todo, d.ID()); o.places[d.ID()].counted && int(o.places[d.ID()].done) == o.low {
				some = append(some, d.ID())
			}
		}
	}
	return some
}
