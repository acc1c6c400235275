package order

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
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

// Statuses returns the progress of at most limit orders, by root.
func (m *Machine) Statuses(v View, limit int) []Status {
	roots := slices.SortedFunc(maps.Keys(m.orders), func(a, b observed.NodeID) int {
		return cmp.Or(v.Node(a).Key().Compare(v.Node(b).Key()), cmp.Compare(a, b))
	})
	out := make([]Status, 0, min(max(limit, 0), len(roots)))
	for _, root := range roots[:cap(out)] {
		out = append(out, m.status(v, m.orders[root]))
	}
	return out
}

func (m *Machine) status(v View, o *order) Status {
	s := Status{Root: v.Node(o.root).Key(), Guard: m.guardName(o.guard), Open: o.open + 1, Forward: o.forward, Stale: o.stale}
	if o.stale {
		s.Open = 1
	}
	for i, n := range o.left {
		s.Phases = append(s.Phases, PhaseStatus{m.phaseName(o, i), n, o.waves[i]})
	}
	return s
}

// Awaited returns the root for whose order an object waits, and the names of the phases that
// hold it up. It reports false without one.
func (m *Machine) Awaited(v View, id observed.NodeID) (root graph.Key, phases []PhaseStatus, ok bool) {
	for o, p := range m.all(id) {
		if !p.listed {
			continue
		}
		s := m.status(v, o)
		for _, phase := range s.Phases[:max(min(o.low+1, int(p.del)), 1)] {
			if phase.Left > 0 {
				phases = append(phases, phase)
			}
		}
		return s.Root, phases, true
	}
	return graph.Key{}, nil, false
}
