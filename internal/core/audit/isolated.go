package audit

import (
	"github.com/ownergraph/ownergraph/internal/inside"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
)

// Search goes on with the search for isolated cycles, over at most limit nodes and
// references. Then it reports the cycles, over at most limit members and references at a time, and
// ends the audit. The next audit begins after the time every.
//
//test:by TestReportInSteps TestReportOfManyOwners
func (a *Auditor) Search(v record.Nodes, limit int, now time.Time, every time.Duration, out *effect.List) {
	if a.search == nil {
		a.search = graph.Inside(inside.Key{}).NewIsolatedCycleSearch(a.roots)
	}
	if a.report == nil {
		if !a.search.Step(v.Graph, limit) {
			return
		}
		a.report = &report{cycles: a.search.Rings(), fresh: map[graph.NodeID]bool{}}
	}
	for more, cost := true, 0; limit > 0 && more; limit -= cost {
		cost, more = a.stepReport(v, out)
	}
	if len(a.report.cycles) > 0 || a.report.kept < len(a.isolated) {
		return
	}
	a.under, a.next, a.roots, a.search, a.report = false, now.Add(every), nil, nil, nil
	a.counts.Audits++
}

// report is a report of isolated cycles under way. The graph may change meanwhile. A cycle
// that has changed is then reported in part, until the next audit, as one is that changes
// after the report.
type report struct {
	cycles [][]graph.NodeID      // not reported yet
	at     int                   // the member of the first cycle to be looked at next
	holds  bool                  // that cycle is isolated: its members are held, one by one
	fresh  map[graph.NodeID]bool // held by this report; true once they are among the kept ones
	kept   int                   // the nodes before this in Auditor.isolated are kept
}

// stepReport looks at one member of a cycle, or at one of those of the last audit. It returns the
// number of members and references that it looked at, and false at the end.
func (a *Auditor) stepReport(v record.Nodes, out *effect.List) (cost int, more bool) {
	r := a.report
	if cost = 1; len(r.cycles) > 0 && r.at < len(r.cycles[0]) && v.InUse(r.cycles[0][r.at]) {
		cost += v.Node(r.cycles[0][r.at]).Owners()
	}
	switch {
	case len(r.cycles) > 0 && r.at == len(r.cycles[0]) && r.holds:
		r.cycles, r.at, r.holds = r.cycles[1:], 0, false
	case len(r.cycles) > 0 && r.at == len(r.cycles[0]):
		r.at, r.holds = 0, true
	case len(r.cycles) > 0 && !isIsolated(v, r.cycles[0], r.cycles[0][r.at]):
		r.cycles, r.at, r.holds = r.cycles[1:], 0, false
	case len(r.cycles) > 0:
		if r.holds {
			a.hold(v, r.cycles[0][r.at], out)
		}
		r.at++
	case r.kept < len(a.isolated):
		a.keep(v, out)
	default:
		return cost, false
	}
	return cost, true
}

// hold holds a member of an isolated cycle.
func (a *Auditor) hold(v record.Nodes, id graph.NodeID, out *effect.List) {
	if v.State(id).IsolatedCycle {
		unhold(v, id, out)
	} else {
		a.isolated = append(a.isolated, id)
	}
	a.report.fresh[id] = false
	v.Edit(id).IsolatedCycle = true
	out.Hold(id, policy.OwnedInRing, graph.DoubtUnset)
}

// keep looks at one of the nodes that an audit has held. It takes back the report of one that this
// audit has not found.
func (a *Auditor) keep(v record.Nodes, out *effect.List) {
	r := a.report
	id := a.isolated[r.kept]
	kept, found := r.fresh[id]
	if found && !kept {
		r.fresh[id] = true
		r.kept++
		return
	}
	last := len(a.isolated) - 1
	a.isolated[r.kept] = a.isolated[last]
	a.isolated = a.isolated[:last]
	if !found && v.InUse(id) && v.State(id).IsolatedCycle { // a node that has changed may be there twice
		unhold(v, id, out)
	}
}

// unhold takes back that an audit has held a node.
func unhold(v record.Nodes, id graph.NodeID, out *effect.List) {
	s := v.Edit(id)
	if s.Reason == policy.OwnedInRing { // the next decision needs the reason of the policy
		s.Reason = policy.OwnerSolid
	}
	s.IsolatedCycle = false
	out.Unhold(id)
}

// isIsolated reports whether a member of a cycle is kept, and only by members.
func isIsolated(v record.Nodes, members []graph.NodeID, id graph.NodeID) bool {
	if !v.InUse(id) {
		return false
	}
	if s := v.State(id); s.Reason != policy.OwnerSolid && !(s.IsolatedCycle && s.Reason == policy.OwnedInRing) {
		return false
	}
	for _, r := range v.Node(id).References() {
		in := false
		if r.Owner != 0 {
			_, in = slices.BinarySearch(members, v.Means(id, v.Node(r.Owner)))
		}
		if !in && !r.Self && r.Class != graph.Dangling {
			return false
		}
	}
	return true
}
