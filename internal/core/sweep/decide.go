package sweep

import (
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// Decide returns the decision of the sweeps for an object that collection decides to d,
// and the holder that a deleted member belongs to. A holder gets its finalizer, or loses
// it. A member goes. A write of collection goes first. Blocked says that such a write may
// not go out now; then the sweeps take note of the object and leave d.
func (sw *Sweeps) Decide(v View, id observed.NodeID, o graph.Object, d policy.Decision, blocked bool) (policy.Decision, graph.Key) {
	if len(sw.plans) == 0 {
		return d, graph.Key{}
	}
	if d.Action.Writes() && !blocked {
		return d, graph.Key{}
	}
	if _, may := sw.known[id]; may {
		if x := sw.decideHolder(v, id, o, d); !blocked {
			d = x
		}
	}
	if d.Action.Writes() {
		return d, graph.Key{}
	}
	return sw.decideMember(v, id, o, d)
}

// decideHolder guards a holder, and releases a marked one that holds nothing any
// more.
func (sw *Sweeps) decideHolder(v View, id observed.NodeID, o graph.Object, d policy.Decision) policy.Decision {
	for i, p := range sw.plans {
		if !p.IsHolder(o) {
			continue
		}
		name, confirm := p.Sweep().Finalizer, p.Sweep().Confirm
		switch {
		case o.Deleting:
			x := sw.decideMarked(v, id, i, o)
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
func (sw *Sweeps) decideMarked(v View, id observed.NodeID, plan int, o graph.Object) policy.Decision {
	sweep := sw.plans[plan].Sweep()
	guarded := o.HasFinalizer(sweep.Finalizer)
	r := sw.runs[sw.of[runKey{id, plan}]]
	halt := sw.halt(v, id, plan, o)
	switch {
	case r != nil && !r.over && !guarded && !r.bare: // released by this engine, or by another one
		r.over = true
		if r.done {
			sw.counts.Swept++
		}
		return policy.Decision{}
	case r != nil && r.over:
		return policy.Decision{}
	case r == nil && !guarded && !sweep.Unguarded:
		return policy.Decision{Action: policy.Wait, Reason: policy.HolderUnguarded}
	case r == nil && halt != policy.ReasonUnset && halt != policy.NeedConfirmation:
		return policy.Decision{Action: policy.Wait, Reason: halt}
	case r == nil:
		r = sw.begin(v, plan, id, o)
	}
	if r.halted != (halt != policy.ReasonUnset) {
		r.halted = !r.halted
		sw.WalkAgain()
	}
	switch {
	case halt == policy.NeedConfirmation:
		return sw.decideConfirm(v, r, sweep)
	case r.halted:
		return policy.Decision{Action: policy.Wait, Reason: halt}
	}
	return sw.decideEnd(v, r, guarded, sweep.Finalizer)
}

// decideEnd goes on with a sweep, and releases the holder at its end.
func (sw *Sweeps) decideEnd(v View, r *run, guarded bool, name string) policy.Decision {
	why, done := sw.advance(v, r)
	r.done = done
	switch {
	case !done:
		return policy.Decision{Action: policy.Wait, Reason: why}
	case guarded:
		return policy.Decision{Action: policy.Release, Reason: why, Finalizer: name, BestEffort: !v.Fence.Exact()}
	}
	r.over = true
	sw.counts.Swept++
	return policy.Decision{}
}

// decideConfirm lets a holder with few members be swept. How many there are is
// known behind a fence that began after the mark, and after the last one came or
// went.
func (sw *Sweeps) decideConfirm(v View, r *run, s *finalizer.Sweep) policy.Decision {
	wait, last := policy.Decision{Action: policy.Wait, Reason: policy.NeedConfirmation}, max(r.turned, r.seen, v.Kinds.LostAt())
	switch {
	case r.members > s.ConfirmAbove, !sw.requestSelects(v, r, max(last, r.hinted)):
		return wait
	case sw.walked <= r.turned: // the end of the walk has it looked at again
		return wait
	case max(v.Fence.Passed(), sw.unfenced(v)) <= last:
		if v.Fence.Exact() {
			v.Fence.Want(last, v.Now)
		}
		sw.wakeHolder(v, r)
		return wait
	}
	return policy.Decision{Action: policy.Release, Reason: policy.MembersFew, Finalizer: s.Confirm, BestEffort: !v.Fence.Exact()}
}

// unfenced returns the moment up to which a store without fences has shown what
// there is, as far as anybody can tell.
func (sw *Sweeps) unfenced(v View) seq.Stamp {
	if v.Fence.Exact() {
		return 0
	}
	return v.Fence.Released(v.Kinds, v.Stamps.Last())
}

// halt returns why nothing may be swept for a holder now.
func (sw *Sweeps) halt(v View, id observed.NodeID, plan int, o graph.Object) policy.Reason {
	p, bar := sw.plans[plan], v.Kinds.Blocked(v.Graph, id) // who only observes sweeps all the same, and deletes nothing
	switch {
	case bar != policy.ReasonUnset:
		return bar
	case o.Orphaning(): // what it owns is being set free
		return policy.NeedDependents
	case p.Fit(o) != nil:
		return policy.HolderUnfit
	case slices.ContainsFunc(p.Kinds(), func(k graph.Kind) bool { return !v.Kinds.Part(k) }):
		return policy.SweepUnserved
	case p.Sweep().Confirm != "" && o.HasFinalizer(p.Sweep().Confirm):
		return policy.NeedConfirmation
	}
	return policy.ReasonUnset
}

// decideMember deletes a member of a holder that is being swept, if it is its
// turn, if nobody else may hold it, and if the holder is proven to have been
// there when the member was.
func (sw *Sweeps) decideMember(v View, id observed.NodeID, o graph.Object, d policy.Decision) (policy.Decision, graph.Key) {
	if o.Deleting {
		if len(sw.members[id]) > 0 {
			sw.wantSelects(v, sw.missingLabels(v, id, o)) // it may have no holder by now
		}
		return d, graph.Key{}
	}
	if slices.ContainsFunc(sw.plans, func(p *plan.Plan) bool { return p.DependsOnHolder() }) {
		sw.updateMember(v, id) // a holder may have changed what belongs to it
	}
	why := policy.ReasonUnset
	for _, m := range sw.members[id] {
		r := sw.runs[m.run]
		if r == nil || r.halted || r.over {
			continue
		}
		switch wait := sw.waitMember(v, id, o, m); wait {
		case policy.ReasonUnset:
			phase := sw.plans[r.plan].Phase(m.phase)
			return policy.Decision{
				Action: policy.Delete, Reason: policy.HolderDeleted,
				Propagation: sw.sweptAs(v, o, phase), GraceSeconds: phase.GraceSeconds,
			}, r.holder.Key
		case policy.Contested:
			why = wait
		default:
			why = max(why, wait)
		}
	}
	if why != policy.ReasonUnset && d.Action == policy.Keep {
		d = policy.Decision{Action: policy.Wait, Reason: why}
	}
	return d, graph.Key{}
}

// waitMember returns the reason for which a member waits, or ReasonUnset if it may be
// deleted now. It requests the proof, or the selections, that end the wait.
func (sw *Sweeps) waitMember(v View, id observed.NodeID, o graph.Object, m membership) policy.Reason {
	if v.Kinds.Sick(o.Kind) != "" { // the watch would not show its end
		return policy.KindSick
	}
	if missing := sw.missingLabels(v, id, o); len(missing) > 0 {
		sw.wantSelects(v, missing)
		return policy.NeedSweep
	}
	if sw.hiddenHolder(v, id, o) != "" {
		return policy.SweepUnserved
	}
	r := sw.runs[m.run]
	if m.owned && sw.coOwned(v, id, r) {
		return policy.Contested
	}
	if rival, by, contested := sw.rival(v, id, r, o); contested {
		if rival != 0 { // labels may say that one of the two holds the other
			sw.wantHolderLabels(v, r.node, r.holder)
			sw.wantHolderLabels(v, rival, by)
		}
		return policy.Contested
	}
	if since := sw.claimedSince(v, id, m); !sw.proven(v, r, since) {
		sw.needProof(v, r, since)
		return policy.NeedSweep
	}
	phases, missing := sw.opened(v, r)
	sw.wantSelects(v, missing)
	if m.phase >= phases { // its phase requests the next proof when it opens, and no audit does before
		return policy.NeedSweep
	}
	if last := sw.contestedUntil(v, id, r, o); last != 0 && !sw.proven(v, r, last) {
		sw.needProof(v, r, last)
		return policy.NeedSweep
	}
	return policy.ReasonUnset
}

// veiled returns a kind of holders of which the object names one, that was served once
// and is not any more: nobody knows whether it lives and has a claim (R8). "" for none.
func (sw *Sweeps) hiddenHolder(v View, id observed.NodeID, o graph.Object) graph.Kind {
	for i, p := range sw.plans {
		kind := p.Sweep().Holder
		if !v.Kinds.Has(kind) || v.Kinds.Part(kind) || v.Kinds.Ignored(kind) {
			continue
		}
		for range sw.claims(v, i, id, o, false) {
			return kind
		}
	}
	return ""
}

// sweptAs returns how a member is deleted: as it asks for itself, and otherwise
// as its phase says.
func (sw *Sweeps) sweptAs(v View, o graph.Object, phase finalizer.Phase) graph.Propagation {
	if own := o.Propagation(); own != graph.Unset && !sw.override {
		return own
	}
	return phase.Propagation
}

// rival returns a holder that contests an object: it is not marked, and it has a claim on
// the object too, if only by a name that may be read so. A holder that holds the swept one,
// or is held by it, contests nothing that both hold: a tenant, and a scope of its. With too
// many holders to compare, the object is contested and the rival is 0.
func (sw *Sweeps) rival(v View, id observed.NodeID, r *run, o graph.Object) (rival observed.NodeID, by graph.Object, contested bool) {
	for i := range sw.plans {
		for claim := range sw.claims(v, i, id, o, false) {
			if sw.crowded(v, i, o, claim) {
				return 0, graph.Object{}, true
			}
			for h, x := range sw.claimants(v, i, o, claim) {
				if h != r.node && h != id && !x.Deleting && !sw.related(v, r.holder, x) {
					return h, x, true
				}
			}
		}
	}
	return 0, graph.Object{}, false
}

// coOwned reports whether somebody else owns a node beside the holder, or may:
// what is a member by an owner reference alone stays as long as it has another
// owner.
func (sw *Sweeps) coOwned(v View, id observed.NodeID, r *run) bool {
	n := v.Graph.Node(id)
	for i := range n.Owners() {
		c, _ := n.OwnerClass(i)
		if x := n.OwnerAt(i); !n.SelfOwner(i) && x.Key != r.holder.Key && (c != observed.Dangling || v.Kinds.Unconfirmed(v.Graph, x.Kind, v.Kinds.LostAt())) && !sw.isSwept(v, x.Key, r.plan) {
			return true
		}
	}
	return false
}

// isSwept reports whether the owner is a holder of the plan that is marked too.
func (sw *Sweeps) isSwept(v View, k graph.Key, plan int) bool {
	n, ok := v.Graph.Lookup(k)
	if !ok {
		return false
	}
	r := sw.runs[sw.of[runKey{n.ID(), plan}]]
	return r != nil && !r.over
}

// maxRelated bounds how many holders are looked at to see whether one holds
// the other. Past it they are taken not to.
const maxRelated = 32

// related reports whether one of two holders holds the other, directly or
// through others.
func (sw *Sweeps) related(v View, a, b graph.Object) bool {
	return sw.above(v, a, b.Key) || sw.above(v, b, a.Key)
}

// above reports whether the holder with the key is above o.
func (sw *Sweeps) above(v View, o graph.Object, k graph.Key) bool {
	seen := []graph.Object{o}
	for at := 0; at < len(seen) && at < maxRelated; at++ {
		n, _ := v.Graph.Lookup(seen[at].Key)
		for i := range sw.plans {
			for claim := range sw.claims(v, i, n.ID(), seen[at], false) {
				if claim.Shadow {
					continue
				}
				for _, h := range sw.claimants(v, i, seen[at], claim) {
					if h.Key == k {
						return true
					}
					if !slices.ContainsFunc(seen, func(s graph.Object) bool { return s.Key == h.Key }) {
						seen = append(seen, h)
					}
				}
			}
		}
	}
	return false
}
