package sweep

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// noteHolder keeps the table of holders as the graph shows them. After a change of a holder,
// the members that only this holder contested are decided again. If the plan's members depend
// on the holder itself, all members are.
func (sw *Sweeps) noteHolder(v View, id graph.NodeID) {
	n := v.Graph.Node(id)
	o, noted := n.Object(), false
	was, had := sw.known[id]
	changed := had && !was.EqualContent(o)
	for i, p := range sw.plans {
		if o.Kind != p.Sweep().Holder {
			continue
		}
		noted = true
		sw.indexHolder(i, o, id, p.IsHolder(o))
		if r, ok := sw.of[runKey{id, i}]; ok {
			sw.runs[r].holder = o
			sw.runs[r].halted = sw.runs[r].halted || !p.IsHolder(o) || sw.halt(v, id, i, o) != policy.ReasonUnset
			if changed && p.DependsOnHolder() {
				sw.runs[r].since = v.Stamps.Stamp()
				sw.WalkAgain()
			}
		}
	}
	if noted {
		if changed {
			sw.retryContested(v)
		}
		if changed || !had {
			sw.noteRelease(v, id, was, o, had)
		}
		if had && was.Version != o.Version {
			sw.holderVersionChanged(v, id, o)
		}
		if !had {
			sw.MarkDetached()
		}
		sw.known[id] = o
		switch _, dying := sw.dying[id]; {
		case !isMarked(v, id, &o):
			delete(sw.dying, id)
		case !dying:
			sw.dying[id] = v.Stamps.Stamp()
		}
	}
}

// Leave takes a node that is gone out of the tables. Unseen says that the node may have had
// states that the watch did not report.
func (sw *Sweeps) Leave(v View, id graph.NodeID, unseen bool) {
	sw.setMemberships(v, id, nil, true)
	sw.dropMatches(v, id)
	was, had := sw.known[id]
	if !had {
		return
	}
	if last, dying := sw.dying[id]; dying || slices.ContainsFunc(sw.plans, func(p *plan.Plan) bool { return p.IsHolder(was) }) {
		if !dying { // it has lived until now
			last = v.Stamps.Stamp()
		}
		sw.released(v, was, last)
	}
	delete(sw.known, id)
	delete(sw.dying, id)
	for i, p := range sw.plans {
		if was.Kind == p.Sweep().Holder {
			sw.indexHolder(i, was, id, false)
			sw.holderGone(v, i, id, was, was.Unreadable() || unseen || v.Kinds.Of(was.Kind).NeedsRelist)
		}
	}
	sw.retryContested(v)
}

// indexHolder puts a holder into the table by its names, or takes it out.
func (sw *Sweeps) indexHolder(plan int, o graph.Object, id graph.NodeID, in bool) {
	for _, name := range sw.names(plan, o) {
		sw.indexName(name, id, in)
	}
}

// names returns the keys of a holder in the table: its name, and the empty name if a claim
// with Rest alone may name it.
func (sw *Sweeps) names(plan int, o graph.Object) []holderName {
	names := []holderName{{plan, o.Scope, o.Name}}
	if sw.plans[plan].NamedByRest(o) {
		names = append(names, holderName{plan: plan, scope: o.Scope})
	}
	return names
}

// indexName puts a holder into the table by one name, or takes it out.
func (sw *Sweeps) indexName(name holderName, id graph.NodeID, in bool) {
	ids := sw.holders[name]
	switch i, ok := slices.BinarySearch(ids, id); {
	case in && !ok:
		sw.holders[name] = slices.Insert(ids, i, id)
	case !in && ok && len(ids) == 1:
		delete(sw.holders, name)
	case !in && ok:
		sw.holders[name] = slices.Delete(ids, i, i+1)
	}
}

// begin begins the run of a holder. The node is 0 for a holder that is gone.
func (sw *Sweeps) begin(v View, plan int, node graph.NodeID, holder graph.Object) *run {
	sw.last++
	r := &run{
		plan: plan, node: node, holder: holder, since: v.Stamps.Stamp(),
		left: make([]int, sw.plans[plan].Phases()), kinds: map[graph.Kind]int{},
	}
	r.open, r.first = sw.plans[plan].Phases(), sw.plans[plan].Open(slices.Repeat([]int{1}, len(r.left)))
	r.unguarded = !holder.HasFinalizer(sw.plans[plan].Sweep().Finalizer)
	sw.runs[sw.last] = r
	if node == 0 {
		sw.detach(v, r, sw.last)
	} else {
		sw.of[runKey{node, plan}] = sw.last
	}
	missing, _ := sw.missingSelects(v, r, r.since)
	sw.wantSelects(v, missing)
	sw.WalkAgain()
	return r
}

// detach makes a run one of a holder that is gone. A run of an earlier holder of the same name
// gives way to it, since both have the same members left.
func (sw *Sweeps) detach(v View, r *run, id RunID) {
	name := holderName{r.plan, r.holder.Scope, r.holder.Name}
	if former, ok := sw.detached[name]; ok {
		delete(sw.runs, former)
	}
	sw.detached[name] = id
	sw.WalkAgain()
}

// maxDetached bounds the number of detached runs.
const maxDetached = 64

// holderGone ends the run of a holder that is gone. A holder that was never guarded is reported,
// and by a setting the engine sweeps its members all the same. If the watch may have missed states
// of the holder, it is only reported. It may have been guarded and released, or belong to a lost
// history, and unknown deletes nothing. A halted run ends with its holder: nothing could let it go
// on.
//
//test:by TestUnguardedHolder
func (sw *Sweeps) holderGone(v View, plan int, id graph.NodeID, was graph.Object, unseen bool) {
	p := sw.plans[plan]
	k := runKey{id, plan}
	at, under := sw.of[k]
	r := sw.runs[at]
	delete(sw.of, k)
	if under && r.done && !r.over {
		sw.counts.Ended++
	}
	switch {
	case under && r.unguarded && !r.over && !r.halted && len(sw.detached) < maxDetached:
		r.node = 0
		sw.detach(v, r, at)
		sw.advanceSoon(v, r)
		return
	case under:
		delete(sw.runs, at)
		return
	case v.Kinds.Relisting() || was.Deleting || !p.IsHolder(was) || was.HasFinalizer(p.Sweep().Finalizer):
		return
	}
	sw.counts.Unguarded++
	v.Out.Warn("holder deleted before its finalizer was set", "reason", policy.HolderUnguarded.Code(), "key", was.Key.String(), "unseen", unseen)
	v.Out.Report(was.Key, was.Version, policy.Decision{Action: policy.Keep, Reason: policy.HolderUnguarded})
	if p.Sweep().Unguarded && p.Fit(was) == nil && !unseen && len(sw.detached) < maxDetached {
		sw.begin(v, plan, 0, was)
	}
}

// InScope returns the finalizers of the sweeps of a holder that has a scope, sorted. Members outside
// of the scope are not covered. It returns nil for every other object.
//
//test:by TestInScope
func (sw *Sweeps) InScope(o graph.Object) (out []string) {
	if o.Scope == "" {
		return nil
	}
	for _, p := range sw.plans {
		if p.IsHolder(o) {
			out = append(out, p.Sweep().Finalizer)
		}
	}
	slices.Sort(out)
	return out
}

// HoldersOf returns the observed holders that a node names, in order of their ids, at most
// maxHoldersOf. It changes nothing but the count of looks.
func (sw *Sweeps) HoldersOf(v View, id graph.NodeID) (out []graph.NodeID) {
	o := v.Graph.Node(id).Object()
	for i := range sw.plans {
		for c := range sw.claims(v, i, id, o, false) {
			for h := range sw.claimants(v, i, o, c) {
				if len(out) < maxHoldersOf && !slices.Contains(out, h) {
					out = append(out, h)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// Unfit returns a function that reports whether the sweep of a holder deletes no members. No sweep
// of a holder does whose name has the delimiter in it: see Fit of package plan. The function
// remembers the holders, and is valid while the graph does not change.
func (sw *Sweeps) Unfit(v View) func(holder graph.NodeID) bool {
	known := map[graph.NodeID]bool{}
	return func(h graph.NodeID) bool {
		unfit, ok := known[h]
		if !ok {
			o := v.Graph.Node(h).Object()
			unfit = !slices.ContainsFunc(sw.plans, func(p *plan.Plan) bool { return p.IsHolder(o) && p.Fit(o) == nil })
			known[h] = unfit
		}
		return unfit
	}
}

// maxHoldersOf bounds the holders that one object is copied with.
const maxHoldersOf = 64

// GoneHoldersOf returns the keys of the holders that are gone and whose runs count the node
// as a member.
func (sw *Sweeps) GoneHoldersOf(id graph.NodeID) (out []graph.Key) {
	for _, m := range sw.members[id] {
		if r := sw.runs[m.run]; r != nil && r.node == 0 {
			out = append(out, r.holder.Key)
		}
	}
	return out
}

// Detached reports whether the holder of a run is gone.
func (sw *Sweeps) Detached() bool { return len(sw.detached) > 0 }

// Walking reports whether a walk over the nodes is under way or due. A run may get members
// by it.
func (sw *Sweeps) Walking() bool { return len(sw.runs) > 0 && (sw.walk != 0 || sw.again) }
