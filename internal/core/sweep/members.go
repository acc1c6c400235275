package sweep

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
	"github.com/ownergraph/ownergraph/queue"
)

// maxSample bounds how many of a clearing's held members are named.
const (
	maxSample = 8
	maxNames  = 8    // of a report
	maxLooked = 1024 // nodes of a kind that is not served
)

// claimants yields the holders that a claim of an object names. These are the observed holders
// of that name in the object's scope and the global ones, or the owner itself.
func (sw *Sweeps) claimants(v View, plan int, o graph.Object, c plan.Claim) func(yield func(graph.NodeID, graph.Object) bool) {
	return func(yield func(graph.NodeID, graph.Object) bool) {
		scopes := [...]string{"", o.Scope}
		for i, scope := range scopes {
			if i == 1 && scope == "" {
				return
			}
			ids := sw.holders[holderName{plan, scope, c.Name}]
			if c.Rest {
				ids = ids[:min(len(ids), MaxByRest)]
			}
			for _, id := range ids {
				if h := sw.known[id]; sw.plans[plan].Names(h, o, c) && !yield(id, h) {
					return
				}
			}
		}
	}
}

// MaxByRest bounds the holders that a decision compares with an object whose name says more
// than its claims do. With more holders such an object is contested.
const MaxByRest = 32

// tooManyHolders reports whether there are more than MaxByRest holders.
func (sw *Sweeps) tooManyHolders(v View, plan int, o graph.Object, c plan.Claim) bool {
	of := func(scope string) int { return len(sw.holders[holderName{plan: plan, scope: scope}]) }
	return c.Rest && max(of(""), of(o.Scope)) > MaxByRest
}

// updateMember counts a node as a member of its runs, and of no others.
func (sw *Sweeps) updateMember(v View, id graph.NodeID) {
	if len(sw.runs) == 0 {
		if len(sw.members) > 0 {
			sw.members = map[graph.NodeID][]membership{}
		}
		clear(sw.releases)
		if len(sw.labels.matches)+len(sw.labels.selections)+len(sw.labels.wanted) > 0 {
			sw.labels.forget()
		}
		return
	}
	sw.dropStale(v, id)
	o := v.Graph.Node(id).Object()
	var now []membership
	var by []plan.Claim
	fixed := true
	for i, p := range sw.plans {
		for claim := range sw.claims(v, i, id, o, true) {
			if fixed = fixed && p.Sweep().Members[claim.Members].Where == nil; !claim.Fixed {
				by = append(by, claim)
			}
			if !claim.Shadow {
				now = sw.addMembers(v, now, id, i, o, claim)
			}
		}
	}
	for i := range now {
		now[i].fixed, now[i].by = now[i].fixed && fixed, by
	}
	sw.setMemberships(v, id, now, false)
}

// addMembers adds the memberships that one claim makes.
func (sw *Sweeps) addMembers(v View, now []membership, id graph.NodeID, plan int, o graph.Object, claim plan.Claim) []membership {
	add := func(r RunID) {
		i := slices.IndexFunc(now, func(m membership) bool { return m.run == r })
		switch {
		case i < 0:
			now = append(now, membership{run: r, kind: o.Kind, phase: sw.plans[plan].PhaseOf(o), since: v.State(id).Known, fixed: claim.Fixed, owned: claim.Key.UID != ""})
		default:
			now[i].fixed = now[i].fixed || claim.Fixed
			now[i].owned = now[i].owned && claim.Key.UID != ""
		}
	}
	for h := range sw.claimants(v, plan, o, claim) {
		if r, ok := sw.of[runKey{h, plan}]; ok {
			add(r)
		}
	}
	for _, scope := range [...]string{"", o.Scope} {
		if r, ok := sw.detached[holderName{plan, scope, claim.Name}]; ok && sw.plans[plan].Names(sw.runs[r].holder, o, claim) {
			add(r)
		}
	}
	return now
}

// setMemberships replaces the memberships of a node. Gone says that the node itself is gone.
func (sw *Sweeps) setMemberships(v View, id graph.NodeID, now []membership, gone bool) {
	was := sw.members[id]
	for _, m := range was {
		i := slices.IndexFunc(now, func(n membership) bool { return n.run == m.run })
		switch {
		case sw.runs[m.run] == nil: // it is over
		case i < 0:
			if gone {
				sw.runs[m.run].gone++
				sw.counts.MembersGone++
			}
			sw.countMember(v, id, m, -1)
		case m.phase != now[i].phase:
			sw.countMember(v, id, m, -1)
			sw.countMember(v, id, now[i], 1)
		}
		if i >= 0 && m.fixed && now[i].fixed && slices.Equal(m.by, now[i].by) {
			now[i].since = m.since
		}
	}
	for _, n := range now {
		if !slices.ContainsFunc(was, func(m membership) bool { return n.run == m.run }) {
			sw.runs[n.run].total++
			sw.counts.Members++
			sw.countMember(v, id, n, 1)
		}
	}
	switch {
	case len(now) > 0:
		sw.members[id] = now
	case len(was) > 0:
		delete(sw.members, id)
	}
}

// countMember keeps the counts of a run. It asks for an advance of the run when they let something
// begin.
func (sw *Sweeps) countMember(v View, id graph.NodeID, m membership, d int) {
	r := sw.runs[m.run]
	r.seen = v.Stamps.Stamp()
	r.left[m.phase] += d
	r.members += d
	if r.kinds[m.kind] += d; r.kinds[m.kind] == 0 {
		delete(r.kinds, m.kind)
	}
	r.countHeld(id, v.Held.StatusAt(id), d)
	was := r.open
	if r.open = sw.plans[r.plan].Open(r.left); r.open > was {
		sw.WalkAgain()
	}
	if r.members == 0 || r.gone%noteEvery == 0 {
		sw.advanceSoon(v, r)
	}
}

// noteEvery is the number of members that are deleted between two reports of a run.
const noteEvery = 1024

// countHeld counts a member that is held or blocked now, or is no longer.
func (r *run) countHeld(id graph.NodeID, s held.Status, d int) {
	switch s {
	case held.Unset:
		return
	case held.Blocked:
		r.blocked += d
	default:
		r.held += d
	}
	i, in := slices.BinarySearch(r.sample, id)
	switch {
	case d < 0 && in:
		r.sample = slices.Delete(r.sample, i, i+1)
	case d > 0 && !in && len(r.sample) < maxSample:
		r.sample = slices.Insert(r.sample, i, id)
	}
}

// SetHeld notes the status of a member, before the table of held objects has it. It is held.Unset for a
// member that is neither held nor blocked.
func (sw *Sweeps) SetHeld(v View, id graph.NodeID, now held.Status) {
	was := v.Held.StatusAt(id)
	if was == now {
		return
	}
	for _, m := range sw.members[id] {
		if r := sw.runs[m.run]; r != nil {
			r.countHeld(id, was, -1)
			r.countHeld(id, now, 1)
		}
	}
}

// advanceSoon asks for the next step of a run.
func (sw *Sweeps) advanceSoon(v View, r *run) {
	if r.node == 0 {
		sw.dirty = true
		return
	}
	v.Out.Look(r.node, queue.Normal)
}

// Observe takes the new state of a node into account, as a holder and as a member.
func (sw *Sweeps) Observe(v View, id graph.NodeID, n graph.Node) {
	if len(sw.plans) > 0 && n.State() == graph.Observed {
		sw.noteHolder(v, id)
		sw.updateMember(v, id)
		sw.noteLabels(v, id, n)
	}
}
