package audit

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
)

// Search goes on with the search for isolated cycles, over at most limit nodes and
// references. At its end it reports the cycles and ends the audit. The next audit begins
// after the time every.
func (a *Auditor) Search(v record.Nodes, limit int, now time.Time, every time.Duration, out *effect.List) {
	if a.search == nil {
		a.search = observed.NewIsolatedCycleSearch(a.roots)
	}
	if !a.search.Step(v.Graph, limit) {
		return
	}
	a.report(v, a.search.Rings(), out)
	a.under, a.next, a.roots, a.search = false, now.Add(every), nil, nil
	a.counts.Audits++
}

// report holds the members of the isolated cycles, and no longer those of the last audit.
func (a *Auditor) report(v record.Nodes, cycles [][]observed.NodeID, out *effect.List) {
	for _, id := range a.isolated {
		if v.InUse(id) && v.State(id).IsolatedCycle {
			s := v.Edit(id)
			if s.Reason == policy.OwnedInRing { // the check below needs the reason of the policy
				s.Reason = policy.OwnerSolid
			}
			s.IsolatedCycle = false
			out.Unhold(id)
		}
	}
	a.isolated = nil
	for _, members := range cycles {
		if !isIsolated(v, members) {
			continue
		}
		for _, id := range members {
			v.Edit(id).IsolatedCycle = true
			out.Hold(id, policy.OwnedInRing, graph.DoubtUnset)
		}
		a.isolated = append(a.isolated, members...)
	}
}

// isIsolated reports whether all members of a cycle are kept, and only by each other.
func isIsolated(v record.Nodes, members []observed.NodeID) bool {
	for _, id := range members {
		if !v.InUse(id) || v.State(id).Reason != policy.OwnerSolid {
			return false
		}
		n := v.Node(id)
		for i := range n.Owners() {
			_, in := slices.BinarySearch(members, v.OwnerID(id, i))
			if c, _ := n.OwnerClass(i); !in && !n.SelfOwner(i) && c != observed.Dangling {
				return false
			}
		}
	}
	return true
}
