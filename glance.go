package ownergraph

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// glance returns why nothing is to be done for a node, as NoOwners or OwnerSolid,
// where the graph shows that without further ado: it is unmarked, its only owner if
// any is solid and unmarked, and nothing else is known of either. Most objects are
// so, most of the time. ReasonUnset says that it takes a decision.
func (e *Engine) glance(id graph.NodeID) policy.Reason {
	n := e.graph.Node(id)
	owner, kept := n.Kept()
	if !kept || !e.plain(id) || len(e.clear.plans) > 0 || has(e.awaits, id) || has(e.retries, id) {
		return policy.ReasonUnset
	}
	switch {
	case owner == 0:
		return policy.NoOwners
	case e.plain(owner):
		return policy.OwnerSolid
	}
	return policy.ReasonUnset
}

// stays reports whether a node that a note suffices for was last decided to be kept
// for what its owners are: another version of the same changes nothing of that, and an
// owner that changes has it decided anew, as has what the watch says in the end of one
// that only a read has shown. With sweeps there is more to a version.
func (e *Engine) stays(id graph.NodeID) bool {
	return len(e.clear.plans) == 0 && !has(e.awaits, id) && forOwners(reasonIn(e.graph.Note(id)))
}

// forOwners reports whether a reason to keep an object is what its owners are.
func forOwners(r policy.Reason) bool { return r == policy.NoOwners || r == policy.OwnerSolid }

// plain reports whether no more is known of a node than the graph says.
func (e *Engine) plain(id graph.NodeID) bool {
	note := e.graph.Note(id)
	return note&noteRecord == 0 || e.nodes.at(uint32(note)).plain()
}

// has reports whether a table that is mostly empty has an entry of a node.
func has[V any](m map[graph.NodeID]V, id graph.NodeID) bool {
	if len(m) == 0 {
		return false
	}
	_, ok := m[id]
	return ok
}

// look has a node decided that an event has brought: at once if a glance is enough
// for that, or when it is its turn.
func (e *Engine) look(id graph.NodeID, n graph.Node) {
	if e.keeps(id) {
		e.work.Drop(id)
		return
	}
	e.work.Add(id, priority(n))
}

// keeps decides a node, if a glance is enough for that.
func (e *Engine) keeps(id graph.NodeID) bool {
	why := e.glance(id)
	if why == policy.ReasonUnset {
		return false
	}
	e.counts.Decisions++
	e.nodes.keep(e.graph, id, why)
	e.settle(id, false)
	delete(e.parked, id)
	if e.cfg.OnDecision != nil {
		n := e.graph.Node(id)
		e.report(n, Object{Version: n.Version()}, Decided{Decision: policy.Decision{Action: policy.Keep, Reason: why}})
	}
	return true
}

// checkGlances compares what is told at a glance with what is decided.
func (e *Engine) checkGlances() error {
	quiet := !e.Busy() && len(e.clear.plans) == 0
	for n := range e.graph.Nodes() {
		m, glance := e.peek(n.ID()), e.glance(n.ID())
		stays := quiet && n.State() == graph.Observed && m.plain() && forOwners(m.reason) && allObserved(n)
		if glance == policy.ReasonUnset && !stays {
			continue
		}
		d := policy.Decide(e.input(n.ID()), e.set)
		if d.Action != policy.Keep || glance != policy.ReasonUnset && d.Reason != glance {
			return fmt.Errorf("E9: %s is kept (%v, at a glance %v), and would be decided to %v (%v)", n.Key(), m.reason, glance, d.Action, d.Reason)
		}
	}
	return nil
}

func allObserved(n graph.Node) bool {
	for _, o := range n.OwnerNodes() {
		if o.State() != graph.Observed {
			return false
		}
	}
	return true
}
