package ownergraph

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	// heldSlice is how many nodes Held looks at under one lock, and heldDetails
	// how many of those found it describes.
	heldSlice   = 1024
	heldDetails = 8
)

// Held returns at most limit of the objects that are held, by key, and why: those that
// are blocked, waiting or stuck (see Status). Blocked ones are not in Stats.Held. It
// looks at a slice of the objects at a time and lets the engine go on in between:
// with many of them what it returns is of no one moment. Held by
// TestHeldInSlices.
func (c *Collector) Held(limit int) []Held {
	limit = max(limit, 0)
	var found []heldNode
	for from, more := graph.NodeID(0), true; more; {
		c.locked(func(e *Engine, _ time.Time) { found, from, more = e.heldFrom(found, from) })
		if !more || len(found) >= 2*limit+heldSlice {
			slices.SortFunc(found, func(a, b heldNode) int { return a.key.Compare(b.key) })
			found = found[:min(limit, len(found))]
		}
	}
	out := make([]Held, 0, len(found))
	for some := range slices.Chunk(found, heldDetails) {
		c.locked(func(e *Engine, _ time.Time) { out = e.describe(out, some) })
	}
	return out
}

// heldNode is a node that was found to be held.
type heldNode struct {
	key Key
	id  graph.NodeID
}

// heldFrom adds those to found that are held of the next nodes from an id on, and
// returns where to go on, if there are more.
func (e *Engine) heldFrom(found []heldNode, from graph.NodeID) (all []heldNode, next graph.NodeID, more bool) {
	if len(e.held.of) <= heldSlice { // all of them are fewer than a slice
		found = nil
		for id := range e.held.of {
			found = append(found, heldNode{e.graph.Node(id).Key(), id})
		}
		return found, 0, false
	}
	end := min(int(from)+heldSlice, e.graph.Cap())
	for id := from; int(id) < end; id++ {
		if e.held.has(id) {
			found = append(found, heldNode{e.graph.Node(id).Key(), id})
		}
	}
	return found, graph.NodeID(end), end < e.graph.Cap()
}

// describe adds what is to be said of nodes that are still held.
func (e *Engine) describe(out []Held, some []heldNode) []Held {
	for _, n := range some {
		if e.held.has(n.id) && e.graph.Node(n.id).Key() == n.key {
			out = append(out, e.heldAt(n.id))
		}
	}
	return out
}
