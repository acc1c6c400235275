package ownergraph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/queue"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	// mostPending bounds how many pieces of work one look at a scope considers. With
	// more of them under way the scope counts as idle when the engine is.
	mostPending = 1024
	// scopeLook is how often a WaitIdleIn looks. It makes no request.
	scopeLook = 10 * time.Millisecond
)

// WaitIdleIn is WaitIdle for one scope: it waits until nothing more can happen to the
// objects of the scope without the outside, and returns what is held of them then, by
// key, and why: at most 1,000 objects. Work on objects of other scopes is not waited
// for. Work on global objects is, since they may own objects of any scope. What is held
// of them is left out; so the cascade of a global owner is over when WaitIdle says so.
//
// What was committed before the call is taken into account as WaitIdle does. While more
// than about a thousand objects are worked on, it returns when nothing at all is left to
// do. Errors: those of WaitIdle. Held by TestWaitIdleIn, TestWaitIdleInSeesLateEvents and
// TestWaitIdleInEnds.
func (c *Collector) WaitIdleIn(ctx context.Context, scope string) ([]Held, error) {
	w := &waiter{done: make(chan struct{})}
	c.locked(func(e *Engine, now time.Time) {
		e.tick(now)
		w.since = e.seq.Stamp()
		e.observedSince(w.since)
		c.waiters[w] = struct{}{} // a handler that ends has it wait for a later fence
	})
	defer c.leave(w)
	c.wake()
	look := time.NewTicker(scopeLook)
	defer look.Stop()
	for {
		select {
		case <-w.done: // nothing at all is left to do
			return c.HeldIn(scope, mostHeld), nil
		case <-look.C:
			if c.idleIn(w, scope) {
				return c.HeldIn(scope, mostHeld), nil
			}
		case <-c.ended:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until scope %q is idle: %w", scope, context.Cause(ctx))
		}
	}
}

// idleIn reports whether what a waiter waits for has happened in a scope.
func (c *Collector) idleIn(w *waiter, scope string) (idle bool) {
	c.locked(func(e *Engine, _ time.Time) {
		idle = c.settled() && e.observedSince(w.since) && e.idleIn(scope)
	})
	if !idle {
		c.wake() // a fence may be wanted
	}
	return idle
}

// HeldIn is Held for the objects of one scope. Held by TestWaitIdleInHeld.
func (c *Collector) HeldIn(scope string, limit int) []Held {
	var found []heldNode
	for from, more := graph.NodeID(0), true; more; {
		c.locked(func(e *Engine, _ time.Time) { found, from, more = e.heldFrom(found, from) })
		found = slices.DeleteFunc(found, func(n heldNode) bool { return n.key.Scope != scope })
	}
	slices.SortFunc(found, func(a, b heldNode) int { return a.key.Compare(b.key) })
	found = found[:min(max(limit, 0), len(found))]
	out := make([]Held, 0, len(found))
	for some := range slices.Chunk(found, heldDetails) {
		c.locked(func(e *Engine, _ time.Time) { out = e.describe(out, some) })
	}
	return out
}

// observedSince reports whether everything that was committed before the moment is
// observed, as far as kinds are well, and asks for a fence if none is on its way.
func (e *Engine) observedSince(at seq.Stamp) bool {
	if e.fence.Serves(at, &e.kinds) {
		return true
	}
	e.fence.Want(at, e.now)
	return false
}

// idleIn is Idle as far as it is about the objects of a scope, and global ones.
func (e *Engine) idleIn(scope string) bool {
	if e.pending() > mostPending {
		return e.Idle()
	}
	if !e.kinds.SetKnown() || e.kindsBusy() || e.cycles.Searching() || e.audit.under || e.clearing() || e.selecting() {
		return false
	}
	in := func(id graph.NodeID) bool {
		if !e.graph.InUse(id) {
			return false
		}
		at := e.graph.Node(id).Scope()
		return at == "" || at == scope
	}
	return !e.queuedIn(in) && !e.underWayIn(in) && !e.awaitingIn(in)
}

// pending counts the work that a look at a scope considers.
func (e *Engine) pending() int {
	n := len(e.wakes) + len(e.fans) + len(e.fence.Waiting()) + len(e.cycles.Suspects()) + len(e.parked) + len(e.flights)
	n += e.kinds.Len()
	for _, name := range e.fence.AwaitedKinds() {
		n += len(e.fence.AwaitingKind(name))
	}
	return n + e.work.Len() + e.asks.Len() + e.awaits.len()
}

// kindsBusy reports whether a listing is under way or due, or its end is being told.
func (e *Engine) kindsBusy() bool {
	return !e.kinds.IsPruned() || e.kinds.ListsWanted() || e.kinds.Listing()
}

// queuedIn reports whether a node is to be decided or read, or those who depend on it
// are to be looked at. What waits for its time waits for somebody outside, but for the
// cases of onlyLater.
func (e *Engine) queuedIn(in func(graph.NodeID) bool) bool {
	if slices.ContainsFunc(e.wakes, in) || slices.ContainsFunc(e.fans, in) || slices.ContainsFunc(e.cycles.Suspects(), in) {
		return true
	}
	for x := range e.work.Entries() {
		m := e.state(x.Key)
		later := x.State == queue.Delayed && (!m.Reread || e.awaits.held(x.Key)) && m.Reason != policy.NeedAcknowledgement
		if x.State != queue.Idle && !later && in(x.Key) {
			return true
		}
	}
	for x := range e.asks.Entries() {
		later := x.State == queue.Delayed && e.state(x.Key).Blocked != graph.DoubtUnset
		if x.State != queue.Idle && !later && in(x.Key) {
			return true
		}
	}
	return false
}

// underWayIn reports whether a call about a node is under way.
func (e *Engine) underWayIn(in func(graph.NodeID) bool) bool {
	for _, f := range e.flights {
		if f.node != 0 && in(f.node) {
			return true
		}
	}
	return false
}

// awaitingIn reports whether a node awaits what will come by itself: an event, a fence
// that no sick kind holds.
func (e *Engine) awaitingIn(in func(graph.NodeID) bool) bool {
	for i := range int32(e.awaits.list.Len()) {
		if a := e.awaits.list.At(i); a.then != thenHeld && !a.outside && in(a.node) {
			return true
		}
	}
	for id := range e.parked {
		if in(id) {
			return true
		}
	}
	if e.level < Level2 || e.fenceHeld() {
		return false
	}
	for _, name := range e.fence.AwaitedKinds() {
		if slices.ContainsFunc(e.fence.AwaitingKind(name), in) {
			return true
		}
	}
	return slices.ContainsFunc(e.fence.Waiting(), func(id graph.NodeID) bool { return e.state(id).AwaitsFence && in(id) })
}
