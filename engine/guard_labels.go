package engine

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
)

// labelState returns the rule that protects an object by its labels, or "". Unknown says that a
// selection has to tell.
func (e *Engine) labelState(id graph.NodeID, o *graph.Object) (rule string, unknown bool) {
	if !e.labels.Any() {
		return "", false
	}
	return e.labels.State(o, e.state(id).Known, e.kinds.Rewound())
}

// noteWithheld notes whether the mark of a node counts for no dependent, because of its labels.
// After a change it has the dependents decided again, and the rings through the node sought again.
//
//test:by ownergraph.TestRingOfProtected
func (e *Engine) noteWithheld(id graph.NodeID, withheld bool) {
	m := e.edit(id)
	if m.Withheld == withheld {
		return
	}
	m.Withheld = withheld
	m.Role = e.seq.Stamp()
	e.fanout.Push(e.view(), id)
	e.cycles.Changed(e.view(), id, e.now)
	e.cycles.Restart(e.now)
}

// withholdsRead is mayWithhold for an object that a read has returned.
func (e *Engine) withholdsRead(o *graph.Object, m *record.State) bool {
	if !e.labels.Any() || !o.Deleting || !e.labels.MayProtect(o) {
		return false
	}
	rule, unknown := e.labels.State(o, m.Known, e.kinds.Rewound())
	return rule != "" || unknown
}

// decideWithheld keeps the deletion of a marked object from going on whose labels protect it,
// or are not known. It wants the selections that tell.
func (e *Engine) decideWithheld(id graph.NodeID, o *graph.Object) policy.Reason {
	rule, unknown := e.labelState(id, o)
	e.noteWithheld(id, rule != "" || unknown)
	switch {
	case rule != "":
		return policy.Protected
	case unknown:
		e.labels.Want(e.guardView(), id, o)
		return policy.ProtectionUnknown
	}
	return policy.ReasonUnset
}

// nextProtected makes c the call for the next page of a selection for protections, if one is
// due.
func (e *Engine) nextProtected(c *Call) bool {
	req, ok := e.labels.NextSelect(e.guardView())
	if ok {
		began := e.issue(c, inflight.Call{Purpose: inflight.Select, Key: graph.Key{Kind: req.Kind}})
		c.Select = req
		e.labels.SetSelectCall(uint64(c.ID), began)
	}
	e.carryOut()
	return ok
}
