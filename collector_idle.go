package ownergraph

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// mostHeld bounds what WaitIdle returns.
const mostHeld = 1000

// waiter is a WaitIdle under way. The collector's lock guards since; held is
// written once, before done is closed.
type waiter struct {
	since seq.Stamp // everything committed before has to be observed
	done  chan struct{}
	held  []Held
}

// WaitIdle waits until nothing more can happen without the outside, and returns
// what is held then, by key, and why: at most 1,000 objects. It may be called
// before Run.
//
// On a store of level 2 everything that was committed before the call, and
// whatever a handler does before it returns, is taken into account: a fence of
// the call's own has to pass. Below level 2 nobody can tell whether events are
// still on the way, and a write just before the call may go unseen. The
// engine's own writes count at every level. A kind that is sick by the store's
// own word is not waited for; a watch that is down is.
//
// Errors: the context's, wrapped, with what it waited for: calls, a watch that is
// down, kinds that are not listed, and kinds that have not passed the fence; ErrClosed
// when the collector has ended. Held by TestFenceLost, TestWaitIdleSaysWhy, TestWaitIdle, TestWaitIdleSeesLateEvents,
// TestWaitIdleAfterHandlers, TestWaitIdleWatchDown, TestWaitIdleFenceTakenBack
// and TestWaitIdleEnds.
func (c *Collector) WaitIdle(ctx context.Context) ([]Held, error) {
	w := &waiter{done: make(chan struct{})}
	c.mu.Lock()
	w.since = c.engine.BeginWait(time.Now())
	c.waiters[w] = struct{}{}
	c.mu.Unlock()
	c.wake()
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

// leave takes a waiter back and says how things stand.
func (c *Collector) leave(w *waiter) (s Stats, why []string) {
	c.locked(func(_ *Engine, now time.Time) {
		delete(c.waiters, w)
		s, why = c.stats(), c.waitsFor(now)
	})
	return s, why
}

// answer lets those go who have waited for this moment. It reports whether the engine
// has asked for a fence on behalf of the others.
func (c *Collector) answer() (asked bool) {
	if len(c.waiters) == 0 || !c.engine.Idle() || !c.settled() {
		return false
	}
	was := c.engine.fence.WantedAfter()
	for w := range c.waiters {
		if c.engine.WaitOver(w.since) {
			w.held = c.engine.Held(mostHeld)
			delete(c.waiters, w)
			close(w.done)
		}
	}
	return c.engine.fence.WantedAfter() > was
}

// resync makes whoever waits wait for what a handler has done to the store.
func (c *Collector) resync() {
	if len(c.waiters) == 0 {
		return
	}
	since := c.engine.BeginWait(time.Now())
	for w := range c.waiters {
		w.since = since
	}
}
