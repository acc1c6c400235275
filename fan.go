package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/fifo"

	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
)

// slice is how many units of bulk work one step does at most.
const slice = 256

// lowWater is how short the queue has to be before bulk work adds to it: the
// dependents of a large owner wait in its list, not in the queue.
const lowWater = 64

// fan has the dependents of an owner looked at, from the first on.
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

// stepFans takes dependents of owners whose state has changed into the queue.
// One that waits for reads is looked at when they are over, and not for each of
// its owners.
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

// stepWakes takes whoever waited for a fence or a read into the queue, and
// with an owner its dependents.
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
