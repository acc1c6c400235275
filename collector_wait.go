package ownergraph

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

const (
	// maxHeld bounds the number of objects that WaitIdle returns.
	maxHeld = 1000
	// scopeLook is the time between two looks of a WaitIdleIn. A look makes no request.
	scopeLook = 10 * time.Millisecond
)

// waiter is a WaitIdle under way. The collector's lock guards since. Held is written
// once, before done is closed.
type waiter struct {
	since seq.Stamp // the engine has to observe every commit before
	done  chan struct{}
	held  []Held
}

// WaitIdle waits until nothing more can happen without a user or the store. It returns at
// most 1,000 of the objects that are held then, by key, with the reason. It may be called
// before Run.
//
// On a store of level 2 it takes into account every commit before the call, and
// everything that a handler does before it returns. A fence of the call's own has to
// pass. Below level 2 no client can tell whether events are still on the way, and a
// write just before the call may go unseen. The engine's own writes count at every level.
// WaitIdle does not wait for a kind that is sick by the store's own word. It does wait for
// a watch that is down.
//
// After the end of the collector the error is ErrClosed. Otherwise it wraps the context's
// and gives the reason of the wait. Reasons are calls, a watch that is down, kinds that
// are not listed, and kinds that have not passed the fence.
//
// Held by TestFenceLost, TestWaitIdleSaysWhy, TestWaitIdle, TestWaitIdleSeesLateEvents,
// TestWaitIdleAfterHandlers, TestWaitIdleWatchDown, TestWaitIdleFenceTakenBack and
// TestWaitIdleEnds.
func (c *Collector) WaitIdle(ctx context.Context) ([]Held, error) {
	w := c.join()
	select {
	case <-w.done:
		return w.held, nil
	case <-c.ended:
		c.leave(w)
		return nil, ErrClosed
	case <-ctx.Done():
		s, why := c.leave(w)
		state := fmt.Sprintf("%d calls under way, %d objects queued, %d held", s.Calls, s.Queued, s.Held)
		return nil, fmt.Errorf("wait until idle: %s: %w", strings.Join(append([]string{state}, why...), "; "), context.Cause(ctx))
	}
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
// Held by TestWaitIdleIn, TestWaitIdleInSeesLateEvents and TestWaitIdleInEnds.
func (c *Collector) WaitIdleIn(ctx context.Context, scope string) ([]Held, error) {
	w := c.join() // a handler that ends has it wait for a later fence
	defer c.leave(w)
	look := time.NewTicker(scopeLook)
	defer look.Stop()
	for {
		select {
		case <-w.done: // nothing at all is left to do
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
func (c *Collector) idleIn(w *waiter, scope string) (idle bool) {
	c.locked(func(e *Engine, _ time.Time) { idle = c.watchListed() && e.wantObserved(w.since) && e.idleIn(scope) })
	if !idle {
		c.wake() // a fence may be wanted
	}
	return idle
}

// join begins a wait.
func (c *Collector) join() *waiter {
	w := &waiter{done: make(chan struct{})}
	c.locked(func(e *Engine, now time.Time) {
		w.since = e.beginWait(now)
		c.waiters[w] = struct{}{}
	})
	c.wake()
	return w
}

// leave ends a wait. It returns the figures and the causes for which the wait goes on.
func (c *Collector) leave(w *waiter) (s Stats, why []string) {
	c.locked(func(_ *Engine, now time.Time) {
		delete(c.waiters, w)
		s, why = c.stats(), c.waitsFor(now)
	})
	return s, why
}

// letIdleGo ends the waits that are over. It reports whether others go on although the
// engine is idle: they may have asked for a fence.
func (c *Collector) letIdleGo() bool {
	if len(c.waiters) == 0 || !c.engine.Idle() || !c.watchListed() {
		return false
	}
	for w := range c.waiters {
		if c.engine.tryEndWait(w.since) {
			w.held = c.engine.Held(maxHeld)
			delete(c.waiters, w)
			close(w.done)
		}
	}
	return len(c.waiters) > 0
}

// waitAgain makes the waiters wait for everything that a handler has done to the store.
func (c *Collector) waitAgain(now time.Time) {
	if len(c.waiters) == 0 {
		return
	}
	since := c.engine.beginWait(now)
	for w := range c.waiters {
		w.since = since
	}
}

// waitsFor names the causes for which a WaitIdle goes on, beside calls and queues.
func (c *Collector) waitsFor(now time.Time) (why []string) {
	switch {
	case c.watch == nil && c.broke != nil:
		why = append(why, fmt.Sprintf("the watch is down (%v)", c.broke))
	case c.watch == nil:
		why = append(why, "the watch is down")
	case !c.watch.told:
		why = append(why, "the watch has not said which kinds there are")
	}
	var unlisted []string
	for _, k := range c.engine.Kinds() {
		if own := c.watch != nil && c.watch.sick[k.Kind]; !k.Listed && k.Sick == "" || c.sick[k.Kind] && !own {
			unlisted = append(unlisted, string(k.Kind))
		}
	}
	if len(unlisted) > 0 {
		why = append(why, "not listed: "+firstNames(unlisted))
	}
	if f := c.engine.Stats().Fence; f.Open > 0 {
		names := fence.Names(f.Kinds)
		if more := f.Open - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		why = append(why, fmt.Sprintf("fence not passed by %s for %v", strings.Join(names, ", "), now.Sub(f.Since)))
	}
	return why
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
// Held by TestSynced, TestSyncedAgain, TestSyncedLate and TestSyncedEnds.
func (c *Collector) Synced(ctx context.Context) error {
	done := make(chan struct{})
	c.mu.Lock()
	c.syncing[done] = struct{}{}
	c.mu.Unlock()
	c.wake()
	select {
	case <-done:
		return nil
	case <-c.ended:
		c.unsynced(done)
		return ErrClosed
	case <-ctx.Done():
		if why := c.unsynced(done); why != "" {
			return fmt.Errorf("wait until synced: %s: %w", why, context.Cause(ctx))
		}
		return nil // since this moment
	}
}

// letSyncedGo ends every Synced, if every kind is listed.
func (c *Collector) letSyncedGo() {
	if len(c.syncing) == 0 || c.watch == nil || !c.engine.kinds.Synced() {
		return
	}
	for done := range c.syncing {
		close(done)
	}
	clear(c.syncing)
}

// unsynced ends one Synced and names the cause of its wait, "" if the wait is over.
func (c *Collector) unsynced(done chan struct{}) (why string) {
	c.locked(func(e *Engine, _ time.Time) {
		delete(c.syncing, done)
		switch {
		case !c.begun:
			why = "Run has not begun"
		case c.watch == nil:
			why = "the watch is down"
		default:
			why = e.unsynced()
		}
	})
	return why
}
