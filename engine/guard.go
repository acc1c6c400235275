package engine

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/order"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// validateGuards finds the faults of the protections and guards.
func (c Config) validateGuards() error {
	if _, err := guards.New(guards.Settings{Protect: c.Protect, Guards: c.Guards, Grace: c.PropagateGrace}); err != nil {
		return err
	}
	return order.CheckPhases(c.Guards)
}

// guardView returns the lower machines for the guards.
func (e *Engine) guardView() guards.View {
	return guards.View{Nodes: e.view(), Kinds: &e.kinds, Fence: &e.fence, Stamps: &e.seq, Out: &e.effects, Now: e.now}
}

// judgeMark judges whether the mark of an object counts for no dependent. Then neither a sweep
// nor a handler goes on, and nothing ends its propagation. The reason is Protected or
// ProtectionUnknown if a protection is the cause, and Restricted if another object is.
func (j *judgement) judgeMark(e *Engine, n graph.Node) {
	if !n.Inside(inside.Key{}).MarkWithheld() && (!e.guards.Labels.Any() || !n.Deleting()) && !e.calls.HasRetry(j.id) {
		return
	}
	switch o, note := j.subject.Object(), &j.notes; {
	case !o.Deleting:
	case e.guards.Rules.Protects(&o) != "":
		note.withheld, note.mark = true, policy.Protected
	case o.HasFinalizer(graph.FinalizerHold):
		note.withheld = true
	case n.Restricted():
		note.withheld, note.mark = true, policy.Restricted
	case e.guards.Labels.Any():
		note.passed.mark = true
		note.mark = e.guards.Labels.Judge(e.guardView(), j.id, &o)
		note.withheld = note.mark != policy.ReasonUnset
	}
}

// noteWithheld notes whether the mark of a node counts for no dependent, because of its labels.
// After a change it asks for decisions of the dependents, and for a new search of its rings.
//
//test:by ownergraph.TestRingOfProtected
func (e *Engine) noteWithheld(id graph.NodeID, withheld bool) {
	m := e.edit(id)
	if m.Withheld == withheld {
		return
	}
	m.Withheld = withheld
	noteRole(e, id, m)
}

// noteRole notes that a node has another role as an owner, without an event about it.
func noteRole(e *Engine, id graph.NodeID, m *record.State) {
	m.Role = e.seq.Stamp()
	e.fanout.Push(e.view(), id)
	e.cycles.Changed(e.view(), id, e.now)
	e.cycles.Restart(e.now)
}

// judgeGuarded judges an object by the guards of roots.
func (j *judgement) judgeGuarded(e *Engine, n graph.Node) {
	g, retried := &e.guards, e.calls.HasRetry(j.id)
	if j.in.Unreadable || !(g.Roots.Any() && g.Roots.MaySelect(n)) && !n.Inside(inside.Key{}).HasFinalizers() && j.notes.mark == policy.ReasonUnset && !retried {
		return
	}
	o := j.subject.Object()
	if !o.Deleting && (!g.Roots.Any() || e.cfg.ObserveOnly) { // an engine that only observes guards no root
		return
	}
	f := guards.Facts{Protected: j.notes.mark, Reread: retried}
	if o.Deleting {
		f.Bar, f.HasMembersByLabel = e.bar(n), e.sweeps.HasMembersByLabel(o.Kind)
	}
	j.notes.passed.guard = true
	j.notes.guard = g.Judge(e.guardView(), j.id, &o, j.d, f)
	j.d = j.notes.guard.Decision
}

// judgeProtected keeps a protected or restricted object that would be deleted (RULES, G1 and E4).
func (j *judgement) judgeProtected(e *Engine, n graph.Node) {
	switch f := &j.in.Fence; {
	case j.in.Restricted: // also a member that a sweep deletes
		j.d = policy.Decision{Action: policy.Wait, Reason: policy.Restricted}
		return
	case e.cfg.Policies && max(f.Passed, f.Released) <= e.kinds.Rewound(): // an object of a kind that is not listed may restrict it
		j.d = f.Await()
		return
	}
	rules := &e.guards.Rules
	if !(rules.Any() && rules.MaySelect(n)) && !n.Inside(inside.Key{}).HasFinalizers() && !e.calls.HasRetry(j.id) {
		return
	}
	o := j.subject.Object()
	j.notes.passed.protection = true
	if j.notes.protected = e.guards.JudgeDelete(e.guardView(), j.id, &o); j.notes.protected != policy.ReasonUnset {
		j.d = evidence.Withhold(j.in, e.set, &j.lists, j.d, policy.Decision{Action: policy.Wait, Reason: j.notes.protected})
	}
}

// nextJudge makes c the call for the next verdict, if one is due.
func (e *Engine) nextJudge(c *Call) bool {
	id, ok := e.guards.Roots.Next(e.guardView())
	for ok && e.share.IsForeign(e.graph.Node(id)) {
		e.guards.Roots.Withdraw(id)
		id, ok = e.guards.Roots.Next(e.guardView())
	}
	if ok {
		e.issue(c, inflight.Call{Purpose: inflight.Judge, Node: id, Key: e.graph.Node(id).Key()})
		c.Timeout = max(c.Timeout, judgeWithin)
		e.guards.Roots.SetCall(id, uint64(c.ID))
	}
	return ok
}

// judgeWithin bounds the time of a judgement, which asks no store. It plans a cascade that may be as
// large as the store, and the engine takes hours for such a one.
//
//test:by internal/forecast.TestJudgeBound
const judgeWithin = 24 * time.Hour
