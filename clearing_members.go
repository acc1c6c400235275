package ownergraph

import (
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
)

// mostSample bounds how many of a clearing's held members are named.
const mostSample = 8

// claimants yields who is meant by a claim of an object: the observed holders
// of that name in its scope and among the global ones, or the owner itself.
func (e *Engine) claimants(plan int, o Object, c finalizer.Claim) func(yield func(observed.NodeID, Object) bool) {
	t := &e.clear
	return func(yield func(observed.NodeID, Object) bool) {
		scopes := [...]string{"", o.Scope}
		for i, scope := range scopes {
			if i == 1 && scope == "" {
				return
			}
			ids := t.holders[holderName{plan, scope, c.Name}]
			if c.Rest {
				ids = ids[:min(len(ids), mostByRest)]
			}
			for _, id := range ids {
				if h := t.known[id]; t.plans[plan].Holds(h, o, c) && !yield(id, h) {
					return
				}
			}
		}
	}
}

// mostByRest bounds how many holders a decision compares with an object that names
// more than its claims say. With more of them such an object is contested.
const mostByRest = 32

// crowded reports whether there are more holders than that.
func (e *Engine) crowded(plan int, o Object, c finalizer.Claim) bool {
	of := func(scope string) int { return len(e.clear.holders[holderName{plan: plan, scope: scope}]) }
	return c.Rest && max(of(""), of(o.Scope)) > mostByRest
}

// enlist counts a node as a member of the clearings that it belongs to, and of
// no others.
func (e *Engine) enlist(id observed.NodeID) {
	c := &e.clear
	if len(c.runs) == 0 {
		if len(c.members) > 0 {
			c.members = map[observed.NodeID][]membership{}
		}
		clear(c.yielded)
		if len(c.labels.marks)+len(c.labels.passes)+len(c.labels.wanted) > 0 {
			c.labels.forget()
		}
		return
	}
	e.refute(id)
	o := e.graph.Node(id).Object()
	var now []membership
	var by []finalizer.Claim
	fixed := true
	for i, p := range c.plans {
		for claim := range e.claims(i, id, o, true) {
			if fixed = fixed && p.Sweep().Members[claim.Members].Where == nil; !claim.Fixed {
				by = append(by, claim)
			}
			if !claim.Shadow {
				now = e.enlistBy(now, id, i, o, claim)
			}
		}
	}
	for i := range now {
		now[i].fixed, now[i].by = now[i].fixed && fixed, by
	}
	e.discharge(id, now, false)
}

// enlistBy adds the memberships that one claim makes.
func (e *Engine) enlistBy(now []membership, id observed.NodeID, plan int, o Object, claim finalizer.Claim) []membership {
	c := &e.clear
	add := func(r runID) {
		i := slices.IndexFunc(now, func(m membership) bool { return m.run == r })
		switch {
		case i < 0:
			now = append(now, membership{run: r, kind: o.Kind, phase: c.plans[plan].PhaseOf(o), since: e.state(id).Known, fixed: claim.Fixed, owned: claim.Key.UID != ""})
		default:
			now[i].fixed = now[i].fixed || claim.Fixed
			now[i].owned = now[i].owned && claim.Key.UID != ""
		}
	}
	for h := range e.claimants(plan, o, claim) {
		if r, ok := c.of[runKey{h, plan}]; ok {
			add(r)
		}
	}
	for _, scope := range [...]string{"", o.Scope} {
		if r, ok := c.ghosts[holderName{plan, scope, claim.Name}]; ok && c.plans[plan].Holds(c.runs[r].holder, o, claim) {
			add(r)
		}
	}
	return now
}

// discharge makes now the memberships of a node, whose former ones end; gone
// says that the node itself is.
func (e *Engine) discharge(id observed.NodeID, now []membership, gone bool) {
	c := &e.clear
	was := c.members[id]
	for _, m := range was {
		i := slices.IndexFunc(now, func(n membership) bool { return n.run == m.run })
		switch {
		case c.runs[m.run] == nil: // it is over
		case i < 0:
			if gone {
				c.runs[m.run].gone++
				e.counts.MembersGone++
			}
			e.countMember(id, m, -1)
		case m.phase != now[i].phase:
			e.countMember(id, m, -1)
			e.countMember(id, now[i], 1)
		}
		if i >= 0 && m.fixed && now[i].fixed && slices.Equal(m.by, now[i].by) {
			now[i].since = m.since
		}
	}
	for _, n := range now {
		if !slices.ContainsFunc(was, func(m membership) bool { return n.run == m.run }) {
			c.runs[n.run].total++
			e.counts.Members++
			e.countMember(id, n, 1)
		}
	}
	switch {
	case len(now) > 0:
		c.members[id] = now
	case len(was) > 0:
		delete(c.members, id)
	}
}

// countMember keeps the figures of a clearing, and has its holder looked at when
// they let something begin.
func (e *Engine) countMember(id observed.NodeID, m membership, d int) {
	r := e.clear.runs[m.run]
	r.seen = e.seq.Stamp()
	r.left[m.phase] += d
	r.members += d
	if r.kinds[m.kind] += d; r.kinds[m.kind] == 0 {
		delete(r.kinds, m.kind)
	}
	if e.held.Has(id) {
		r.block(id, d)
	}
	was := r.open
	if r.open = e.clear.plans[r.plan].Open(r.left); r.open > was {
		e.walkAgain()
	}
	if r.members == 0 || r.gone%noteEvery == 0 || r.members == e.clear.plans[r.plan].Sweep().ConfirmAbove {
		e.lookAt(r)
	}
}

// noteEvery is how many members go between two reports of a sweep.
const noteEvery = 1024

// block counts a member that is held, or that is so no more.
func (r *clearing) block(id observed.NodeID, d int) {
	r.blocked += d
	i, in := slices.BinarySearch(r.sample, id)
	switch {
	case d < 0 && in:
		r.sample = slices.Delete(r.sample, i, i+1)
	case d > 0 && !in && len(r.sample) < mostSample:
		r.sample = slices.Insert(r.sample, i, id)
	}
}

// settleMember notes whether a member is held.
func (e *Engine) settleMember(id observed.NodeID, held bool) {
	if e.held.Has(id) == held {
		return
	}
	for _, m := range e.clear.members[id] {
		if r := e.clear.runs[m.run]; r != nil && held {
			r.block(id, 1)
		} else if r != nil {
			r.block(id, -1)
		}
	}
}

// lookAt has a clearing seen to.
func (e *Engine) lookAt(r *clearing) {
	if r.node == 0 {
		e.clear.stir = true
		return
	}
	e.work.Add(r.node, queue.Normal)
}

// noteMember takes a node's new state into account, of an object as a holder and
// as a member.
func (e *Engine) noteMember(id observed.NodeID, n observed.Node) {
	if len(e.clear.plans) > 0 && n.State() == observed.Observed {
		e.noteHolder(id)
		e.enlist(id)
		e.hint(id, n)
	}
}
