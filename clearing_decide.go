package ownergraph

import (
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/rules"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// clearDecision says what sweeps make of a decision that would write nothing,
// and for which holder: a holder gets its finalizer, or loses it; a member goes.
// What collection has to write goes first; but where that may not be, the sweep
// has to hear of it.
func (e *Engine) clearDecision(id observed.NodeID, in rules.Input, d policy.Decision) (policy.Decision, Key) {
	if len(e.clear.plans) == 0 {
		return d, Key{}
	}
	barred := d.Action.Writes() && e.bar(e.graph.Node(id)) != policy.ReasonUnset
	if d.Action.Writes() && !barred {
		return d, Key{}
	}
	if _, may := e.clear.known[id]; may {
		if x := e.decideHolder(id, in.Object, d); !barred {
			d = x
		}
	}
	if d.Action.Writes() {
		return d, Key{}
	}
	return e.decideMember(id, in.Object, d)
}

// decideHolder guards a holder, and releases a marked one that holds nothing any
// more.
func (e *Engine) decideHolder(id observed.NodeID, o Object, d policy.Decision) policy.Decision {
	for i, p := range e.clear.plans {
		if !p.IsHolder(o) {
			continue
		}
		name, confirm := p.Sweep().Finalizer, p.Sweep().Confirm
		switch {
		case o.Deleting:
			x := e.decideMarked(id, i, o)
			if x.Action.Writes() {
				return x
			}
			if x.Action == policy.Wait && (d.Reason == policy.NeedFinalizers || d.Reason == policy.NeedGrace) {
				d = x
			}
		case p.Fit(o) != nil:
			if d.Action == policy.Keep && !o.HasFinalizer(name) { // else collection has still something to find out
				d = policy.Decision{Action: policy.Keep, Reason: policy.HolderUnfit}
			}
		case confirm != "" && !o.HasFinalizer(confirm): // first, so that nobody is guarded without it
			return policy.Decision{Action: policy.Attach, Reason: policy.HolderSeen, Finalizer: confirm}
		case !o.HasFinalizer(name):
			return policy.Decision{Action: policy.Attach, Reason: policy.HolderSeen, Finalizer: name}
		}
	}
	return d
}

// decideMarked sees to the sweep of a marked holder, and begins it. The decision
// is unset where it has no say.
func (e *Engine) decideMarked(id observed.NodeID, plan int, o Object) policy.Decision {
	c, sweep := &e.clear, e.clear.plans[plan].Sweep()
	guarded := o.HasFinalizer(sweep.Finalizer)
	r := c.runs[c.of[runKey{id, plan}]]
	halt := e.halt(id, plan, o)
	switch {
	case r != nil && !r.over && !guarded && !r.bare: // released by this engine, or by another one
		r.over = true
		if r.done {
			e.counts.Swept++
		}
		return policy.Decision{}
	case r != nil && r.over:
		return policy.Decision{}
	case r == nil && !guarded && !sweep.Unguarded:
		return policy.Decision{Action: policy.Wait, Reason: policy.HolderUnguarded}
	case r == nil && halt != policy.ReasonUnset && halt != policy.NeedConfirmation:
		return policy.Decision{Action: policy.Wait, Reason: halt}
	case r == nil:
		r = e.beginClearing(plan, id, o)
	}
	if r.halted != (halt != policy.ReasonUnset) {
		r.halted = !r.halted
		e.walkAgain()
	}
	switch {
	case halt == policy.NeedConfirmation:
		return e.decideConfirm(r, sweep)
	case r.halted:
		return policy.Decision{Action: policy.Wait, Reason: halt}
	}
	return e.decideEnd(r, guarded, sweep.Finalizer)
}

// decideEnd goes on with a sweep, and releases the holder at its end.
func (e *Engine) decideEnd(r *clearing, guarded bool, name string) policy.Decision {
	why, done := e.tend(r)
	r.done = done
	switch {
	case !done:
		return policy.Decision{Action: policy.Wait, Reason: why}
	case guarded:
		return policy.Decision{Action: policy.Release, Reason: why, Finalizer: name, BestEffort: e.level < Level2}
	}
	r.over = true
	e.counts.Swept++
	return policy.Decision{}
}

// decideConfirm lets a holder with few members be swept. How many there are is
// known behind a fence that began after the mark, and after the last one came or
// went.
func (e *Engine) decideConfirm(r *clearing, s *finalizer.Sweep) policy.Decision {
	wait, last := policy.Decision{Action: policy.Wait, Reason: policy.NeedConfirmation}, max(r.turned, r.seen, e.kinds.LostAt())
	switch {
	case r.members > s.ConfirmAbove, !e.selected(r, max(last, r.hinted)):
		return wait
	case e.clear.walked <= r.turned: // the end of the walk has it looked at again
		return wait
	case max(e.fence.Passed(), e.unfenced()) <= last:
		if e.level >= Level2 {
			e.fence.Want(last, e.now)
		}
		e.wakeHolder(r)
		return wait
	}
	return policy.Decision{Action: policy.Release, Reason: policy.MembersFew, Finalizer: s.Confirm, BestEffort: e.level < Level2}
}

// unfenced returns the moment up to which a store without fences has shown what
// there is, as far as anybody can tell.
func (e *Engine) unfenced() seq.Stamp {
	if e.level >= Level2 {
		return 0
	}
	return e.released()
}

// halt returns why nothing may be swept for a holder now.
func (e *Engine) halt(id observed.NodeID, plan int, o Object) policy.Reason {
	p, bar := e.clear.plans[plan], e.barOf(e.graph.Node(id)) // who only observes sweeps all the same, and deletes nothing
	switch {
	case bar != policy.ReasonUnset:
		return bar
	case o.Orphaning(): // what it owns is being set free
		return policy.NeedDependents
	case p.Fit(o) != nil:
		return policy.HolderUnfit
	case slices.ContainsFunc(p.Kinds(), func(k Kind) bool { return !e.kinds.Part(k) }):
		return policy.SweepUnserved
	case p.Sweep().Confirm != "" && o.HasFinalizer(p.Sweep().Confirm):
		return policy.NeedConfirmation
	}
	return policy.ReasonUnset
}

// decideMember deletes a member of a holder that is being swept, if it is its
// turn, if nobody else may hold it, and if the holder is proven to have been
// there when the member was.
func (e *Engine) decideMember(id observed.NodeID, o Object, d policy.Decision) (policy.Decision, Key) {
	if o.Deleting {
		if len(e.clear.members[id]) > 0 {
			e.told(id, o) // it may be nobody's by now
		}
		return d, Key{}
	}
	if slices.ContainsFunc(e.clear.plans, func(p *finalizer.Plan) bool { return p.Sweep().DependsOnHolder() }) {
		e.enlist(id) // a holder may have changed what belongs to it
	}
	why := policy.ReasonUnset
	for _, m := range e.clear.members[id] {
		r := e.clear.runs[m.run]
		if r == nil || r.halted || r.over {
			continue
		}
		p := e.clear.plans[r.plan]
		switch {
		case e.kinds.Sick(o.Kind) != "": // nobody would hear of its end
			why = max(why, policy.KindSick)
		case !e.told(id, o):
			why = max(why, policy.NeedSweep)
		case e.veiled(id, o) != "":
			why = max(why, policy.SweepUnserved)
		case m.owned && e.coOwned(id, r), e.contested(id, r, o):
			why = policy.Contested
		case !e.proven(r, e.claimed(id, m)):
			e.needProof(r, e.claimed(id, m))
			why = max(why, policy.NeedSweep)
		case m.phase >= e.opened(r): // its phase asks for what it needs then, and no audit before
			why = max(why, policy.NeedSweep)
		case e.lapsed(id, r, o):
			why = max(why, policy.NeedSweep)
		default:
			phase := p.Phase(m.phase)
			return policy.Decision{
				Action: policy.Delete, Reason: policy.HolderDeleted,
				Propagation: e.sweptAs(o, phase), GraceSeconds: phase.GraceSeconds,
			}, r.holder.Key
		}
	}
	if why != policy.ReasonUnset && d.Action == policy.Keep {
		d = policy.Decision{Action: policy.Wait, Reason: why}
	}
	return d, Key{}
}

// veiled returns a kind of holders of which the object names one, that was served once
// and is not any more: nobody knows whether it lives and has a claim (R8). "" for none.
func (e *Engine) veiled(id observed.NodeID, o Object) Kind {
	for i, p := range e.clear.plans {
		kind := p.Sweep().Holder
		if !e.kinds.Has(kind) || e.kinds.Part(kind) || e.kinds.Ignored(kind) {
			continue
		}
		for range e.claims(i, id, o, false) {
			return kind
		}
	}
	return ""
}

// sweptAs returns how a member is deleted: as it asks for itself, and otherwise
// as its phase says.
func (e *Engine) sweptAs(o Object, phase finalizer.Phase) graph.Propagation {
	if own := o.Propagation(); own != graph.Unset && !e.cfg.Override {
		return own
	}
	return phase.Propagation
}

// contested reports whether a holder that nobody deletes has a claim on an
// object, too, if only by a name that may be read so. One that holds the other
// holder, or is held by it, does not contest what both hold: a tenant, and a
// scope of its.
func (e *Engine) contested(id observed.NodeID, r *clearing, o Object) bool {
	for i := range e.clear.plans {
		for claim := range e.claims(i, id, o, false) {
			if e.crowded(i, o, claim) {
				return true
			}
			for h, x := range e.claimants(i, o, claim) {
				if h != r.node && h != id && !x.Deleting && !e.related(r.holder, x) {
					e.toldHolder(r.node, r.holder) // that one holds the other may hang on labels
					e.toldHolder(h, x)
					return true
				}
			}
		}
	}
	return false
}

// coOwned reports whether somebody else owns a node beside the holder, or may:
// what is a member by an owner reference alone stays as long as it has another
// owner.
func (e *Engine) coOwned(id observed.NodeID, r *clearing) bool {
	n := e.graph.Node(id)
	for i := range n.Owners() {
		c, _ := n.OwnerClass(i)
		if x := n.OwnerAt(i); !n.SelfOwner(i) && x.Key != r.holder.Key && (c != observed.Dangling || e.kinds.Unconfirmed(e.graph, x.Kind, e.kinds.LostAt())) && !e.isSwept(x.Key, r.plan) {
			return true
		}
	}
	return false
}

// isSwept reports whether the owner is a holder of the plan that is marked too.
func (e *Engine) isSwept(k Key, plan int) bool {
	n, ok := e.graph.Lookup(k)
	if !ok {
		return false
	}
	r := e.clear.runs[e.clear.of[runKey{n.ID(), plan}]]
	return r != nil && !r.over
}

// mostRelated bounds how many holders are looked at to see whether one holds
// the other. Past it they are taken not to.
const mostRelated = 32

// related reports whether one of two holders holds the other, directly or
// through others.
func (e *Engine) related(a, b Object) bool { return e.above(a, b.Key) || e.above(b, a.Key) }

// above reports whether the holder with the key is above o.
func (e *Engine) above(o Object, k Key) bool {
	seen := []Object{o}
	for at := 0; at < len(seen) && at < mostRelated; at++ {
		n, _ := e.graph.Lookup(seen[at].Key)
		for i := range e.clear.plans {
			for claim := range e.claims(i, n.ID(), seen[at], false) {
				if claim.Shadow {
					continue
				}
				for _, h := range e.claimants(i, seen[at], claim) {
					if h.Key == k {
						return true
					}
					if !slices.ContainsFunc(seen, func(s Object) bool { return s.Key == h.Key }) {
						seen = append(seen, h)
					}
				}
			}
		}
	}
	return false
}
