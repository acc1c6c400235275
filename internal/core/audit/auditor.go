// Package audit repairs the effects of missed notices. From time to time an audit visits
// every observed object, and the engine decides the objects that a decision could change.
// An audit makes no calls of its own. The engine counts the writes that only an audit led
// to.
//
// At its end the audit searches for isolated cycles: objects that own each other, without
// another owner. They are solid by the rules, so the engine only reports them.
package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Auditor has the cursor of the audit over all nodes. The zero value is ready: Schedule
// sets the time of the first audit. An Auditor is not safe for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. a search is under way only during an audit
//  2. roots are collected only during an audit
type Auditor struct {
	under    bool
	at       graph.NodeID // the next node of the walk
	next     time.Time    // of the next audit
	roots    []graph.NodeID
	search   *graph.RingSearch
	report   *report        // of the cycles that the search has found
	isolated []graph.NodeID // the members of the cycles that audits have found
	counts   Counts
}

// Counts counts audits. It is a value.
type Counts struct {
	Audits  uint64 // that are over
	Repairs uint64 // writes that only an audit led to
}

// Begin begins an audit at the first node. It ends an audit that is under way.
func (a *Auditor) Begin() { a.under, a.at, a.roots, a.search, a.report = true, 1, nil, nil, nil }

// Schedule sets the time of the first audit.
func (a *Auditor) Schedule(now time.Time, every time.Duration) {
	if a.next.IsZero() {
		a.next = now.Add(every)
	}
}

// IsDue reports whether an audit has to begin.
func (a *Auditor) IsDue(now time.Time) bool { return !a.under && !now.Before(a.next) }

// IsRunning reports whether an audit is under way.
func (a *Auditor) IsRunning() bool { return a.under }

// IsSearching reports whether an audit is under way and searches for isolated cycles.
func (a *Auditor) IsSearching() bool { return a.search != nil }

// NextAt returns the time of the next audit.
func (a *Auditor) NextAt() time.Time { return a.next }

// Counts returns the counts of audits.
func (a *Auditor) Counts() Counts { return a.counts }

// CountRepair counts a write that only an audit led to.
func (a *Auditor) CountRepair() { a.counts.Repairs++ }

// HasNode reports whether the walk has still to visit a node.
func (a *Auditor) HasNode(g *graph.Graph) bool { return int(a.at) < g.Inside(inside.Key{}).Cap() }

// Next moves the walk on by one node and returns it. It returns 0 if no object is observed
// there. An object with owners and with dependents is a root of the search.
func (a *Auditor) Next(g *graph.Graph) graph.NodeID {
	id := a.at
	a.at++
	if !g.Inside(inside.Key{}).InUse(id) || g.Node(id).State() != graph.Observed {
		return 0
	}
	if n := g.Node(id); n.Owners() > 0 && n.Referring() > 0 {
		a.roots = append(a.roots, id)
	}
	return id
}

// Check verifies the invariants of Auditor.
func (a *Auditor) Check() error {
	switch {
	case a.search != nil && !a.under:
		return fmt.Errorf("audit: a search is under way without an audit, at node %d", a.at)
	case !a.under && len(a.roots) > 0:
		return fmt.Errorf("audit: %d roots without an audit", len(a.roots))
	}
	return nil
}

// Clone returns an auditor that shares nothing with a. A search reads the graph, so the
// copy of an auditor that searches has to Begin again.
func (a *Auditor) Clone() Auditor {
	c := *a
	c.roots, c.isolated = slices.Clone(a.roots), slices.Clone(a.isolated)
	return c
}

// Hash writes the rest of a walk to the printer. The time of the next audit decides
// nothing where nothing is amiss.
func (a *Auditor) Hash(p *fingerprint.Printer) {
	if p.Flags(a.under); a.under {
		p.From(a.at)
	}
}
