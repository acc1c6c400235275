package engine

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// end sets the end of a chain whose reason alone tells it.
func (x *explainer) end(j finding, c *explain.Condition) {
	e, n := x.e, x.e.graph.Node(j.id)
	switch j.d.Reason {
	case policy.NeedWatch:
		c.End, c.Actor, c.Next = explain.Work, "the watch to show the change", e.expected.WatchUntil(j.id)
		x.failedListing(n.Kind(), c)
	case policy.NeedGrace:
		x.grace(j.id, n, c)
	case policy.NeedAcknowledgement:
		c.End, c.Actor = explain.Time, "the time for the controller's acknowledgement"
		c.Next = later(e.work.EntryOf(j.id))
	case policy.NeedSweep:
		c.End, c.Actor = explain.Work, "the sweep of its holder"
		x.failedFence(c)
	case policy.NeedVerdict:
		x.verdict(c)
	case policy.JudgementFails: // the text has the cause, such as a condition that panics
		c.End = explain.User
		c.Text, c.Next = e.guards.Roots.Err(j.id), e.guards.Roots.RetryAt(j.id)
	case policy.NeedSelect, policy.ProtectionUnknown:
		x.selection(j, c)
	case policy.SweepUnserved:
		c.End, c.Actor = explain.Kind, held.Join(e.sweeps.Names(e.sweepView(), j.id))
	case policy.KindSick, policy.KindUnserved:
		x.sick(n.Kind(), c)
	case policy.NeedAnswer:
		c.End, c.Actor = explain.Work, "an answer of the store"
	case policy.Paused:
		x.paused(n, c)
	default: // a user keeps it, or has to correct it
		c.End, c.Text = explain.User, held.Join(x.detail(j, n))
	}
}

// detail names the parts that a user has to look at.
func (x *explainer) detail(j finding, n graph.Node) []string {
	switch j.d.Reason {
	case policy.ObjectFlawed:
		return held.Flaw(n)
	case policy.Protected, policy.DeletionRefused, policy.GuardMissing, policy.GuardUnfit:
		return x.e.guards.Detail(x.e.guardView(), n)
	case policy.HolderUnfit, policy.HolderUnguarded:
		return x.e.sweeps.Names(x.e.sweepView(), j.id)
	}
	return nil
}

// verdict sets the end of a wait for a verdict: a fence that a sick kind blocks, or the plan.
func (x *explainer) verdict(c *explain.Condition) {
	e := x.e
	switch sick := e.kinds.SickNames(); {
	case e.level < Level2:
		c.End, c.Text = explain.User, "the store has no fences, so no guard passes a deletion"
	case len(sick) > 0:
		c.End, c.Actor = explain.Kind, held.Join(sick)
	case len(e.guards.Labels.Failing()) > 0:
		c.End, c.Actor, c.Text = explain.Store, "selections by labels fail", held.Join(e.guards.Labels.Failing())
	default:
		c.End, c.Actor = explain.Work, "the plan of the deletion, behind a fence"
		x.failedFence(c)
	}
}

// failedFence replaces the end of a wait for a fence if the store begins none.
func (x *explainer) failedFence(c *explain.Condition) {
	if f := x.e.fence.Failing(); f.Times > 0 {
		c.End, c.Actor, c.Text = explain.Store, "the store begins no fence", f.Cause
		c.Since, c.Next, c.Tries = f.Since, f.Next, f.Times
	}
}

// selection sets the end of a wait for a selection by label.
func (x *explainer) selection(j finding, c *explain.Condition) {
	e := x.e
	failing := e.guards.Labels.Failing()
	next, _ := e.guards.Labels.SelectAt(e.guardView())
	if j.d.Reason == policy.NeedSelect {
		failing = e.sweeps.Failing()
		next, _ = e.sweeps.SelectAt(e.sweepView())
	}
	c.End, c.Actor = explain.Work, "a selection by label"
	if len(failing) > 0 {
		c.End, c.Actor, c.Text, c.Next = explain.Store, "selections by labels fail", held.Join(failing), next
	}
}

// maxGrace bounds the grace period that an explanation adds to a time, in seconds.
const maxGrace = 1 << 32

// grace sets the end of a wait for the grace period.
func (x *explainer) grace(id graph.NodeID, n graph.Node, c *explain.Condition) {
	seconds, marked := n.Object().GraceSeconds, x.e.state(id).Marked
	c.End, c.Actor, c.Since = explain.Time, "the grace period", marked
	if !marked.IsZero() {
		c.Next = marked.Add(time.Duration(min(seconds, maxGrace)) * time.Second)
	}
	if seconds == 0 || !marked.IsZero() && !x.now.Before(c.Next) && x.now.Sub(c.Next) > removalTime {
		c.End, c.Actor = explain.Store, "the agent of the object has to end it, or the store has to remove it"
	}
}

// barred explains why no write may go out.
func (x *explainer) barred(j finding, c explain.Condition) []explain.Condition {
	e, n := x.e, x.e.graph.Node(j.id)
	switch j.barred {
	case policy.ObserveOnly:
		c.End, c.Actor = explain.Writer, "the collector of the store"
	case policy.OtherShare:
		c.End, c.Actor = explain.Writer, "the collector of its share"
	case policy.WriteUndone:
		c.End, c.Actor, c.Tries = explain.Writer, "the writer that undoes the write", e.undone.Tries(j.id)
		c.Next = e.undone.Until(j.id)
	case policy.KindUnserved:
		x.sick(n.Kind(), &c)
	case policy.NeedListing:
		return x.listings(j, c)
	case policy.NeedAnswer:
		c.End, c.Actor = explain.Work, "an answer of the store"
	case policy.Paused:
		x.paused(n, &c)
	default:
		c.End = explain.User
	}
	return x.one(c)
}

// underWay returns the condition of an object for which a call is under way, or that
// expects an event after one. The last failure of a write is its end.
func (x *explainer) underWay(id graph.NodeID, c explain.Condition) (explain.Condition, bool) {
	e := x.e
	m, h := e.state(id), e.held.Get(id)
	if call, ok := e.calls.Of(m.Call); ok && m.Call != 0 {
		c.End, c.Actor, c.Since = explain.Work, "the answer to a call ("+typeFor(call.Purpose).String()+")", e.times.At(call.Began)
		return c, true
	}
	wait, expects := e.expected.Of(id)
	switch h.Reason {
	case policy.StoreRefused, policy.WriteFails, policy.StoreDelays:
		c.Reason, c.End, c.Text, c.Since = h.Reason, explain.Store, h.Error, h.Since
		c.Next = later(e.work.EntryOf(id))
		return c, true
	case policy.KindSick, policy.KindUnserved:
		if expects || m.Reread || h.Reason == policy.KindUnserved {
			c.Reason, c.Since = h.Reason, h.Since
			x.sick(e.graph.Node(id).Kind(), &c)
			c.Next = later(e.work.EntryOf(id))
			return c, true
		}
	case policy.Disturbed:
		c.Reason, c.End, c.Since, c.Tries = h.Reason, explain.Writer, h.Since, int(m.Conflicts)
		c.Next = later(e.work.EntryOf(id))
		return c, true
	}
	switch {
	case expects && wait.OnTimeout == inflight.TimeoutRead && wait.Wrote != 0:
		c.End, c.Actor, c.Next = explain.Work, "the watch to show the write", wait.Deadline
	case expects && (wait.OnTimeout == inflight.TimeoutList || c.Reason == policy.NeedGrace):
		c.End, c.Actor, c.Next = explain.Work, "the watch to show the object's end", wait.Deadline
	case expects:
		c.End, c.Actor, c.Next = explain.Work, "the next try", wait.Deadline
	case m.Reread:
		c.End, c.Actor, c.Since = explain.Work, "a read of the object", e.times.At(m.Changed)
	default:
		return c, false
	}
	return c, true
}

// fences explains a wait for a fence: by the kinds that have still to pass it.
func (x *explainer) fences(c explain.Condition) []explain.Condition {
	e := x.e
	s := e.fence.Status(&e.kinds)
	c.End, c.Actor, c.Since = explain.Work, "a fence", s.Began
	if e.fence.Failing().Times > 0 {
		c.Reason = policy.FenceFails
		x.failedFence(&c)
		return x.one(c)
	}
	if n, late := e.fence.Lost(); n > 0 {
		c.Reason, c.End, c.Actor, c.Tries = policy.FenceLost, explain.Kind, held.Join(fence.Names(late)), n
		return x.one(c)
	}
	sick := s.Open
	if c.Reason == policy.FenceHeld && len(sick) == 0 { // a store without fences
		for _, k := range e.Kinds() {
			if k.Sick != "" {
				sick = append(sick, k.Kind)
			}
		}
	}
	if c.Reason != policy.FenceHeld || len(sick) == 0 {
		return x.one(c)
	}
	return x.kinds(sick, c)
}

// kinds explains a wait for some kinds.
func (x *explainer) kinds(all []graph.Kind, c explain.Condition) (out []explain.Condition) {
	for _, k := range all[:x.take(len(all))] {
		d := c
		x.sick(k, &d)
		out = append(out, d)
	}
	return out
}

// listings explains a wait for listings: of the owners' kinds, or of every kind after a
// rewind.
func (x *explainer) listings(j finding, c explain.Condition) []explain.Condition {
	e := x.e
	var kinds []graph.Kind
	if e.kinds.Relisting() || e.kinds.Stale(e.graph.Node(j.id).Kind()) {
		for _, k := range e.Kinds() {
			if e.kinds.Stale(k.Kind) {
				kinds = append(kinds, k.Kind)
			}
		}
	}
	for _, i := range j.d.Owners {
		if k := e.graph.Node(j.id).OwnerAt(i).Kind; !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) > 0 {
		return x.kinds(kinds, c)
	}
	c.End, c.Actor = explain.Work, "a listing"
	return x.one(c)
}

// sick sets the end of a wait for a kind: its health, or its listing.
func (x *explainer) sick(k graph.Kind, c *explain.Condition) {
	s := x.e.kinds.Of(k)
	c.End, c.Actor, c.Text = explain.Kind, string(k), s.Sick
	switch {
	case k == "":
		c.Actor = "the set of kinds"
	case s.Sick != "":
		c.Since = x.e.times.At(s.SickAt)
	case !s.Part:
		c.Text = "the store does not serve it"
	case !s.Listed || x.e.kinds.Stale(k):
		c.End, c.Actor, c.Since = explain.Work, "the listing of "+k.Text(), x.e.times.At(s.Begun)
		x.failedListing(k, c)
	}
}

// failedListing replaces the end of a wait for a new listing if the store begins none.
func (x *explainer) failedListing(k graph.Kind, c *explain.Condition) {
	if f, is := x.e.kinds.ListFailing(k); is {
		c.End, c.Actor, c.Text = explain.Store, "the store begins no listing of "+k.Text(), f.Cause
		c.Since, c.Next = f.Since, f.Next
	}
}

// later returns the time of the next decision, the zero time for one that is due.
func later(at queue.Entry[graph.NodeID]) time.Time {
	if at.State == queue.Delayed || at.State == queue.InFlight {
		return at.At
	}
	return time.Time{}
}

// wantedReads explains a wait for reads of owners.
func (x *explainer) wantedReads(j finding) (out []explain.Condition) {
	for _, i := range j.d.Owners[:x.take(len(j.d.Owners))] {
		owner := x.e.graph.Node(x.e.view().OwnerID(j.id, i))
		out = append(out, x.read(owner, policy.NeedOwner, j.in.Owners[i].Doubt, j.id))
	}
	return out
}

// read explains a wait for the read of an owner, on behalf of a dependent or of none.
func (x *explainer) read(owner graph.Node, why policy.Reason, doubt graph.Doubt, dependent graph.NodeID) explain.Condition {
	e := x.e
	c := explain.Condition{Key: owner.Key(), Reason: why, Doubt: doubt}
	at := e.reads.EntryOf(owner.ID())
	call, under := e.calls.Of(e.reads.Under(c.Key))
	blocked := e.state(owner.ID()).Blocked
	switch {
	case under:
		c.End, c.Actor, c.Since = explain.Work, "the answer to a read of the owner", e.times.At(call.Began)
	case blocked != graph.DoubtUnset || e.state(owner.ID()).ReadFailing:
		h := e.held.Get(dependent)
		c.Reason, c.Doubt, c.Text, c.Since, c.Next, c.Tries = policy.OwnerUnknown, blocked, h.Error, h.Since, later(at), at.Attempts
		if c.End, c.Actor = explain.Store, "reads of the owner fail"; blocked == graph.UnservedKind {
			x.sick(owner.Kind(), &c)
		}
	default:
		c.End, c.Actor, c.Next = explain.Work, "a read of the owner", later(at)
	}
	return c
}

// unknownOwners explains a wait for owners that are neither present nor absent.
func (x *explainer) unknownOwners(j finding) (out []explain.Condition) {
	n := x.e.graph.Node(j.id)
	for _, i := range j.d.Owners[:x.take(len(j.d.Owners))] {
		o, ok := n.OwnerNode(i)
		if !ok {
			out = append(out, explain.Condition{Key: n.OwnerAt(i).Key, Reason: policy.OwnerUnknown, Doubt: j.in.Owners[i].Doubt, End: explain.User})
			continue
		}
		x.left++
		all := x.unknown(o, j.in.Owners[i].Doubt)
		if o.Inside(inside.Key{}).ByUID() {
			for k := range all {
				all[k].Key = n.OwnerAt(i).Key
			}
		}
		out = append(out, all...)
	}
	return out
}

// unknown explains the doubt about an owner to its end.
func (x *explainer) unknown(o graph.Node, doubt graph.Doubt) []explain.Condition {
	c := explain.Condition{Key: o.Key(), Reason: policy.OwnerUnknown, Doubt: doubt}
	switch doubt {
	case graph.Unobserved, graph.Unreadable:
		dependent := graph.NodeID(0)
		for d := range o.Dependents() {
			dependent = d.ID()
			break
		}
		c = x.read(o, policy.OwnerUnknown, doubt, dependent)
	case graph.Unlisted, graph.UnservedKind:
		x.sick(o.Kind(), &c)
	case graph.DoubtUnset:
		c.Reason, c.End = policy.OwnerSolid, explain.User
	default: // the author of the reference has to correct it
		c.End = explain.User
	}
	return x.one(c)
}

// braked explains a wait for the brake.
func (x *explainer) braked(j finding, c explain.Condition) (out []explain.Condition) {
	w, waits := x.e.brake.WaitOf(j.id)
	switch {
	case j.braked == brake.NeedCount:
		c.End, c.Actor = explain.Work, "the count of its cascade"
	case j.braked == brake.NeedListings:
		return x.unlistedKinds(c)
	case !waits: // the next decision makes it wait
		c.End, c.Actor, c.Next = explain.Work, "the queue", later(x.e.work.EntryOf(j.id))
	case j.braked == brake.NeedToken:
		c.End, c.Actor, c.Next = explain.Time, "the window of the brake", w.Next
	default:
		c.End, c.Text = explain.User, held.Join(reports{x.e}.brakeDetail(j.id))
	}
	return x.one(c)
}

// unlistedKinds explains a wait until every kind is listed.
func (x *explainer) unlistedKinds(c explain.Condition) []explain.Condition {
	var kinds []graph.Kind
	for _, k := range (reports{x.e}).unlisted() {
		kinds = append(kinds, k.Kind)
	}
	if len(kinds) > 0 {
		return x.kinds(kinds, c)
	}
	c.End, c.Actor = explain.Work, "the set of kinds"
	return x.one(c)
}
