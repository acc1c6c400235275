package engine

import (
	"cmp"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/policy"
)

// awaitFence asks for a decision of a key when the fence that it needs has passed: the key
// itself if its own end waits, otherwise the owners that it waits for, and with them all
// of their dependents. The end of an owner does not come to a dependent that it orphans by the UID
// alone: see misplaced.
//
//test:by ownergraph.TestOrphanedElsewhere
func (e *Engine) awaitFence(id graph.NodeID, s inflight.Subject, in *policy.Facts, d policy.Decision) {
	if len(d.Owners) == 0 {
		if in.Deleting {
			e.fence.Want(in.Mark, e.now)
		} else { // the first fence of all: see judgeProtected
			e.fence.Want(max(e.kinds.Rewound(), 1), e.now)
		}
		e.fence.Await(id, e.edit(id))
		return
	}
	for _, i := range d.Owners {
		if in.Owners[i].Class == graph.Dangling {
			e.fence.Want(in.Known, e.now)
			e.fence.AwaitKind(s.Owner(i).Kind, id)
			return
		}
		e.fence.Want(max(in.Known, in.Owners[i].Mark), e.now)
		owner := e.view().OwnerID(id, i)
		e.fence.Await(owner, e.edit(owner))
		if o, ok := e.graph.Node(id).OwnerNode(i); ok && o.ID() != owner {
			e.misplaced.Add(s.Owner(i).UID, id, cmp.Or(e.cfg.Misplaced, reads.MaxWaiters))
		}
	}
}

// wakeFence asks for decisions of all nodes that wait for a fence.
func (e *Engine) wakeFence() {
	e.sweeps.MarkDetached()
	e.fence.Wake(e.graph, &e.nodes, &e.effects)
	e.carryOut()
}

// nextFence makes c the call that begins a fence, if one is due.
func (e *Engine) nextFence(c *Call) bool {
	id, ok := e.fence.Begin(e.now, &e.kinds, &e.effects)
	if ok {
		e.fence.SetBegan(e.issue(c, inflight.Call{Purpose: inflight.Fence, Fence: id}))
	}
	e.carryOut()
	return ok
}

// fenceDone takes the result of the call for a fence. The kinds pass whose reports came
// before it. A fence that was given up meanwhile is lost, and its token counts for nothing.
//
//test:by ownergraph.TestReportBeforeToken ownergraph.TestTokenRefused
func (e *Engine) fenceDone(id uint64, r Result) {
	if id != e.fence.ID() {
		return
	}
	err := r.Err
	if why := e.fence.Refuses(r.Fence); err == nil && why != "" {
		err = fmt.Errorf("fence: token %d: %s: %w", r.Fence, why, graph.ErrInvalid)
	}
	if err != nil {
		wait, _ := e.retryIn(err)
		e.fence.Fail(id, e.now, err, wait, &e.kinds, &e.effects)
		return
	}
	e.passFence(e.fence.SetToken(id, r.Fence, &e.kinds, &e.effects))
}

// passFence asks for decisions of all nodes that waited for a kind, or for all, to pass the fence.
func (e *Engine) passFence(p fence.Passage) {
	e.carryOut()
	if !p.Any() {
		return
	}
	if p.Kind {
		e.sweeps.MarkDetached()
	}
	switch {
	case p.Last:
		e.counts.FenceTime += e.now.Sub(e.fence.Started())
		e.confirm()
		e.order.FencePassed()
		e.wakeFence()
	case e.fence.Blocked(&e.kinds): // best effort may go on
		e.wakeFence()
	}
}
