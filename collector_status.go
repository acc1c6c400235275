package ownergraph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/policy"
)

const (
	// heldDetails is the number of held objects that Held describes under one lock.
	heldDetails = 8
	// rootSlice is the number of roots that Roots finds under one lock.
	rootSlice = 64
	// maxHeld bounds the number of objects that WaitIdle returns.
	maxHeld = 1000
	// scopeLook is the time between two looks of a WaitIdleIn. A look makes no request.
	scopeLook = 10 * time.Millisecond
)

// ask asks the engine one question under the lock.
func ask[T any](c *Collector, question func(engine.Driver) T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return question(c.engine)
}

// Stats returns the engine's figures. It does not walk the graph. A prefetched call that
// no worker has begun is neither under way nor counted.
//
//test:by TestCollectorPrefetch TestCollectorPrefetchCounts
func (c *Collector) Stats() (s engine.Stats) {
	c.locked(func(engine.Driver, time.Time) { s = c.stats() })
	return s
}

func (c *Collector) stats() engine.Stats {
	s := c.engine.Stats()
	calls, results := c.prefetch.State()
	for i := range calls {
		s.Calls.Add(calls[i].Type, -1)
	}
	idle := len(calls) + results
	s.InFlight -= idle
	s.ByStatus.Add(engine.StatusMoving, -idle)
	if c.batches.Max() > 1 {
		s.Batches = engine.BatchStats(c.batches.State())
	}
	return s
}

// Kinds returns the health of every kind that takes part, by name. A kind is sick while the watch is down, and
// until the watch has listed it anew. The reason is the error of the watch.
//
//test:by TestCollectorRecoveredUnlisted
func (c *Collector) Kinds() []engine.KindStatus { return ask(c, engine.Driver.Kinds) }

// Running returns the runs of handlers under way, by key and finalizer. A high age shows a run that hangs.
func (c *Collector) Running() []engine.HandlerRun { return ask(c, engine.Driver.Running) }

// Held returns at most limit of the objects that are held or blocked, by key, with the reason. Held ones are
// pending or stuck (see engine.Status), and Stats.Held counts them alone. Held looks at a slice of the objects at
// a time and lets the engine go on in between. With many objects its result mixes several moments.
//
//test:by TestHeldInSlices
func (c *Collector) Held(limit int) []engine.Held {
	return c.held(limit, func(Key) bool { return true })
}

// HeldIn is Held for the objects of one scope.
//
//test:by TestWaitIdleInHeld
func (c *Collector) HeldIn(scope string, limit int) []engine.Held {
	return c.held(limit, func(k Key) bool { return k.Scope == scope })
}

// held returns the first held objects with such keys.
func (c *Collector) held(limit int, in func(Key) bool) []engine.Held {
	limit = max(limit, 0)
	var found []held.Node
	for from, more := graph.NodeID(0), true; more; {
		c.locked(func(e engine.Driver, _ time.Time) { found, from, more = e.HeldFrom(found, from) })
		found = slices.DeleteFunc(found, func(n held.Node) bool { return !in(n.Key) })
		if !more || len(found) >= 2*limit+held.Slice {
			slices.SortFunc(found, func(a, b held.Node) int { return a.Key.Compare(b.Key) })
			found = found[:min(limit, len(found))]
		}
	}
	out := make([]engine.Held, 0, len(found))
	for nodes := range slices.Chunk(found, heldDetails) {
		c.locked(func(e engine.Driver, _ time.Time) { out = e.Describe(out, nodes) })
	}
	return out
}

// HeldReasons counts the held and the blocked objects by reason, in the order of the reasons. The
// reason has the status. HeldReasons lets the engine go on in between as Held does.
//
//test:by engine.TestHeldReasons engine.TestHeldReasonsOfFewer
func (c *Collector) HeldReasons() (out []engine.HeldReason) {
	sum := map[policy.Reason]engine.HeldReason{}
	for from, more := graph.NodeID(0), true; more; {
		c.locked(func(e engine.Driver, _ time.Time) { from, more = e.HeldReasons(sum, from) })
	}
	for _, r := range slices.Sorted(maps.Keys(sum)) {
		out = append(out, sum[r])
	}
	return out
}

// Roots returns the roots of the deletions of some objects, one for each key. They are those of
// the object's own deletion if it is marked or gone, otherwise those of one that begins now.
// Roots returns the zero Root for an object that the engine neither observes nor knows from a
// reference. It makes no request.
//
//test:by TestCollectorRoots
func (c *Collector) Roots(keys ...Key) []engine.Root {
	out := make([]engine.Root, 0, len(keys))
	for some := range slices.Chunk(keys, rootSlice) {
		c.locked(func(e engine.Driver, _ time.Time) {
			for _, k := range some {
				out = append(out, e.RootsOf(k))
			}
		})
	}
	return out
}

// Deletions returns at most limit of the deletions under way, by root. An object with several roots counts
// for each of them. Deletions looks at a slice of the objects at a time, as Held does, and makes no request.
//
//test:by engine.TestDeletions
func (c *Collector) Deletions(limit int) (out []engine.Deletion) {
	t := history.NewTally(limit)
	for from, more := graph.NodeID(0), true; more; {
		c.locked(func(e engine.Driver, _ time.Time) { from, more = e.TallyFrom(t, from) })
	}
	for _, d := range t.Cascades() {
		out = append(out, engine.Deletion(d))
	}
	return out
}

// WaitIdle waits until nothing more can happen without a user or the store. It returns at most 1,000 of the
// objects that are held or blocked then, by key, with the reason. With more than 8 it returns them as Held does. It may be
// called before Run.
//
// On a store of level 2 it takes into account every commit before the call, and everything that a handler does
// before it returns. A fence of the call's own has to pass. Below level 2 no client can tell whether events are
// still on the way, and a write just before the call may go unseen. The engine's own writes count at every level.
// WaitIdle does not wait for a kind that is sick by the store's own word. It does wait for a watch that is down.
//
// After the end of the collector the error is ErrClosed. Otherwise it wraps the context's and gives the reason of
// the wait. Reasons are calls, a watch that is down, kinds that are not listed, and kinds that have not passed the
// fence.
//
//test:by TestFenceLost TestWaitIdleSaysWhy TestWaitIdle TestWaitIdleSeesLateEvents
//test:by TestWaitIdleAfterHandlers TestWaitIdleWatchDown TestWaitIdleFenceTakenBack
//test:by TestWaitIdleEnds
func (c *Collector) WaitIdle(ctx context.Context) ([]engine.Held, error) {
	var few []engine.Held // nil for many, which Held describes in slices
	err := c.wait(ctx, &c.idle, func(since seq.Stamp) bool {
		over := c.engine.TryEndWait(since)
		if n := c.engine.Stats(); over && n.Held()+n.ByStatus.Of(engine.StatusBlocked) <= heldDetails {
			few = c.engine.Held(maxHeld)
		}
		return over
	}, c.fromNow)
	switch {
	case err == nil && few == nil:
		return c.Held(maxHeld), nil
	case err == nil:
		return few, nil
	case err == ErrClosed:
		return nil, err
	}
	var s engine.Stats
	var why []string
	c.locked(func(_ engine.Driver, now time.Time) { s, why = c.stats(), c.waitsFor(now) })
	state := fmt.Sprintf("%s under way, %s queued, %d held", spell.Counted(s.InFlight, "call", "calls"), spell.Counted(s.ByStatus.Of(engine.StatusQueued), "object", "objects"), s.Held())
	return nil, fmt.Errorf("wait until idle: %s: %w", strings.Join(append([]string{state}, why...), "; "), err)
}

// WaitIdleIn is WaitIdle for one scope. It waits until nothing more can happen to the
// objects of the scope without a user or the store. It returns at most 1,000 of the
// objects of the scope that are held then, by key, with the reason. It does not wait for
// objects of other scopes. It waits for global objects, since they may own objects of any
// scope, and leaves out those that are held. So WaitIdle, and not WaitIdleIn, says that
// the cascade of a global owner is over.
//
// It takes commits before the call into account as WaitIdle does. While the engine works
// on more than about a thousand objects, WaitIdleIn returns when nothing at all is left to
// do. Its errors are those of WaitIdle.
//
//test:by TestWaitIdleIn TestWaitIdleInSeesLateEvents TestWaitIdleInEnds
func (c *Collector) WaitIdleIn(ctx context.Context, scope string) ([]engine.Held, error) {
	w := c.join(&c.idle, c.engine.TryEndWait, c.fromNow) // after the end of a handler it waits for a later fence
	defer c.leave(&c.idle, w)
	look := time.NewTicker(scopeLook)
	defer look.Stop()
	for {
		select {
		case <-w.Done(): // nothing at all is left to do
			return c.HeldIn(scope, maxHeld), nil
		case <-look.C:
			if c.idleIn(w, scope) {
				return c.HeldIn(scope, maxHeld), nil
			}
		case <-c.ended:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until scope %q is idle: %w", scope, context.Cause(ctx))
		}
	}
}

// idleIn reports whether the wait for a scope is over.
func (c *Collector) idleIn(w *run.Waiter, scope string) (idle bool) {
	c.locked(func(e engine.Driver, _ time.Time) {
		idle = c.watchListed() && !c.record.isUntried() && e.TryEndWaitIn(w.Since, scope)
	})
	if !idle {
		c.wake() // a fence may be wanted
	}
	return idle
}

// waitAgain makes the waiters wait for everything that a handler has done to the store.
func (c *Collector) waitAgain(now time.Time) {
	if c.idle.Len() > 0 {
		c.idle.Again(c.engine.BeginWait(now))
	}
}

// waitsFor names the causes for which a WaitIdle goes on, beside calls and queues.
func (c *Collector) waitsFor(now time.Time) (why []string) {
	if text := c.watch.Why(); text != "" {
		why = append(why, text)
	}
	if c.record.isUntried() {
		why = append(why, "record not read")
	}
	var unlisted []string
	for _, k := range c.engine.Kinds() {
		if !k.Listed && k.Sick == "" || c.watch.Doubts(k.Kind) {
			unlisted = append(unlisted, string(k.Kind))
		}
	}
	if len(unlisted) > 0 {
		why = append(why, "not listed: "+run.FirstNames(unlisted, len(unlisted)))
	}
	return append(why, c.engine.WhyNotIdle(now)...)
}

// Synced waits until the watch is up and every kind that takes part is listed, and
// then returns nil. It is the probe of readiness: it makes no request, begins no
// fence, and changes nothing. It may be called before Run, from several goroutines,
// and again and again. It waits for a kind that is sick, and for a kind of which a
// listing is wanted again after a restore or after the watch broke.
//
// Commits before the call may still be on their way. WaitIdle waits for them, and for the
// end of the work.
//
// After the end of the collector the error is ErrClosed. Otherwise it wraps the cause of
// the context's end. It names at most 8 kinds that are not listed, with the reasons.
//
//test:by TestSynced TestSyncedAgain TestSyncedLate TestSyncedEnds
func (c *Collector) Synced(ctx context.Context) error {
	err := c.wait(ctx, &c.synced, func(seq.Stamp) bool { return true }, func(*run.Waiter, time.Time) { c.wake() })
	switch {
	case err == nil:
		return nil
	case err == ErrClosed:
		return err
	}
	if why := c.unsynced(); why != "" {
		return fmt.Errorf("wait until synced: %s: %w", why, err)
	}
	return nil // since this moment
}

// unsynced names the cause for which a Synced waits, "" if none does.
func (c *Collector) unsynced() (why string) {
	c.locked(func(e engine.Driver, _ time.Time) {
		switch {
		case !c.begun:
			why = "Run has not begun"
		case !c.watch.Up():
			why = "the watch is down"
		default:
			why = e.WhyUnsynced()
		}
	})
	return why
}

// Orders returns the progress of at most limit of the cascades in phases, by root.
func (c *Collector) Orders(limit int) []engine.OrderStatus {
	return ask(c, func(e engine.Driver) []engine.OrderStatus { return e.Orders(limit) })
}

// Sweeps returns the progress of at most limit of the sweeps under way, by holder.
func (c *Collector) Sweeps(limit int) []engine.SweepStatus {
	return ask(c, func(e engine.Driver) []engine.SweepStatus { return e.Sweeps(limit) })
}
