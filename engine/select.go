package engine

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/selections"
)

// selections returns the machines that want selections by labels.
func (e *Engine) selections() selections.Machines {
	return selections.Machines{View: e.sweepView(), Sweeps: &e.sweeps, Guards: &e.guards}
}

// nextSelect makes c the call for the next page of a selection, if one is due.
func (e *Engine) nextSelect(c *Call) bool {
	if !e.sweeps.Any() && !e.guards.Labels.Any() { // without sweeps no verdict counts members by labels
		return false
	}
	req, from, ok := e.selections().Next()
	if ok {
		began := e.issue(c, inflight.Call{Purpose: inflight.Select, Key: graph.Key{Kind: req.Kind}})
		c.Select = req
		from.SetSelectCall(uint64(c.ID), began)
	}
	e.carryOut()
	return ok
}
