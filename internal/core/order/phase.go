package order

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// PhaseOf returns the index of the first phase that takes the object. The index is
// len(phases), that of the last phase, for an object that no phase takes.
func PhaseOf(phases []guard.Phase, o graph.Object) int { return plan.PhaseOf(phases, o) }

// Selects reports whether the guard selects the object as a root.
func Selects(g *guard.Guard, o *graph.Object) bool {
	in := func(n int, has bool) bool { return n == 0 || has }
	return in(len(g.Kinds), slices.Contains(g.Kinds, o.Kind)) && in(len(g.Scopes), slices.Contains(g.Scopes, o.Scope)) &&
		in(len(g.Names), slices.Contains(g.Names, o.Name)) && (g.Where == nil || g.Where(*o))
}

// CheckPhases returns the faults of the phases of guards. Each error wraps graph.ErrInvalid
// and names the guard's field.
//
//test:by TestCheckGuards
func CheckPhases(guards []guard.Guard) error {
	for i := range guards {
		if err := plan.CheckPhases(guards[i].Phases); err != nil {
			return fmt.Errorf("configure engine: Guards[%d]: %w", i, err)
		}
	}
	return nil
}

// Phases returns the number of phases of a guard, with the last one.
func (m *Machine) phases(o *order) []guard.Phase { return m.guards[o.guard].Phases }

// guardName returns the name of a guard in reports.
func (m *Machine) guardName(i int) string {
	if name := m.guards[i].Name; name != "" {
		return name
	}
	return fmt.Sprintf("guard %d", i)
}

// phaseName returns the name of a phase in reports.
func (m *Machine) phaseName(o *order, i int) string {
	phases := m.phases(o)
	switch {
	case i == len(phases):
		return "the rest"
	case phases[i].Name != "":
		return phases[i].Name
	}
	return fmt.Sprintf("phase %d", i+1)
}
