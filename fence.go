package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/rules"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// awaitFence has a key decided again when the fence that it needs has passed: the key
// itself if its own end waits, otherwise the owners that it waits for, and with them all
// of their dependents.
func (e *Engine) awaitFence(id observed.NodeID, in rules.Input, d policy.Decision) {
	if len(d.Owners) == 0 {
		e.fence.Want(in.Mark, e.now)
		e.fence.Await(id, e.edit(id))
		return
	}
	for _, i := range d.Owners {
		if in.Owners[i].Class == observed.Dangling {
			e.fence.Want(in.Known, e.now)
			e.fence.AwaitKind(in.Object.Owners[i].Kind, id)
			return
		}
		e.fence.Want(max(in.Known, in.Owners[i].Mark), e.now)
		owner := e.ownerID(id, i)
		e.fence.Await(owner, e.edit(owner))
	}
}

// wakeFence has everything decided again that waits for a fence.
func (e *Engine) wakeFence() {
	e.sweeps.MarkDetached()
	e.fence.Wake(e.graph, &e.nodes, &e.effects)
	e.carryOut()
}

// released returns the moment up to which marks may end without a passed fence, as best
// effort.
func (e *Engine) released() seq.Stamp {
	if e.level >= Level2 {
		return e.fence.Freed()
	}
	if e.kinds.Unseen() || e.kinds.LossOpen() { // the observed state may be of a former history (R5)
		return 0
	}
	return e.seq.Last() + 1
}

// fenceHeld reports whether only sick kinds have still to pass the fence.
func (e *Engine) fenceHeld() bool { return e.fence.Held(&e.kinds) }

// nextFence makes c the call that begins a fence, if one is due.
func (e *Engine) nextFence(c *Call) bool {
	id, ok := e.fence.Begin(e.now, &e.kinds, &e.effects)
	if ok {
		e.fence.SetBegan(e.issue(c, inflight.Call{Purpose: inflight.Fence, Fence: id}))
		c.Fence = id
	}
	e.carryOut()
	return ok
}

// fenceDone takes the result of asking for a fence. The watch reports that it has passed.
func (e *Engine) fenceDone(id uint64, err error) {
	if err == nil || id != e.fence.ID() {
		return
	}
	e.effects.Warn("fence failed", "err", err)
	wait, _ := retryIn(err)
	e.fence.Fail(id, e.now, wait, &e.kinds)
}

// passFence takes the report that a kind has passed a fence.
func (e *Engine) passFence(name Kind, id uint64) {
	passed, last := e.fence.Pass(name, id, &e.kinds, &e.effects)
	e.carryOut()
	if !passed {
		return
	}
	if name != "" {
		e.sweeps.MarkDetached()
	}
	switch {
	case last:
		e.confirm()
		e.wakeFence()
	case e.fenceHeld(): // best effort may go on
		e.wakeFence()
	}
}
