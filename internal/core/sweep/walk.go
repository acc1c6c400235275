package sweep

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/queue"
)

// WalkAgain asks for a walk that computes the membership of every node. The walk asks for a
// decision of each member that may be deleted by now.
func (sw *Sweeps) WalkAgain() {
	sw.again = sw.again || len(sw.runs) > 0
}

// Forgo takes back the proofs that members wait for, because some may have left the share. The walk that
// it begins asks again for the own ones. An engine without a share needs no selection either.
//
// The labels of the objects that join may have changed: see noteLabels.
func (sw *Sweeps) Forgo(v View) {
	for _, r := range sw.runs {
		r.need, r.proofAfter, r.fenceDelayed, r.labelsChanged = 0, 0, false, v.Stamps.Stamp()
	}
	if v.Standby {
		sw.labels.selects.wanted = nil
		sw.labels.selects.end()
	}
	sw.MarkDetached()
	sw.WalkAgain()
}

// HasWork reports whether a walk is under way or wanted, or a detached run has to advance.
func (sw *Sweeps) HasWork(now time.Time) bool {
	return sw.walk != 0 || sw.again || sw.mustAdvance(now)
}

// IsReady is HasWork without the work that a time alone brings: see At.
func (sw *Sweeps) IsReady() bool { return sw.walk != 0 || sw.again || sw.dirty }

// At returns the time at which a detached run has to advance, false for never.
func (sw *Sweeps) At() (time.Time, bool) { return sw.due, !sw.due.IsZero() }

func (sw *Sweeps) mustAdvance(now time.Time) bool {
	return sw.dirty || !sw.due.IsZero() && !now.Before(sw.due)
}

// Step advances the detached runs that have to, or begins the walk that is wanted. It
// reports whether a walk is under way. Then Walk follows.
func (sw *Sweeps) Step(v View) (walking bool) {
	if sw.mustAdvance(v.Now) {
		sw.stepDetached(v)
		return false
	}
	if sw.walk == 0 {
		sw.walk, sw.again, sw.began = 1, false, v.Stamps.Stamp()
	}
	return true
}

// Walk takes the walk under way on, within the budget, and returns the rest of the budget. It
// is 0 at the end of the walk. A node costs one, and so does each claim and kind that is
// considered for it. Walk returns early once it has asked for room decisions.
func (sw *Sweeps) Walk(v View, budget, room int) (rest int) {
	room += len(v.Out.Items())
	for budget > 0 && sw.hasNode(v.Graph) && len(v.Out.Items()) < room {
		before := sw.looked
		sw.walkNode(v, sw.walk)
		sw.walk++
		budget -= 1 + int(sw.looked-before)
	}
	if !sw.hasNode(v.Graph) {
		sw.endWalk(v)
		return 0
	}
	return budget
}

// hasNode reports whether the walk has still to come to a node.
func (sw *Sweeps) hasNode(g *graph.Graph) bool { return int(sw.walk) < g.Inside(inside.Key{}).Cap() }

// endWalk ends the walk after its last node.
func (sw *Sweeps) endWalk(v View) {
	before := sw.walked
	sw.walk, sw.walked, sw.dirty = 0, sw.began, len(sw.detached) > 0
	for _, id := range sw.sorted() {
		r := sw.runs[id]
		if r.node != 0 { // only the holder: a walk changes nothing for its dependents
			v.Out.Look(r.node, queue.Normal)
		}
		if before <= r.since && sw.walked > r.since && r.open > r.first { // the members of a phase wait
			sw.WalkAgain()
		}
	}
}

// walkNode counts a node as a member, and asks for its decision if it may be deleted.
func (sw *Sweeps) walkNode(v View, id graph.NodeID) {
	if !v.Graph.Inside(inside.Key{}).InUse(id) || v.Graph.Node(id).State() != graph.Observed {
		return
	}
	sw.updateMember(v, id)
	switch n := v.Graph.Node(id); {
	case n.Deleting():
		return
	case v.isForeign(id):
		if len(sw.members[id]) > 0 && len(sw.labels.rules) > 0 && sw.DependsOnLabels(n.Object()) { // an own holder may wait for its labels
			v.Out.Look(id, queue.Low)
		}
		return
	}
	for _, m := range sw.members[id] {
		r := sw.runs[m.run]
		if since := sw.claimedSince(v, id, m); !sw.proven(v, r, since) {
			sw.needProof(v, r, since)
			continue
		}
		phases, missing := sw.opened(v, r)
		sw.wantSelects(v, missing)
		if m.phase < phases {
			v.Out.Look(id, queue.Low)
		}
	}
}

// stepDetached advances the runs whose holders are gone.
func (sw *Sweeps) stepDetached(v View) {
	sw.dirty, sw.due = false, time.Time{}
	for _, id := range sw.sorted() {
		r := sw.runs[id]
		if r.node != 0 {
			continue
		}
		name := holderName{r.plan, r.holder.Scope, r.holder.Name}
		taken := len(sw.holders[name]) > 0 // a new holder of the name has the members
		p := sw.progress(v, r)
		if v.Standby { // the engines of the members have runs of their own
			p.done = r.members == 0 && sw.walked > r.since
		} else {
			sw.advance(v, r, &p)
		}
		if taken || p.done {
			delete(sw.runs, id)
			delete(sw.detached, name)
		}
		if p.done && !taken {
			sw.counts.Ended++
		}
	}
}

// MarkDetached asks for the next step of the detached runs.
func (sw *Sweeps) MarkDetached() {
	sw.dirty = sw.dirty || len(sw.detached) > 0
}
