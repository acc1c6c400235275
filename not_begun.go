package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/handlers"
)

// notBegun takes back a call that the caller has not begun. The engine counts it no more,
// and asks for it again if it still wants it.
//
// Held by TestNotBegun, TestListNotBegun and TestReturns (internal/sim).
func (e *Engine) notBegun(id CallID, f flight) {
	e.counts.count(f.call, -1)
	switch {
	case f.call == CallFence:
		if f.fence == e.fence.ID() {
			e.fence.Void(&e.kinds)
		}
	case f.call == CallList:
		e.kinds.ReturnList(f.key.Kind, e.now)
	case f.call == CallSelect:
		e.sweeps.ReturnSelect(uint64(id))
	case f.call == CallHandle:
		e.handlers.Return(handlers.Run{Node: f.node, Name: f.handler}, uint64(id))
	case f.call == CallRead && !f.reread && f.run == 0: // of an owner
		n, ok := e.graph.Lookup(f.key)
		if !ok {
			e.reads.End(f.key, 0)
			return
		}
		e.reads.End(f.key, n.ID())
		e.reads.Again(n.ID())
	default:
		e.revokeCall(id, f)
	}
}
