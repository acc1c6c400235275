package engine

import (
	"errors"
	"slices"
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
	if _, err := guards.NewRules(c.Protect); err != nil {
		return err
	}
	if _, err := guards.New(c.Guards); err != nil {
		return err
	}
	return order.CheckPhases(c.Guards)
}

// holdsMark returns the setting of the graph for marks that count for no dependent.
func (e *Engine) holdsMark() func(graph.Object) bool {
	if !e.protect.Any() {
		return nil // the graph itself knows the finalizers
	}
	rules := e.protect // a copy, because a snapshot outlives the engine
	return func(o graph.Object) bool { return rules.HoldsMark(&o) }
}

// guardView returns the lower machines for the guards.
func (e *Engine) guardView() guards.View {
	return guards.View{Nodes: e.view(), Kinds: &e.kinds, Fence: &e.fence, Stamps: &e.seq, Out: &e.effects, Now: e.now}
}

// withholds reports whether the mark of an object counts for no dependent. Then neither a sweep
// nor a handler goes on, and nothing ends its propagation. Why is Protected or ProtectionUnknown
// if a protection is the cause.
func (e *Engine) withholds(id graph.NodeID, n graph.Node, s inflight.Subject) (withheld bool, why policy.Reason) {
	if !n.Inside(inside.Key{}).MarkHeld() && (!e.labels.Any() || !n.Deleting()) && !e.calls.HasRetry(id) {
		return false, policy.ReasonUnset
	}
	switch o := s.Object(); {
	case !o.Deleting:
	case e.protect.Protects(&o) != "":
		return true, policy.Protected
	case o.HasFinalizer(graph.FinalizerHold):
		return true, policy.ReasonUnset
	case e.labels.Any():
		why = e.decideWithheld(id, &o)
	}
	return why != policy.ReasonUnset, why
}

// decideGuarded returns the guards' decision, where the rules alone decide d. Why withholds a mark.
func (e *Engine) decideGuarded(id graph.NodeID, s inflight.Subject, in *policy.Facts, d policy.Decision, why policy.Reason) policy.Decision {
	n := e.graph.Node(id)
	if in.Unreadable || !(e.guards.Any() && e.guards.MaySelect(n)) && !n.Inside(inside.Key{}).HasFinalizers() && why == policy.ReasonUnset && !e.calls.HasRetry(id) {
		return d
	}
	o := s.Object()
	if !o.Deleting && (!e.guards.Any() || e.cfg.ObserveOnly) { // an engine that only observes guards no root
		return d
	}
	f := guards.Facts{Protected: why, Reread: e.calls.HasRetry(id)}
	if o.Deleting {
		f.Bar, f.Selected = e.bar(n), e.selectedAt(id, &o)
	}
	d = e.guards.Decide(e.guardView(), id, &o, d, f)
	if d.Reason == policy.NeedVerdict || d.Reason == policy.JudgementFails {
		e.wantSelected(id, &o)
	}
	e.carryOut()
	return d
}

// protection returns the name of the rule that protects an object, or "".
func (e *Engine) protection(o *graph.Object) string {
	rule := e.protect.Protects(o)
	if n, ok := e.graph.Lookup(o.Key); ok && rule == "" {
		rule, _ = e.labelState(n.ID(), o)
	}
	return rule
}

// decideProtected keeps a protected object that would be deleted (RULES, G1).
func (e *Engine) decideProtected(id graph.NodeID, s inflight.Subject, d policy.Decision) policy.Decision {
	n := e.graph.Node(id)
	if !(e.protect.Any() && e.protect.MaySelect(n)) && !n.Inside(inside.Key{}).HasFinalizers() && !e.calls.HasRetry(id) {
		return d
	}
	o := s.Object()
	rule, unknown := e.protect.Protects(&o), false
	if rule == "" {
		rule, unknown = e.labelState(id, &o)
	}
	switch {
	case rule != "":
		return policy.Decision{Action: policy.Wait, Reason: policy.Protected}
	case unknown:
		e.labels.Want(e.guardView(), id, &o)
		return policy.Decision{Action: policy.Wait, Reason: policy.ProtectionUnknown}
	}
	return d
}

// guardDetail names the rule or the guard that holds an object, and the cause.
func (e *Engine) guardDetail(n graph.Node) (out []string) {
	o := n.Object()
	switch e.state(n.ID()).Reason {
	case policy.Protected:
		return []string{"by " + e.protection(&o)}
	case policy.ProtectionUnknown:
		return e.labels.Unselected(e.guardView(), o.Kind)
	case policy.NeedVerdict:
		if e.level < Level2 {
			out = append(out, "the store has no fences")
		}
		out = slices.Concat(out, e.kinds.SickNames(), e.labels.Failing(), e.members.Failing())
	case policy.DeletionRefused:
		out = append(out, e.guards.Causes(n.ID())...)
	case policy.GuardUnfit:
		out = append(out, "objects of the kind "+string(o.Kind)+" may not own")
	}
	switch _, name := e.guards.Of(&o); {
	case name != "":
		out = append(out, "guard "+name)
	case o.HasFinalizer(graph.FinalizerHold):
		out = append(out, "no guard of the settings selects "+o.Key.String()+", which carries "+graph.FinalizerHold)
	}
	return out
}

// leaveGuards forgets an object that is gone, with its last key and version, as far as it is
// known.
func (e *Engine) leaveGuards(id graph.NodeID, k graph.Key, v graph.Version) {
	if !e.guards.Follows(id) && !e.labels.Any() && !e.members.Any() {
		return
	}
	e.labels.Leave(id, k)
	e.members.Leave(id, k)
	if e.guards.Leave(e.guardView(), id, k, v); !e.guards.HasRoots() {
		e.members.Forget()
	}
	e.carryOut()
}

// nextJudge makes c the call for the next verdict, if one is due.
func (e *Engine) nextJudge(c *Call) bool {
	id, ok := e.guards.Next(e.guardView())
	if ok {
		e.issue(c, inflight.Call{Purpose: inflight.Judge, Node: id, Key: e.graph.Node(id).Key()})
		c.Timeout = max(c.Timeout, judgeWithin)
		e.guards.SetCall(id, uint64(c.ID))
	}
	return ok
}

// judgeWithin bounds the time of a judgement, which asks no store. It plans a cascade that may be as
// large as the store, and the engine takes hours for such a one.
//
//test:by internal/forecast.TestJudgeBound
const judgeWithin = 24 * time.Hour

// judgeDone takes the result of a judgement.
func (e *Engine) judgeDone(id CallID, x *inflight.Call, r Result) {
	if errors.Is(r.Err, guards.ErrUnlabelled) {
		e.labels.WantAll(e.guardView(), x.Node, e.seq.Last())
	}
	if errors.Is(r.Err, guards.ErrUnselected) {
		if !e.guards.NeedsMembers(x.Node) {
			e.guards.Defer(e.guardView(), uint64(id))
			e.carryOut()
			return
		}
		e.wantMembers(x.Node, e.seq.Last()) // a kind may have joined since
	}
	e.guards.Done(e.guardView(), uint64(id), guards.Verdict{Refused: r.Verdict.Refused(), Causes: r.Verdict.Causes()}, r.Err)
	e.carryOut()
}
