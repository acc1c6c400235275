package engine

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// Labels make members of sweeps, and a verdict counts the members. So the labels are selected
// before the verdict: for a root that holds members by labels at once, and for another root once
// its plan has asked for them.

// newMembers returns the selections of members for verdicts. Without a guard there is none.
func (e *Engine) newMembers() guards.Labels {
	var rules []guards.MemberRule
	if e.guards.Any() {
		for _, r := range e.sweeps.LabelRules() {
			rules = append(rules, guards.MemberRule(r))
		}
	}
	return guards.NewMembers(rules, e.cfg.SelectPage)
}

// selectedAt returns the moment as of which the labels are known that a verdict about an object
// needs.
func (e *Engine) selectedAt(id graph.NodeID, o *graph.Object) seq.Stamp {
	at := e.labels.SelectedAt(e.guardView())
	if e.countsMembers(id, o) {
		at = min(at, e.members.SelectedAt(e.guardView()))
	}
	return at
}

// wantSelected asks for the labels that a verdict about a marked root needs.
func (e *Engine) wantSelected(id graph.NodeID, o *graph.Object) {
	if e.labels.Any() {
		e.labels.WantAll(e.guardView(), id, e.guards.Since(id))
	}
	if e.countsMembers(id, o) {
		e.wantMembers(id, e.guards.Since(id))
	}
}

// countsMembers reports whether the verdict about a root needs members by labels. A fork asks
// nothing.
func (e *Engine) countsMembers(id graph.NodeID, o *graph.Object) bool {
	return e.members.Any() && e.members.Restored() == nil && (e.sweeps.HoldsByLabel(o.Kind) || e.guards.NeedsMembers(id))
}

// wantMembers asks for the members by labels as of a later moment.
func (e *Engine) wantMembers(id graph.NodeID, after seq.Stamp) {
	e.members.WantAll(e.guardView(), id, after)
}

// nextMembers makes c the call for the next page of a selection of members, if one is due.
func (e *Engine) nextMembers(c *Call) bool {
	req, ok := e.members.NextSelect(e.guardView())
	if ok {
		began := e.issue(c, inflight.Call{Purpose: inflight.Select, Key: graph.Key{Kind: req.Kind}})
		c.Select = req
		e.members.SetSelectCall(uint64(c.ID), began)
	}
	e.carryOut()
	return ok
}

// selectDone takes a page of a selection.
func (e *Engine) selectDone(id CallID, r Result) {
	wait, _ := e.retryIn(r.Err)
	if l := e.selecting(id); l != nil {
		l.SelectDone(e.guardView(), r.Selected, r.Err, wait)
		return
	}
	e.sweeps.SelectDone(e.sweepView(), uint64(id), r.Selected, r.Err, wait)
}

// returnSelect takes back a page of a selection.
func (e *Engine) returnSelect(id CallID) {
	if l := e.selecting(id); l != nil {
		l.ReturnSelect()
		return
	}
	e.sweeps.ReturnSelect(uint64(id))
}

// selecting returns the labels that a call under way selects for, or nil for those of a sweep.
func (e *Engine) selecting(id CallID) *guards.Labels {
	switch {
	case e.labels.Requested(uint64(id)):
		return &e.labels
	case e.members.Requested(uint64(id)):
		return &e.members
	}
	return nil
}

// dropSelects gives up the selections of the kinds that are not served any more.
func (e *Engine) dropSelects() {
	e.sweeps.DropSelects(e.sweepView())
	e.labels.DropSelects(e.guardView())
	e.members.DropSelects(e.guardView())
}

// labelsBusy reports whether a selection for guards or protections is due or under way.
func (e *Engine) labelsBusy() bool {
	return e.labels.Any() && e.labels.Busy(e.guardView()) || e.members.Any() && e.members.Busy(e.guardView())
}
