package ownergraph

import (
	"github.com/ownergraph/ownergraph/internal/core/fanout"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
)

// slice is the most units of bulk work in one step.
const slice = 256

// lowWater is the length of the queue below which bulk work adds to it. So the dependents
// of a large owner wait in its list, and not in the queue.
const lowWater = 64

// fanView returns the lower machines for a fan-out.
func (e *Engine) fanView() fanout.View { return fanout.View{Nodes: e.view(), Work: e.work} }

// stepSweeps continues the walk of the sweeps, or advances detached runs.
func (e *Engine) stepSweeps() {
	if !e.sweeps.Step(e.sweepView()) {
		return
	}
	for budget := slice; budget > 0 && e.work.Ready() < lowWater; {
		budget = e.sweeps.Walk(e.sweepView(), budget, lowWater-e.work.Ready())
		e.carryOut()
	}
}

// auditSoon begins an audit, which runs as soon as the queue is short.
func (e *Engine) auditSoon() {
	e.audit.Begin()
	e.sweeps.WalkAgain()
}

// stepAudit goes on with an audit or begins one that is due. It reports whether there was
// anything to do.
func (e *Engine) stepAudit() bool {
	e.audit.Schedule(e.now, e.cfg.AuditEvery)
	if e.audit.IsDue(e.now) {
		e.auditSoon()
	}
	if !e.audit.IsRunning() {
		return false
	}
	for n := 0; n < slice && e.work.Ready() < lowWater && e.audit.HasNode(e.graph); n++ {
		if id := e.audit.Next(e.graph); id != 0 {
			e.auditNode(id)
		}
	}
	if e.audit.HasNode(e.graph) {
		return true
	}
	e.audit.Search(e.view(), slice, e.now, e.cfg.AuditEvery, &e.effects)
	e.carryOut()
	if !e.audit.IsRunning() {
		e.confirm()
	}
	return true
}

// auditNode has an observed object decided if a decision could change it.
func (e *Engine) auditNode(id observed.NodeID) {
	holder := e.sweeps.IsHolder(id)
	if n := e.graph.Node(id); n.Owners() > 0 || n.Deleting() || holder {
		e.forgetUnwatched(n)
		e.edit(id).Audited = true
		e.work.Add(id, queue.Low)
	}
}

// forgetUnwatched forgets the read results of owners whose kind is not watched. No event
// would ever take these results back, so the owners are read again.
func (e *Engine) forgetUnwatched(n observed.Node) {
	if e.reads.NoResults() {
		return
	}
	for _, o := range n.OwnerNodes() {
		if !e.kinds.Part(o.Kind()) {
			e.reads.DropResult(e.view(), o.ID())
		}
	}
}
