package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/queue"
)

// notBegun takes back a call that the caller has not begun. The engine counts it no more,
// and asks for it again if it still wants it. Held by TestNotBegun and TestSeeds
// (internal/sim).
func (e *Engine) notBegun(id CallID, f flight) {
	e.counts.count(f.call, -1)
	switch f.call {
	case CallFence:
		if f.fence == e.fence.ID() {
			e.fence.Void(&e.kinds)
		}
	case CallList:
		e.kinds.ReturnList(f.key.Kind, e.now)
	case CallSelect:
		e.sweeps.ReturnSelect(uint64(id))
	case CallHandle:
		e.handlers.Return(handlers.Run{Node: f.node, Name: f.handler}, uint64(id))
	default:
		if f.call != CallRead || f.reread || f.run != 0 {
			e.takeBack(id, f)
			return
		}
		e.readAgain(f)
	}
}

// readAgain asks again for the read of an owner.
func (e *Engine) readAgain(f flight) {
	delete(e.reading, f.key)
	if n, ok := e.graph.Lookup(f.key); ok {
		e.asks.Done(n.ID())
		e.asks.Add(n.ID(), queue.Normal)
	}
}
