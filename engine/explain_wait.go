package engine

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/handlers"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	// maxConditions bounds the conditions of one explanation.
	maxConditions = 64
	// maxBranches bounds the conditions of one object, and maxDepth the length of a chain.
	maxBranches = 8
	maxDepth    = 16
	// maxScanned bounds the dependents that the explanation of one object looks at.
	maxScanned = 128
)

// take returns how many of n conditions of one object the bounds allow, and counts the rest.
func (x *explainer) take(n int) int {
	k := min(n, maxBranches, x.left)
	x.left -= k
	x.cut += n - k
	return k
}

// one returns a list of one condition, if the bounds allow it.
func (x *explainer) one(c explain.Condition) []explain.Condition {
	if x.take(1) == 0 {
		return nil
	}
	return []explain.Condition{c}
}

// visit follows a chain to another object.
func (x *explainer) visit(id graph.NodeID) explain.Condition {
	n := x.e.graph.Node(id)
	c := explain.Condition{Key: n.Key()}
	if n.State() != graph.Observed { // a read alone has shown it
		c.Reason, c.End = policy.OwnerSolid, explain.User
		return c
	}
	j := x.judge(id)
	c.Reason, c.Doubt = j.d.Reason, j.d.Doubt
	if at := slices.Index(x.path, id); at >= 0 {
		c.End, c.Actor = explain.Ring, "this engine"
		for _, member := range x.path[at:] {
			o := x.e.graph.Node(member)
			if c.Ring = append(c.Ring, o.Key()); !o.Waiting() {
				c.Actor = ""
			}
		}
		return c
	}
	if x.left == 0 || len(x.path) == maxDepth {
		x.cut++
		c.End = explain.Cut
		return c
	}
	x.path = append(x.path, id)
	c.For = x.conditions(j)
	x.path = x.path[:len(x.path)-1]
	switch {
	case len(c.For) == 0:
		c.End = explain.Cut
	case len(c.For) == 1 && c.For[0].Key == c.Key && c.For[0].End != explain.EndUnset && c.For[0].End != explain.Ring:
		c = c.For[0]
		x.left++
	}
	return c
}

// visits follows the chains to several objects. Total counts all of them.
func (x *explainer) visits(ids []graph.NodeID, total int) (out []explain.Condition) {
	k := x.take(max(total, len(ids)))
	for _, id := range ids[:min(k, len(ids))] {
		out = append(out, x.visit(id))
	}
	if missing := k - len(ids); missing > 0 { // they are beyond the scanned ones
		x.left += missing
		x.cut += missing
	}
	return out
}

// conditions returns the conditions for which an observed node waits.
func (x *explainer) conditions(j finding) []explain.Condition {
	e, n := x.e, x.e.graph.Node(j.id)
	c := explain.Condition{Key: n.Key(), Reason: j.d.Reason, Doubt: j.d.Doubt}
	if h := e.held.Get(j.id); h.Reason == j.d.Reason {
		c.Since = h.Since
	}
	d, ok := x.underWay(j.id, c)
	switch {
	case j.barred == policy.NeedAnswer && ok && d.End == explain.Store: // the call that has to bring the answer
		return x.one(d)
	case j.barred != policy.ReasonUnset:
		c.Reason = j.barred
		return x.barred(j, c)
	case ok:
		return x.one(d)
	}
	if j.braked != brake.AnswerUnset {
		return x.braked(j, c)
	}
	if d, ok := x.contained(n, c); ok && !j.d.Action.Writes() {
		return x.one(d)
	}
	if j.d.Action.Writes() {
		c.End, c.Actor = explain.Work, "its turn in the queue"
		c.Since, c.Next = e.times.At(e.state(j.id).Changed), later(e.work.EntryOf(j.id))
		return x.one(c)
	}
	switch j.d.Reason {
	case policy.OwnerSolid, policy.OwnedInRing:
		return x.solidOwners(j)
	case policy.OnlySelf:
		c.End, c.Ring = explain.Ring, []graph.Key{c.Key}
	case policy.NeedOwner:
		return x.wantedReads(j)
	case policy.OwnerUnknown:
		return x.unknownOwners(j)
	case policy.NeedDependents:
		return x.dependents(n)
	case policy.Restricted:
		return x.visits(held.RestrictedBy(x.e.graph, n, maxScanned))
	case policy.NeedFinalizers, policy.HandlerRuns, policy.HandlerFailed:
		return x.finalizers(j, c)
	case policy.NeedMembers:
		return x.members(j, c)
	case policy.NeedPhase:
		return x.phases(j, c)
	case policy.Contested:
		c.End, c.Text = explain.User, held.Join(e.sweeps.Rivals(e.sweepView(), j.id))
	case policy.NeedFence, policy.FenceHeld:
		return x.fences(c)
	case policy.NeedListing:
		return x.listings(j, c)
	default:
		x.end(j, &c)
	}
	return x.one(c)
}

// paused sets the end of a wait for the end of a pause.
func (x *explainer) paused(n graph.Node, c *explain.Condition) {
	names, since := x.e.pauses.Of(n)
	c.End, c.Text, c.Since = explain.User, held.Join(names), since
}

// solidOwners follows the chain to the owners that keep an object.
func (x *explainer) solidOwners(j finding) []explain.Condition {
	var ids []graph.NodeID
	for i := range j.in.Owners {
		if f := &j.in.Owners[i]; f.Class == graph.Solid && !f.Self && f.OnDelete == graph.OnDeleteUnset {
			if id := x.e.view().OwnerID(j.id, i); len(ids) >= maxBranches || !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return x.visits(ids, len(ids))
}

// dependents follows the chain to the dependents that hold an object.
func (x *explainer) dependents(n graph.Node) []explain.Condition {
	ids, total := held.Holding(x.e.graph, n, maxBranches, maxScanned)
	return x.visits(ids, total)
}

// finalizers names the controllers and handlers that hold an object.
func (x *explainer) finalizers(j finding, c explain.Condition) (out []explain.Condition) {
	e, n := x.e, x.e.graph.Node(j.id)
	names := n.Object().Finalizers
	for _, name := range names[:x.take(len(names))] {
		d := c
		if name == n.Inside(inside.Key{}).Container().Finalizer {
			out = append(out, x.contents(n, d))
			continue
		}
		d.End, d.Actor = explain.Controller, name
		p, handled := e.handlers.ProgressOf(handlers.Run{Node: j.id, Name: name})
		if handled {
			d.End, d.Tries, d.Text = explain.Handler, p.Tries, p.Err
			d.Since, d.Next = p.Since, p.Next
		}
		if d.Since.IsZero() {
			d.Since = e.state(j.id).Marked
		}
		out = append(out, d)
	}
	return out
}

// members follows the chain to the members that hold a holder.
func (x *explainer) members(j finding, c explain.Condition) []explain.Condition {
	s, ok := x.e.sweeps.StatusOf(j.id)
	if ok && len(s.Sample) > 0 {
		return x.visits(s.Sample, max(s.Held+s.Blocked, len(s.Sample)))
	}
	c.End, c.Actor = explain.Work, fmt.Sprintf("the sweep (%s left)", spell.Counted(s.MembersLeft, "member", "members"))
	if x.e.sweeps.AwaitsFence(j.id) {
		x.failedFence(&c)
	}
	if text, next := x.e.sweeps.ReadError(j.id); text != "" {
		c.End, c.Actor, c.Text, c.Next = explain.Store, "reads of the holder fail", text, next
	}
	return x.one(c)
}

// contents explains a marked container that keeps the finalizer of its actor. The chain leads to
// its members. Marked ones come first, since they wait for something.
//
//test:by ownergraph.TestExplainContainer
func (x *explainer) contents(n graph.Node, c explain.Condition) explain.Condition {
	g := x.e.graph
	c.Since = x.e.state(n.ID()).Marked
	total := g.Inside(inside.Key{}).CountContent(n.Inside(inside.Key{}).Content())
	if total == 0 {
		c.End, c.Actor = explain.Writer, n.Inside(inside.Key{}).Container().Actor
		return c
	}
	if c.For = x.visits(held.Contents(g, n, maxScanned), total); len(c.For) == 0 {
		c.End = explain.Cut
	}
	return c
}

// contained explains an unmarked member of a marked container: the actor of the container
// deletes it, whatever this engine decides.
//
//test:by ownergraph.TestExplainContainer
func (x *explainer) contained(n graph.Node, c explain.Condition) (explain.Condition, bool) {
	if n.Deleting() {
		return c, false
	}
	for _, id := range n.Inside(inside.Key{}).Containers() {
		if container := x.e.graph.Node(id); container.Deleting() {
			c.End, c.Actor, c.Since = explain.Writer, container.Inside(inside.Key{}).Container().Actor, x.e.state(id).Marked
			c.Text = container.Key().String()
			return c, true
		}
	}
	return c, false
}
