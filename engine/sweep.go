package engine

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/order"
	"github.com/ownergraph/ownergraph/internal/core/selections"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/policy"
)

// SweepStatus is the progress of the sweep of one holder. It is a value, and the receiver
// owns it.
type SweepStatus struct {
	Holder    graph.Key
	Finalizer string
	// Gone means that the holder itself is gone: it was deleted before it carried the
	// finalizer.
	Gone bool
	// Members counts the members observed so far. MembersGone of them are gone, and
	// MembersLeft exist. An object that ceased to be a member counts in neither.
	Members, MembersGone, MembersLeft int
	// Phases counts the members left by phase. The last entry counts the members that no
	// phase takes. Open is the number of phases that may delete.
	Phases []int
	Open   int
	// Kinds counts the members left by kind, sorted.
	Kinds []KindCount
	// Held counts the members that are held, and Blocked those that wait for their dependents or
	// members: see Progress. By has at most 8 of both, by key, with the reason.
	Held, Blocked int
	By            []Held
	// Waves counts the waits of members for a proof that the holder existed together
	// with them. It rises while clients create members.
	Waves int
	// Halted means that the sweep deletes no member now. The holder's own entry in Held
	// has the reason.
	Halted bool
}

// KindCount is the number of objects of a kind.
type KindCount struct {
	Kind  graph.Kind
	Count int
}

// Sweeps returns the progress of at most limit of the sweeps under way, by holder.
func (e *Engine) Sweeps(limit int) []SweepStatus {
	found := e.sweeps.Statuses(limit)
	out := make([]SweepStatus, len(found))
	for i, s := range found {
		out[i] = reports{e}.sweepStatus(s)
	}
	return out
}

// sweepStatus returns the progress of a sweep.
func (r reports) sweepStatus(s sweep.Status) SweepStatus {
	out := SweepStatus{
		Holder: s.Holder, Finalizer: s.Finalizer, Gone: s.Gone, Halted: s.Halted,
		Members: s.Members, MembersGone: s.MembersGone, MembersLeft: s.MembersLeft,
		Phases: s.Phases, Open: s.Open, Held: s.Held, Blocked: s.Blocked, Waves: s.Waves,
	}
	for _, k := range s.Kinds {
		out.Kinds = append(out.Kinds, KindCount(k))
	}
	for _, id := range s.Sample {
		out.By = append(out.By, r.heldAt(id))
	}
	slices.SortFunc(out.By, func(a, b Held) int { return a.Key.Compare(b.Key) })
	return out
}

// reportedSweep returns the progress of the first sweep of a holder for OnDecision.
func (r reports) reportedSweep(id graph.NodeID) *SweepStatus {
	s, ok := r.e.sweeps.StatusOf(id)
	if !ok {
		return nil
	}
	out := r.sweepStatus(s)
	return &out
}

// judgeSweeps judges a holder or a member of a sweep. A write that may not go out now leaves the sweep
// to go on, and so does a release that has to wait for its phase.
func (j *judgement) judgeSweeps(e *Engine, n graph.Node) {
	blocked := j.d.Action.Writes() && e.bar(n) != policy.ReasonUnset
	if !blocked && e.order.Any() && order.Releases(j.d) {
		j.notes.passed.release = true
		j.notes.release = e.order.JudgeRelease(e.orderView(), j.id)
		blocked = j.notes.release.Wait
	}
	j.notes.passed.sweep = true
	e.sweeps.Judge(e.sweepView(), j.id, j.d, blocked, j.notes.withheld, &j.notes.sweep)
	j.d, j.holder = j.notes.sweep.Decision, j.notes.sweep.Holder
}

// sweepView returns the lower machines for the sweeps.
func (e *Engine) sweepView() sweep.View {
	v := sweep.View{
		Nodes: e.view(), Kinds: &e.kinds, Fence: &e.fence, Held: &e.held, Stamps: &e.seq,
		Retries: e.calls.Retries(), Out: &e.effects, Now: e.now,
	}
	if s := e.guards.Members.Restored(); s != nil {
		v.Shown = s
	}
	v.Foreign, v.Standby = reports{e}.foreign(), e.share.IsNone()
	return v
}

// readHolder prepares the read of a holder.
func (e *Engine) readHolder(id graph.NodeID, holder graph.Key, run uint32) {
	var c Call
	e.issue(&c, inflight.Call{Purpose: inflight.ReadHolder, Node: id, Key: holder, Run: run})
	e.calls.Prepare(uint64(c.ID), &c)
}

// sweepSettings returns the parts of a config that sweeps use.
func (c Config) sweepSettings() sweep.Settings {
	return sweep.Settings{
		Sweeps: c.Sweeps, Handlers: slices.Sorted(maps.Keys(c.Handlers)), Ignore: c.Ignore,
		Override: c.Override, Page: c.settings().SelectPage,
	}
}

// selections returns the machines that want selections by labels.
func (e *Engine) selections() selections.Machines {
	return selections.Machines{View: e.sweepView(), Sweeps: &e.sweeps, Guards: &e.guards}
}

// nextSelect makes c the call for the next page of a selection, if one is due.
func (e *Engine) nextSelect(c *Call) bool {
	if !e.sweeps.Any() && !e.guards.Labels.Any() { // without sweeps no verdict counts members by labels
		return false
	}
	req, from, ok := e.selections().Next()
	if ok {
		began := e.issue(c, inflight.Call{Purpose: inflight.Select, Key: graph.Key{Kind: req.Kind}})
		c.Select = req
		from.SetSelectCall(uint64(c.ID), began)
	}
	e.carryOut()
	return ok
}
