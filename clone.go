package ownergraph

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Clone returns an engine that goes on from here on its own. The two share
// nothing that either may change; they do share the Config.
func (e *Engine) Clone() *Engine {
	c := *e
	c.graph = e.graph.Clone()
	c.nodes = slices.Clone(e.nodes)
	c.kinds = maps.Clone(e.kinds)
	for name, k := range c.kinds {
		if k.waiting != nil {
			k.waiting = slices.Clone(k.waiting)
			c.kinds[name] = k
		}
	}
	c.work, c.asks = e.work.Clone(), e.asks.Clone()
	c.sights, c.awaits = maps.Clone(e.sights), maps.Clone(e.awaits)
	c.held, c.retries = maps.Clone(e.held), maps.Clone(e.retries)
	c.parked, c.flights = maps.Clone(e.parked), maps.Clone(e.flights)
	c.reading = maps.Clone(e.reading)
	c.waiters = make(map[graph.NodeID][]graph.NodeID, len(e.waiters))
	for id, w := range e.waiters {
		c.waiters[id] = slices.Clone(w)
	}
	c.absent, c.orphaned = e.absent.clone(), e.orphaned.clone()
	c.fence.open = maps.Clone(e.fence.open)
	c.fence.waiting = slices.Clone(e.fence.waiting)
	c.rings, c.handlers = e.rings.clone(), e.handlers.clone()
	c.lists.wanted = slices.Clone(e.lists.wanted)
	c.prepared = slices.Clone(e.prepared)
	c.fans, c.sweeps, c.wakes = slices.Clone(e.fans), slices.Clone(e.sweeps), slices.Clone(e.wakes)
	return &c
}
