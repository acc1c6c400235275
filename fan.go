package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/fifo"

	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
)

// slice is the most units of bulk work in one step.
const slice = 256

// lowWater is the length of the queue below which bulk work adds to it. So the dependents
// of a large owner wait in its list, and not in the queue.
const lowWater = 64

// fan has the dependents of an owner decided again, from the first on.
func (e *Engine) fan(id observed.NodeID) {
	e.fanOne(id)
	if c, ok := e.graph.Claim(id); ok {
		e.fanOne(c)
	}
}

func (e *Engine) fanOne(id observed.NodeID) {
	if e.graph.Fan(id) && !e.state(id).FanningOut {
		e.edit(id).FanningOut = true
		e.fans = append(e.fans, id)
	}
}

// stepFans moves dependents of changed owners into the queue. A dependent that waits for
// reads is decided after these, and not once for each owner.
func (e *Engine) stepFans() {
	for n := 0; n < slice && len(e.fans) > 0 && e.work.Ready() < lowWater; n++ {
		id := e.fans[0]
		if e.graph.InUse(id) && e.state(id).FanningOut {
			if dep, ok := e.graph.FanNext(id); ok {
				if e.state(dep).PendingReads == 0 {
					e.work.Add(dep, queue.Low)
				}
				continue
			}
			e.edit(id).FanningOut = false
		}
		e.fans = fifo.Rest(e.fans)
	}
}

// stepWakes moves the nodes that waited for a fence or a read into the queue, and with an
// owner its dependents.
func (e *Engine) stepWakes() {
	for n := 0; n < slice && len(e.wakes) > 0 && e.work.Ready() < lowWater; n++ {
		id := e.wakes[0]
		e.wakes = fifo.Rest(e.wakes)
		if !e.graph.InUse(id) {
			continue
		}
		nd := e.graph.Node(id)
		e.work.Add(id, priority(nd))
		if nd.Waiting() || nd.Orphaning() {
			e.fan(id)
		}
	}
}
