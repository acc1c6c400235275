package ownergraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/policy"
)

// This file has the questions that the Collector asks its engine. They change nothing.

const (
	// maxNamed bounds the number of kinds, or of calls, that one text names.
	maxNamed = 8
	// heldSlice is the number of nodes that one heldFrom looks at.
	heldSlice = 1024
	// maxPending bounds the pieces of work that one idleIn considers.
	maxPending = 1024
)

// heldNode is a node that was found to be held.
type heldNode struct {
	key Key
	id  observed.NodeID
}

// heldFrom looks at a slice of the nodes, from an id on, and appends the held ones to
// found. It returns the id of the next slice, if there is one.
func (e *Engine) heldFrom(found []heldNode, from observed.NodeID) (all []heldNode, next observed.NodeID, more bool) {
	if e.held.Len() <= heldSlice { // one slice has room for all of them
		found = nil
		for id := range e.held.Nodes() {
			found = append(found, heldNode{e.graph.Node(id).Key(), id})
		}
		return found, 0, false
	}
	end := min(int(from)+heldSlice, e.graph.Cap())
	for id := from; int(id) < end; id++ {
		if e.held.Has(id) {
			found = append(found, heldNode{e.graph.Node(id).Key(), id})
		}
	}
	return found, observed.NodeID(end), end < e.graph.Cap()
}

// describe appends the reports of those nodes that are still held.
func (e *Engine) describe(out []Held, some []heldNode) []Held {
	for _, n := range some {
		if e.held.Has(n.id) && e.graph.Node(n.id).Key() == n.key {
			out = append(out, e.heldAt(n.id))
		}
	}
	return out
}

// stuck returns the number of objects that are stuck. Another try alone changes
// nothing of it.
func (e *Engine) stuck() int { return e.heldCounts()[StatusStuck] + e.held.Retried() }

// underWay names the calls under way, sorted.
func (e *Engine) underWay() []string {
	var names []string
	for x := range e.calls.UnderWay() {
		names = append(names, underWayName(&x))
	}
	slices.Sort(names)
	return names
}

// underWayName describes a call under way, as Call.name does.
func underWayName(x *inflight.Call) string {
	c := Call{Type: typeFor(x.Purpose), Key: x.Key, Kind: x.Key.Kind, Finalizer: x.Handler}
	if c.Type == CallSelect {
		return c.Type.String() + " " + string(c.Kind)
	}
	return c.name()
}

// unsynced gives the reason for which not every kind is listed and well, "" for none.
func (e *Engine) unsynced() string {
	if !e.kinds.SetKnown() {
		return "the watch has not told the kinds"
	}
	var names []string
	for _, k := range e.Kinds() {
		switch {
		case k.Sick != "":
			names = append(names, fmt.Sprintf("%.200s (%.200s)", k.Kind, k.Sick))
		case !k.Listed:
			names = append(names, fmt.Sprintf("%.200s", k.Kind))
		}
	}
	more := max(len(names)-maxNamed, 0)
	names = names[:len(names)-more]
	if e.kinds.SetLost() {
		names = append(names, "those of a set that was refused")
	}
	if len(names) == 0 {
		return ""
	}
	text := "kinds that are not listed: " + strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// idleIn is Idle for the objects of a scope, and global ones. With more than maxPending
// pieces of work it is Idle.
func (e *Engine) idleIn(scope string) bool {
	if e.pending() > maxPending {
		return e.Idle()
	}
	if !e.kinds.SetKnown() || e.kindsBusy() || e.cycles.Searching() || e.audit.IsRunning() || e.sweeps.Proving(e.sweepView()) || e.sweeps.Selecting(e.sweepView()) {
		return false
	}
	in := func(id observed.NodeID) bool {
		if !e.graph.InUse(id) {
			return false
		}
		at := e.graph.Node(id).Scope()
		return at == "" || at == scope
	}
	return !e.queuedIn(in) && !e.underWayIn(in) && !e.awaitingIn(in)
}

// pending counts the pieces of work that idleIn considers.
func (e *Engine) pending() int {
	n := len(e.fanout.Woken()) + len(e.fanout.Owners()) + len(e.fence.Waiting()) + len(e.cycles.Suspects()) + e.expected.WatchLen() + e.calls.Len()
	n += e.kinds.Len()
	for _, name := range e.fence.AwaitedKinds() {
		n += len(e.fence.AwaitingKind(name))
	}
	return n + e.work.Len() + e.reads.Len() + e.expected.Len()
}

// kindsBusy reports whether a listing is under way or due, or its pruning is under way.
func (e *Engine) kindsBusy() bool {
	return !e.kinds.IsPruned() || e.kinds.ListsWanted() || e.kinds.Listing()
}

// queuedIn reports whether a node is queued for a decision, for a read, or for a look at
// its dependents. A delayed node waits for a user or the store, but for the cases of
// onlyLater.
func (e *Engine) queuedIn(in func(observed.NodeID) bool) bool {
	if slices.ContainsFunc(e.fanout.Woken(), in) || slices.ContainsFunc(e.fanout.Owners(), in) || slices.ContainsFunc(e.cycles.Suspects(), in) {
		return true
	}
	for x := range e.work.Entries() {
		m := e.state(x.Key)
		later := x.State == queue.Delayed && (!m.Reread || e.expected.IsBlocked(x.Key)) && m.Reason != policy.NeedAcknowledgement
		if x.State != queue.Idle && !later && in(x.Key) {
			return true
		}
	}
	for x := range e.reads.Entries() {
		later := x.State == queue.Delayed && e.state(x.Key).Blocked != graph.DoubtUnset
		if x.State != queue.Idle && !later && in(x.Key) {
			return true
		}
	}
	return false
}

// underWayIn reports whether a call about a node is under way.
func (e *Engine) underWayIn(in func(observed.NodeID) bool) bool {
	for _, x := range e.calls.All() {
		if x.Node != 0 && in(x.Node) {
			return true
		}
	}
	return false
}

// awaitingIn reports whether a node awaits an event that has to come, or a fence that no
// sick kind holds.
func (e *Engine) awaitingIn(in func(observed.NodeID) bool) bool {
	for id := range e.expected.Unblocked() {
		if in(id) {
			return true
		}
	}
	if slices.ContainsFunc(e.expected.AwaitingWatch(), in) {
		return true
	}
	if e.level < Level2 || e.fenceHeld() {
		return false
	}
	for _, name := range e.fence.AwaitedKinds() {
		if slices.ContainsFunc(e.fence.AwaitingKind(name), in) {
			return true
		}
	}
	return slices.ContainsFunc(e.fence.Waiting(), func(id observed.NodeID) bool { return e.state(id).AwaitsFence && in(id) })
}
