package engine

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/order"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// validateGuards finds the faults of the protections and guards.
func (c Config) validateGuards() error {
	if _, err := guards.New(guards.Settings{Protect: c.Protect, Guards: c.Guards}); err != nil {
		return err
	}
	return order.CheckPhases(c.Guards)
}

// guardView returns the lower machines for the guards.
func (e *Engine) guardView() guards.View {
	return guards.View{Nodes: e.view(), Kinds: &e.kinds, Fence: &e.fence, Stamps: &e.seq, Out: &e.effects, Now: e.now}
}

// withholds reports whether the mark of an object counts for no dependent. Then neither a sweep
// nor a handler goes on, and nothing ends its propagation. Why is Protected or ProtectionUnknown
// if a protection is the cause.
func (e *Engine) withholds(id graph.NodeID, n graph.Node, s inflight.Subject) (withheld bool, why policy.Reason) {
	if !n.Inside(inside.Key{}).MarkWithheld() && (!e.guards.Labels.Any() || !n.Deleting()) && !e.calls.HasRetry(id) {
		return false, policy.ReasonUnset
	}
	switch o := s.Object(); {
	case !o.Deleting:
	case e.guards.Rules.Protects(&o) != "":
		return true, policy.Protected
	case o.HasFinalizer(graph.FinalizerHold):
		return true, policy.ReasonUnset
	case e.guards.Labels.Any():
		if why = e.guards.Labels.Judge(e.guardView(), id, &o); why == policy.ProtectionUnknown {
			e.guards.Labels.Want(e.guardView(), id, &o)
		}
		e.noteWithheld(id, why != policy.ReasonUnset)
	}
	return why != policy.ReasonUnset, why
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
	m.Role = e.seq.Stamp()
	e.fanout.Push(e.view(), id)
	e.cycles.Changed(e.view(), id, e.now)
	e.cycles.Restart(e.now)
}

// decideGuarded returns the guards' decision, where the rules alone decide d. Why withholds a mark.
func (e *Engine) decideGuarded(id graph.NodeID, s inflight.Subject, in *policy.Facts, d policy.Decision, why policy.Reason) policy.Decision {
	n, g := e.graph.Node(id), &e.guards
	if in.Unreadable || !(g.Roots.Any() && g.Roots.MaySelect(n)) && !n.Inside(inside.Key{}).HasFinalizers() && why == policy.ReasonUnset && !e.calls.HasRetry(id) {
		return d
	}
	o := s.Object()
	if !o.Deleting && (!g.Roots.Any() || e.cfg.ObserveOnly) { // an engine that only observes guards no root
		return d
	}
	f := guards.Facts{Protected: why, Reread: e.calls.HasRetry(id)}
	if o.Deleting {
		f.Bar, f.HasMembersByLabel = e.bar(n), e.sweeps.HasMembersByLabel(o.Kind)
	}
	j := g.Judge(e.guardView(), id, &o, d, f)
	g.Commit(e.guardView(), id, &o, &j)
	e.carryOut()
	return j.Decision
}

// decideProtected keeps a protected object that would be deleted (RULES, G1).
func (e *Engine) decideProtected(id graph.NodeID, s inflight.Subject, d policy.Decision) policy.Decision {
	n, rules := e.graph.Node(id), &e.guards.Rules
	if !(rules.Any() && rules.MaySelect(n)) && !n.Inside(inside.Key{}).HasFinalizers() && !e.calls.HasRetry(id) {
		return d
	}
	o := s.Object()
	switch why := e.guards.JudgeDelete(e.guardView(), id, &o); why {
	case policy.ReasonUnset:
		return d
	case policy.ProtectionUnknown:
		e.guards.Labels.Want(e.guardView(), id, &o)
		fallthrough
	default:
		return policy.Decision{Action: policy.Wait, Reason: why}
	}
}

// nextJudge makes c the call for the next verdict, if one is due.
func (e *Engine) nextJudge(c *Call) bool {
	id, ok := e.guards.Roots.Next(e.guardView())
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
