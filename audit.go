package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/record"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/policy"
)

// audit walks the whole graph from time to time and has every object that
// something could happen to looked at again. It makes no request of its own:
// it repairs what a fault of the engine or of a store's notices left behind,
// and counts that.
//
// At its end it looks for islands: objects that own each other and that nobody
// else owns. They are solid, so nothing is done but to report them.
type audit struct {
	under   bool
	at      graph.NodeID
	next    time.Time
	roots   []graph.NodeID    // that an island may lead through
	search  *graph.RingSearch // nil before and after
	islands []graph.NodeID    // whoever was found in one last time
}

// auditSoon has everything looked at again as soon as there is time.
func (e *Engine) auditSoon() {
	e.audit.under, e.audit.at, e.audit.roots, e.audit.search = true, 1, nil, nil
	e.walkAgain()
}

// stepAudit goes on with an audit or begins one that is due. It reports whether
// it did anything.
func (e *Engine) stepAudit() bool {
	a := &e.audit
	if a.next.IsZero() {
		a.next = e.now.Add(e.cfg.AuditEvery)
	}
	if !a.under && !e.now.Before(a.next) {
		e.auditSoon()
	}
	if !a.under {
		return false
	}
	for n := 0; n < slice && e.work.Ready() < lowWater && int(a.at) < e.graph.Cap(); n++ {
		e.auditNode(a.at)
		a.at++
	}
	if int(a.at) < e.graph.Cap() {
		return true
	}
	if a.search == nil {
		a.search = graph.NewIsolatedCycleSearch(a.roots)
	}
	if a.search.Step(e.graph, slice) {
		e.keepIslands(a.search.Rings())
		a.under, a.next, a.roots, a.search = false, e.now.Add(e.cfg.AuditEvery), nil, nil
		e.counts.Audits++
		e.confirm()
	}
	return true
}

// keepIslands reports the rings that nobody outside owns, and no longer those
// that were found the last time.
func (e *Engine) keepIslands(rings [][]graph.NodeID) {
	for _, id := range e.audit.islands {
		if e.graph.InUse(id) && e.state(id).IsolatedCycle {
			if m := e.edit(id); m.Reason == policy.OwnedInRing {
				m.Reason = policy.OwnerSolid // or the next search would not find the ring
			}
			e.edit(id).IsolatedCycle = false
			e.settle(id, false)
		}
	}
	e.audit.islands = nil
	for _, members := range rings {
		if !e.isIsland(members) {
			continue
		}
		for _, id := range members {
			e.edit(id).IsolatedCycle = true
			e.hold(id, policy.OwnedInRing, graph.DoubtUnset)
		}
		e.audit.islands = append(e.audit.islands, members...)
	}
}

// isIsland reports whether the members of a ring are all kept, and by none but
// each other.
func (e *Engine) isIsland(members []graph.NodeID) bool {
	for _, id := range members {
		if !e.graph.InUse(id) || e.state(id).Reason != policy.OwnerSolid {
			return false
		}
		n := e.graph.Node(id)
		for i := range n.Owners() {
			_, in := slices.BinarySearch(members, e.ownerID(id, i))
			if c, _ := n.OwnerClass(i); !in && !n.SelfOwner(i) && c != graph.Dangling {
				return false
			}
		}
	}
	return true
}

func (e *Engine) auditNode(id graph.NodeID) {
	if !e.graph.InUse(id) || e.graph.Node(id).State() != graph.Observed {
		return
	}
	_, holder := e.clear.known[id]
	if n := e.graph.Node(id); n.Owners() > 0 || n.Deleting() || holder {
		if n.Owners() > 0 && n.Referring() > 0 {
			e.audit.roots = append(e.audit.roots, id)
		}
		e.forgetUnwatched(n)
		e.edit(id).Audited = true
		e.work.Add(id, queue.Low)
	}
}

// forgetUnwatched forgets what reads have shown of owners whose kind is not watched:
// no event would ever take that back, so they are read again.
func (e *Engine) forgetUnwatched(n graph.Node) {
	if len(e.sights) == 0 {
		return
	}
	for _, o := range n.OwnerNodes() {
		if _, seen := e.sights[o.ID()]; seen && !e.kinds.Part(o.Kind()) {
			e.dropResult(o.ID())
		}
	}
}

// countAudit counts a write that nothing but the audit has led to.
func (e *Engine) countAudit(m *record.State) {
	if m.Audited {
		e.counts.AuditRepairs++
	}
}
