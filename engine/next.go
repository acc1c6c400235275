package engine

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/cycle"
	"github.com/ownergraph/ownergraph/queue"
)

// stepCycles begins a search for cycles or goes on with it.
func (e *Engine) stepCycles() {
	e.cycles.Step(cycle.Moment{
		Nodes: e.view(), Stamps: &e.seq, Now: e.now, Passed: e.fence.Passed(), Quiet: e.quiet(), Fences: e.level >= Level2,
		Foreign: reports{e}.foreign(),
	}, slice, &e.effects)
	e.carryOut()
}

// quiet reports whether no call, expectation or fence is under way, which may show that a
// suspect is in no cycle.
func (e *Engine) quiet() bool {
	return e.calls.Len() == 0 && e.expected.Len() == 0 && e.fence.Rests()
}

// one returns the set of one lane, without an unknown one.
func one(lane Lane) (of Lanes) {
	if int(lane) < len(of) {
		of[lane] = true
	}
	return of
}

// slice is the most units of bulk work in one step.
const slice = 256

// stepBulk does one slice of bulk work and returns its cost, 0 if there was none.
func (e *Engine) stepBulk() int {
	switch {
	case len(e.fanout.Woken()) > 0:
	case !e.kinds.IsPruned():
		e.prune()
	case e.order.HasWork(): // without end, if clients change the objects again and again
		e.stepOrder()
		e.stepSlow()
	default:
		return e.stepSlow()
	}
	return bulkSteps
}

// stepSlow does one slice of the bulk work that a prompt order does not need.
func (e *Engine) stepSlow() int {
	switch {
	case len(e.fanout.Owners()) > 0:
		e.stepFan()
	case e.pauses.Walks():
		e.stepPauses()
	case e.expected.Retries():
		e.stepRetries()
	case e.sweeps.HasWork(e.now):
		e.stepSweeps()
	case e.cycles.HasWork(e.now, e.quiet()):
		e.stepCycles()
	case e.stepAudit():
	default:
		return 0
	}
	return bulkSteps
}

// lowWater is the length of the queue below which bulk work adds to it. So the dependents
// of a large owner wait in its list, and not in the queue.
const lowWater = 64

// stepFan brings dependents of changed owners into the queue, while it is short. A
// dependent that the fast path keeps needs no turn.
func (e *Engine) stepFan() {
	e.held.Open.Progress.Move(e.now)
	for n := 0; n < slice && len(e.fanout.Owners()) > 0 && e.work.Ready() < lowWater; n++ {
		if id := e.fanout.Next(e.view()); id != 0 {
			e.keepOrEnqueue(id, queue.Low)
		}
	}
}

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

// stepAudit goes on with an audit or begins one that is due. It reports whether there was anything to do.
func (e *Engine) stepAudit() bool {
	e.audit.Schedule(e.now, e.cfg.AuditEvery)
	if e.audit.IsDue(e.now) {
		e.auditSoon()
	}
	if !e.audit.IsRunning() {
		return false
	}
	for budget := slice; budget > 0 && e.work.Ready() < lowWater && e.audit.HasNode(e.graph); budget-- {
		if id := e.audit.Next(e.graph); id != 0 {
			budget -= e.auditNode(id)
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

// auditNode asks for a decision of an observed object if the decision could change it. It returns the
// number of references that it looked at.
func (e *Engine) auditNode(id graph.NodeID) (cost int) {
	n := e.graph.Node(id)
	root := e.sweeps.IsHolder(id) || e.guards.Roots.Follows(id) || e.guards.Roots.Any() && e.guards.Roots.MaySelect(n)
	if n.Owners() > 0 || n.Deleting() || root {
		cost = e.forgetUnwatched(n)
		if e.tryKeep(id) {
			return cost
		}
		e.edit(id).Audited = true
		e.work.Add(id, queue.Low)
	}
	return cost
}

// forgetUnwatched forgets the read results of owners whose kind is not watched. No event
// would ever take these results back, so the owners are read again. It returns the number of
// references.
func (e *Engine) forgetUnwatched(n graph.Node) (cost int) {
	if e.reads.NoResults() {
		return 0
	}
	for _, o := range n.OwnerNodes() {
		if !e.kinds.Part(o.Kind()) {
			e.reads.DropResult(e.view(), o.ID())
		}
	}
	return n.Owners()
}
