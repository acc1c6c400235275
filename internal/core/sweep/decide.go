package sweep

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Decide returns the decision of the sweeps for an object, and the holder of a deleted member.
// Collection alone decides d for the object. A holder gets its finalizer, or loses it. A
// member is deleted. A write of collection goes first. Blocked says that such a write may not
// go out now. Then the sweeps take note of the object and leave d. They do the same for an
// object that the store could not read.
func (sw *Sweeps) Decide(v View, id graph.NodeID, d policy.Decision, blocked bool) (policy.Decision, graph.Key) {
	if len(sw.plans) == 0 {
		return d, graph.Key{}
	}
	if d.Action.Writes() && !blocked {
		return d, graph.Key{}
	}
	o := v.judged(id)
	if o.Unreadable() { // the selections that the run of its holder needs are wanted all the same
		sw.decideMember(v, id, o, d)
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

// Concerns reports whether the sweeps may change the decision of collection for a node.
func (sw *Sweeps) Concerns(id graph.NodeID) bool {
	_, holder := sw.known[id]
	return holder || len(sw.members[id]) > 0
}

// Recorded returns the decision of the sweeps for a node, as its recorded reason shows it.
// A change of a sweep asks for new decisions of its nodes, so the record is present for each node
// that is not queued. Without such a reason it is the decision d of collection.
func Recorded(why policy.Reason, deleting bool, d policy.Decision) policy.Decision {
	action := policy.Wait
	if why == policy.FenceLost || why == policy.FenceFails { // the report of a wait for a fence
		why = policy.NeedFence
	}
	switch why {
	case d.Reason:
		return d
	case policy.HolderSeen:
		action = policy.Attach
	case policy.HolderDeleted:
		action = policy.Delete
	case policy.MembersGone:
		action = policy.Release
	case policy.HolderUnfit:
		if !deleting {
			action = policy.Keep
		}
	case policy.HolderUnguarded, policy.SweepUnserved, policy.Contested, policy.NeedMembers, policy.NeedSweep, policy.NeedSelect, policy.NeedFence, policy.FenceHeld:
	default:
		return d
	}
	return policy.Decision{Action: action, Reason: why}
}

// decideHolder guards a holder, and releases a marked one without members.
func (sw *Sweeps) decideHolder(v View, id graph.NodeID, o graph.Object, d policy.Decision) policy.Decision {
	for i, p := range sw.plans {
		if !p.IsHolder(o) {
			continue
		}
		switch name := p.Sweep().Finalizer; {
		case o.Deleting:
			x := sw.decideMarked(v, id, i, o)
			if x.Action.Writes() {
				return x
			}
			if x.Action == policy.Wait && (d.Reason == policy.NeedFinalizers || d.Reason == policy.NeedGrace) {
				d = x
			}
		case p.Fit(o) != nil:
			if d.Action == policy.Keep && !o.HasFinalizer(name) { // otherwise collection still needs evidence
				d = policy.Decision{Action: policy.Keep, Reason: policy.HolderUnfit}
			}
		case !o.HasFinalizer(name):
			return policy.Decision{Action: policy.Attach, Reason: policy.HolderSeen, Finalizer: name}
		}
	}
	return d
}

// decideMarked begins the run of a marked holder, and advances it. The decision is unset for a
// holder that the run does not concern.
func (sw *Sweeps) decideMarked(v View, id graph.NodeID, plan int, o graph.Object) policy.Decision {
	sweep := sw.plans[plan].Sweep()
	guarded := o.HasFinalizer(sweep.Finalizer)
	r := sw.runs[sw.of[runKey{id, plan}]]
	halt := sw.halt(v, id, plan, o)
	switch {
	case r != nil && !r.over && !guarded && !r.unguarded: // released by this engine, or by another one
		r.over = true
		if r.done {
			sw.counts.Ended++
		}
		return policy.Decision{}
	case r != nil && r.over:
		return policy.Decision{}
	case r == nil && halt == policy.NeedVerdict: // no member counts for a run before the hold is off
		return policy.Decision{Action: policy.Wait, Reason: halt}
	case r == nil && !guarded && !sweep.Unguarded:
		return policy.Decision{Action: policy.Wait, Reason: policy.HolderUnguarded}
	case r == nil && halt != policy.ReasonUnset:
		return policy.Decision{Action: policy.Wait, Reason: halt}
	case r == nil:
		r = sw.begin(v, plan, id, o)
	}
	if r.halted != (halt != policy.ReasonUnset) {
		r.halted = !r.halted
		sw.WalkAgain()
	}
	if r.halted {
		return policy.Decision{Action: policy.Wait, Reason: halt}
	}
	return sw.decideEnd(v, r, guarded, sweep.Finalizer)
}

// decideEnd advances a run, and releases the holder at its end.
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
	sw.counts.Ended++
	return policy.Decision{}
}

// halt returns the reason for which no member of a holder may be deleted now, or ReasonUnset.
func (sw *Sweeps) halt(v View, id graph.NodeID, plan int, o graph.Object) policy.Reason {
	p, block := sw.plans[plan], v.Kinds.Blocked(v.Graph, id) // an engine that only observes sweeps too, and deletes nothing
	switch {
	case block != policy.ReasonUnset:
		return block
	case v.Graph.Node(id).Inside(inside.Key{}).Unreadable(): // its mark and its propagation may be others
		return policy.ObjectFlawed
	case o.MarkWithheld() || v.Graph.Node(id).Inside(inside.Key{}).MarkWithheld(): // its mark counts for no member
		return policy.NeedVerdict
	case o.Orphaning(): // its dependents are being orphaned
		return policy.NeedDependents
	case p.Fit(o) != nil:
		return policy.HolderUnfit
	case slices.ContainsFunc(p.Kinds(), func(k graph.Kind) bool { return !v.Kinds.Part(k) }):
		return policy.SweepUnserved
	}
	return policy.ReasonUnset
}

// decideMember deletes a member of a holder that is being swept. The phase of the member has
// to be open. No other owner or holder may have a claim on it. And the holder has to be proven
// to exist at an instant at which the claim existed.
func (sw *Sweeps) decideMember(v View, id graph.NodeID, o graph.Object, d policy.Decision) (policy.Decision, graph.Key) {
	if o.Deleting {
		if len(sw.members[id]) > 0 {
			sw.wantSelects(v, sw.missingLabels(v, id, o)) // it may have no holder by now
		}
		return d, graph.Key{}
	}
	if slices.ContainsFunc(sw.plans, func(p *plan.Plan) bool { return p.DependsOnHolder() }) {
		sw.updateMember(v, id) // a holder may have changed its members
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
				Propagation: sw.propagationOf(v, o, phase), GraceSeconds: phase.GraceSeconds,
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
// deleted now. It requests the proof, or the selections, that end the wait. A phase that opens
// asks for new decisions of its members, so no audit requests anything for a member of a closed phase.
func (sw *Sweeps) waitMember(v View, id graph.NodeID, o graph.Object, m membership) policy.Reason {
	if v.Kinds.Sick(o.Kind) != "" { // the watch would not show its end
		return policy.KindSick
	}
	r := sw.runs[m.run]
	phases, closing := sw.opened(v, r)
	open := m.phase < phases
	asks := open || !v.State(id).Audited
	if missing := sw.missingLabels(v, id, o); len(missing) > 0 {
		if asks {
			sw.wantSelects(v, missing)
		}
		return policy.NeedSweep
	}
	if sw.hiddenHolder(v, id, o) != "" {
		return policy.SweepUnserved
	}
	if m.owned && sw.coOwned(v, id, r) {
		return policy.Contested
	}
	if rival, by, contested := sw.rival(v, id, r, o); contested {
		if rival != 0 && asks { // labels may say that one of the two is a member of the other
			sw.wantHolderLabels(v, r.node, r.holder)
			sw.wantHolderLabels(v, rival, by)
		}
		return policy.Contested
	}
	if since := sw.claimedSince(v, id, m); !sw.proven(v, r, since) {
		if asks {
			sw.needProof(v, r, since)
		}
		return policy.NeedSweep
	}
	if sw.wantSelects(v, closing); !open {
		return policy.NeedSweep
	}
	if last := sw.contestedUntil(v, id, r, o); last != 0 && !sw.proven(v, r, last) {
		sw.needProof(v, r, last)
		return policy.NeedSweep
	}
	return policy.ReasonUnset
}

// hiddenHolder returns a kind of holders that was served once and is not served now, if the
// object names a holder of that kind. Such a holder may live and have a claim (R8). The result
// is "" without one.
func (sw *Sweeps) hiddenHolder(v View, id graph.NodeID, o graph.Object) graph.Kind {
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

// propagationOf returns the propagation with which a member is deleted: the object's own, or
// else the phase's. By a setting the phase's goes first.
func (sw *Sweeps) propagationOf(v View, o graph.Object, phase guard.Phase) graph.Propagation {
	if own := o.Propagation(); own != graph.Unset && !sw.override {
		return own
	}
	return phase.Propagation
}

// isMarked reports whether a holder is being deleted. A mark that a guard or a protection withholds
// does not count (RULES, G3).
func isMarked(v View, id graph.NodeID, holder *graph.Object) bool {
	return holder.Deleting && !holder.MarkWithheld() && !v.Graph.Node(id).Inside(inside.Key{}).MarkWithheld()
}

// rival returns a holder that contests an object. It is not marked, and it has a claim on the
// object too. A name that may be read so is enough. If one of two holders is a member of the other,
// they do not contest their common members: a tenant, and a scope of the tenant. With too many
// holders to compare, the object is contested and the rival is 0.
func (sw *Sweeps) rival(v View, id graph.NodeID, r *run, o graph.Object) (rival graph.NodeID, by graph.Object, contested bool) {
	for i := range sw.plans {
		for claim := range sw.claims(v, i, id, o, false) {
			if sw.tooManyHolders(v, i, o, claim) {
				return 0, graph.Object{}, true
			}
			for h, x := range sw.claimants(v, i, o, claim) {
				if h != r.node && h != id && !isMarked(v, h, &x) && !sw.related(v, r.holder, x) {
					return h, x, true
				}
			}
		}
	}
	return 0, graph.Object{}, false
}

// coOwned reports whether a node has, or may have, another owner than the holder. An object
// that is a member by an owner reference alone stays as long as it has another owner.
func (sw *Sweeps) coOwned(v View, id graph.NodeID, r *run) bool {
	n := v.Graph.Node(id)
	for i := range n.Owners() {
		c, _ := n.Inside(inside.Key{}).OwnerClass(i)
		if x := n.OwnerAt(i); !n.Inside(inside.Key{}).SelfOwner(i) && x.Key != r.holder.Key && (c != graph.Dangling || v.Kinds.Unconfirmed(v.Graph, x.Kind, v.Kinds.LostAt())) && !sw.isMarkedHolder(v, x.Key, r.plan) {
			return true
		}
	}
	return false
}

// isMarkedHolder reports whether the owner is a holder with a run of the same plan.
func (sw *Sweeps) isMarkedHolder(v View, k graph.Key, plan int) bool {
	n, ok := v.Graph.Lookup(k)
	if !ok {
		return false
	}
	r := sw.runs[sw.of[runKey{n.ID(), plan}]]
	return r != nil && !r.over && isMarked(v, n.ID(), &r.holder)
}

// maxRelated bounds the holders that are searched to tell whether one is a member of the other. Past it
// neither counts as a member of the other.
const maxRelated = 32

// related reports whether one of two holders is a member of the other, directly or through other
// holders.
func (sw *Sweeps) related(v View, a, b graph.Object) bool {
	return sw.above(v, a, b.Key) || sw.above(v, b, a.Key)
}

// above reports whether the holder with the key has o as a member, directly or through other holders.
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
