package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
)

// notBegun takes back a call that the caller has not begun. The engine counts it no more,
// and asks for it again if it still wants it.
//
// Held by TestNotBegun, TestListNotBegun and TestReturns (internal/sim).
func (e *Engine) notBegun(id CallID, x *inflight.Call) {
	e.counts.Calls[typeFor(x.Purpose)]--
	switch x.Purpose {
	case inflight.Fence:
		if x.Fence == e.fence.ID() {
			e.fence.Void(&e.kinds)
		}
	case inflight.List:
		e.kinds.ReturnList(x.Key.Kind, e.now)
	case inflight.Select:
		e.sweeps.ReturnSelect(uint64(id))
	case inflight.Handle:
		e.handlers.Return(handlers.Run{Node: x.Node, Name: x.Handler}, uint64(id))
	case inflight.Read:
		n, ok := e.graph.Lookup(x.Key)
		e.reads.End(x.Key, n.ID())
		if ok {
			e.reads.Again(n.ID())
		}
	default:
		e.calls.Revoke(e.view(), uint64(id), x, e.work, &e.effects)
	}
}
