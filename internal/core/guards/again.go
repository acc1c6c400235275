package guards

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// Again returns the deletion by which the guard of a marked root repeats that of a user in the
// foreground, before the root passes (RULES, G7 and E7). It returns false for a root that passes as it
// is, and for one whose grace period has to end before.
//
//test:by TestGraceNeedsForeground
func (m *Machine) Again(o *graph.Object) (policy.Decision, bool) {
	g, _ := m.Of(o)
	if g == nil {
		return policy.Decision{}, false
	}
	d := m.again(g, o)
	return d, d.Action == policy.Delete
}

// again returns that deletion, a wait for the end of the grace period, or no decision. A store keeps
// the propagation during a grace period, except in a deletion that shortens it. To shorten a period of
// one second is to end it, and only the agent of the root may do that.
func (m *Machine) again(g *guard.Guard, o *graph.Object) policy.Decision {
	d := policy.Decision{Action: policy.Delete, Reason: policy.OrderNeedsForeground, Propagation: graph.Foreground}
	switch ordered := len(g.Phases) > 0; {
	case o.Propagation() != graph.Unset:
		return policy.Decision{}
	case o.GraceSeconds > 1 && m.periods.Has(o.Kind):
		shorter := o.GraceSeconds - 1
		d.Reason, d.GraceSeconds = policy.GraceNeedsForeground, &shorter
	case !ordered:
		return policy.Decision{}
	case o.GraceSeconds > 0:
		return wait(policy.NeedGrace)
	}
	return d
}
