package reads

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Misplaced has the dependents of owners that live in another scope or under another name, by the
// owner's UID. Such a dependent waits for the end of that owner. Make one with make or a literal.
type Misplaced map[graph.UID][]graph.NodeID

// Add notes a dependent, unless its owner has the most already. Then an audit finds the dependent.
func (m Misplaced) Add(owner graph.UID, dependent graph.NodeID, most int) {
	w := m[owner]
	if at, noted := slices.BinarySearch(w, dependent); !noted && len(w) < most {
		m[owner] = slices.Insert(w, at, dependent)
	}
}

// Await notes a dependent for each of its owners that lives in another scope or under another name.
// Beside a solid owner the reference is dangling once that owner goes, and has to go then. Past the
// bound the audit does that.
//
//test:by internal/proof/script.TestScenarios/trim-after-an-owner-elsewhere
func (m Misplaced) Await(dependent graph.NodeID, owners []policy.OwnerFacts, uid func(i int) graph.UID, most int) {
	for i := range owners {
		if doubt := owners[i].Doubt; doubt == graph.Misplaced || doubt == graph.Renamed {
			m.Add(uid(i), dependent, most)
		}
	}
}

// Take returns the dependents of an owner that is gone, sorted, and forgets them. One may have left
// the graph since.
func (m Misplaced) Take(owner graph.UID) []graph.NodeID {
	w := m[owner]
	delete(m, owner)
	return w
}

// Clone returns a copy that shares nothing.
func (m Misplaced) Clone() Misplaced {
	c := make(Misplaced, len(m))
	for owner, w := range m {
		c[owner] = slices.Clone(w)
	}
	return c
}
