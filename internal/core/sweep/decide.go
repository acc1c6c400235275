package sweep

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// DependsOnHolders reports whether a change of a holder may change its members. Then Refresh comes
// before each judgement for a decision.
func (sw *Sweeps) DependsOnHolders() bool {
	return slices.ContainsFunc(sw.plans, func(p *plan.Plan) bool { return p.DependsOnHolder() })
}

// Refresh brings the memberships of an unmarked object up to date, if its judgement looks at them. D and
// blocked are those of Judge.
func (sw *Sweeps) Refresh(v View, id graph.NodeID, d policy.Decision, blocked bool) {
	o, j := v.judged(id), Judgement{Decision: d}
	if o.Deleting {
		return
	}
	if sw.judgeAsHolder(v, id, o, blocked, &j); j.member {
		sw.updateMember(v, id)
	}
}

// Judge judges an object into j: the decision of the sweeps, and the holder of a deleted member. It
// changes nothing but the count of looks, and Commit follows. Collection alone decides d for the
// object. A holder gets its finalizer, or loses it. A member is deleted. A write of collection goes
// first. Blocked says that such a write may not go out now. Then the sweeps take note of the object
// and leave d. They do the same for an object that the store could not read. Withheld says that the
// object's mark counts for no dependent. Such a holder runs no sweep, and such a member has left its
// holder as soon as its labels show that.
//
//test:by TestMember internal/proof/script.TestScenarios/a-sweep-of-a-withheld-and-relabelled-member
func (sw *Sweeps) Judge(v View, id graph.NodeID, d policy.Decision, blocked, withheld bool, j *Judgement) {
	j.reset(d)
	if len(sw.plans) == 0 || d.Action.Writes() && !blocked {
		return
	}
	o := v.judged(id)
	if withheld {
		sw.judgeMember(v, id, o, j)
		return
	}
	if sw.judgeAsHolder(v, id, o, blocked, j); j.member {
		sw.judgeMember(v, id, o, j)
	}
	if o.Unreadable() { // the selections that the run of its holder needs are wanted all the same
		j.Decision, j.Holder = d, graph.Key{}
	}
}

// judgeAsHolder judges an object as a holder, and tells whether it is judged as a member, too.
func (sw *Sweeps) judgeAsHolder(v View, id graph.NodeID, o graph.Object, blocked bool, j *Judgement) {
	if j.Decision.Action.Writes() && !blocked {
		return
	}
	if j.member = o.Unreadable(); j.member {
		return
	}
	if _, may := sw.known[id]; may {
		if x := sw.judgeHolder(v, id, o, j.Decision, j); !blocked {
			j.Decision = x
		}
	}
	j.member = !j.Decision.Action.Writes()
}

// judgeHolder guards a holder, and releases a marked one without members.
func (sw *Sweeps) judgeHolder(v View, id graph.NodeID, o graph.Object, d policy.Decision, j *Judgement) policy.Decision {
	for i, p := range sw.plans {
		if !p.IsHolder(o) {
			continue
		}
		switch name := p.Sweep().Finalizer; {
		case o.Deleting:
			x := sw.judgeMarked(v, id, i, o, j)
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

// judgeMarked judges the run of a marked holder. The run begins if there is none. The decision is
// unset for a holder that the run does not concern.
func (sw *Sweeps) judgeMarked(v View, id graph.NodeID, plan int, o graph.Object, j *Judgement) policy.Decision {
	sweep := sw.plans[plan].Sweep()
	guarded := o.HasFinalizer(sweep.Finalizer)
	r := sw.runs[sw.of[runKey{id, plan}]]
	halt := sw.halt(v, id, plan, o)
	switch {
	case r != nil && !r.over && !guarded && !r.unguarded: // released by this engine, or by another one
		j.steps = append(j.steps, step{plan: plan, run: r, what: leaves})
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
		j.steps = append(j.steps, step{plan: plan, what: begins})
		return policy.Decision{Action: policy.Wait, Reason: policy.NeedMembers} // until a walk has ended
	case halt != policy.ReasonUnset:
		j.steps = append(j.steps, step{plan: plan, run: r, what: halts})
		return policy.Decision{Action: policy.Wait, Reason: halt}
	}
	x := step{plan: plan, run: r, what: advances, progress: sw.progress(v, r)}
	d := policy.Decision{Action: policy.Wait, Reason: x.progress.why}
	switch {
	case x.progress.done && guarded:
		d = policy.Decision{Action: policy.Release, Reason: x.progress.why, Finalizer: sweep.Finalizer, BestEffort: !v.Fence.Exact()}
	case x.progress.done:
		x.what, d = ends, policy.Decision{}
	}
	j.steps = append(j.steps, x)
	return d
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

// judgeMember deletes a member of a holder that is being swept. The phase of the member has
// to be open. No other owner or holder may have a claim on it. And the holder has to be proven
// to exist at an instant at which the claim existed.
func (sw *Sweeps) judgeMember(v View, id graph.NodeID, o graph.Object, j *Judgement) {
	if o.Deleting {
		if len(sw.members[id]) > 0 {
			j.want(sw.missingLabels(v, id, o)) // it may have no holder by now
		}
		return
	}
	why := policy.ReasonUnset
	for _, m := range sw.members[id] {
		r := sw.runs[m.run]
		if r == nil || r.halted || r.over {
			continue
		}
		switch wait := sw.waitMember(v, id, o, m, j); wait {
		case policy.ReasonUnset:
			phase := sw.plans[r.plan].Phase(m.phase)
			j.Holder, j.Decision = r.holder.Key, policy.Decision{
				Action: policy.Delete, Reason: policy.HolderDeleted,
				Propagation: sw.propagationOf(v, o, phase), GraceSeconds: phase.GraceSeconds,
			}
			return
		case policy.Contested:
			why = wait
		default:
			why = max(why, wait)
		}
	}
	if why != policy.ReasonUnset && j.Decision.Action == policy.Keep {
		j.Decision = policy.Decision{Action: policy.Wait, Reason: why}
	}
}

// waitMember returns the reason for which a member waits, or ReasonUnset if it may be
// deleted now. The judgement has the proof, or the selections, that end the wait. A phase that opens
// asks for new decisions of its members, so no audit requests anything for a member of a closed phase.
func (sw *Sweeps) waitMember(v View, id graph.NodeID, o graph.Object, m membership, j *Judgement) policy.Reason {
	if v.Kinds.Sick(o.Kind) != "" { // the watch would not show its end
		return policy.KindSick
	}
	r := sw.runs[m.run]
	phases, closing := sw.opened(v, r)
	open := m.phase < phases
	asks := open || !v.State(id).Audited
	if missing := sw.missingLabels(v, id, o); len(missing) > 0 {
		if asks {
			j.want(missing)
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
			j.want(sw.missingOfHolder(v, r.node, r.holder))
			j.want(sw.missingOfHolder(v, rival, by))
		}
		return policy.Contested
	}
	if since := sw.claimedSince(v, id, m); !sw.proven(v, r, since) {
		if asks {
			j.need(r, since)
		}
		return policy.NeedSweep
	}
	if j.want(closing); !open {
		return policy.NeedSweep
	}
	if last := sw.contestedUntil(v, id, r, o); last != 0 && !sw.proven(v, r, last) {
		j.need(r, last)
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
