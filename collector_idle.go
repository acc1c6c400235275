package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/policy"
)

// mostHeld bounds what WaitIdle returns.
const mostHeld = 1000

// waiter is a WaitIdle under way. The collector's lock guards since; held is
// written once, before done is closed.
type waiter struct {
	since policy.Stamp // everything committed before has to be observed
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
// Errors: the context's, wrapped, with what it waited for; ErrClosed when the
// collector has ended. Held by TestWaitIdle, TestWaitIdleSeesLateEvents,
// TestWaitIdleAfterHandlers, TestWaitIdleWatchDown and TestWaitIdleEnds.
func (c *Collector) WaitIdle(ctx context.Context) ([]Held, error) {
	w := &waiter{done: make(chan struct{})}
	c.mu.Lock()
	w.since = c.engine.sync(time.Now())
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
		s := c.leave(w)
		return nil, fmt.Errorf("wait until idle: %d calls under way, %d objects queued, %d held: %w",
			s.Calls, s.Queued, s.Held, context.Cause(ctx))
	}
}

// leave takes a waiter back and says how things stand.
func (c *Collector) leave(w *waiter) (s Stats) {
	c.locked(func(*Engine, time.Time) {
		delete(c.waiters, w)
		s = c.stats()
	})
	return s
}

// answer lets those go who have waited for this moment.
func (c *Collector) answer() {
	if len(c.waiters) == 0 || !c.engine.Idle() || !c.settled() {
		return
	}
	for w := range c.waiters {
		if c.engine.synced(w.since) {
			w.held = c.engine.Held(mostHeld)
			delete(c.waiters, w)
			close(w.done)
		}
	}
}

// resync makes whoever waits wait for what a handler has done to the store.
func (c *Collector) resync() {
	if len(c.waiters) == 0 {
		return
	}
	since := c.engine.sync(time.Now())
	for w := range c.waiters {
		w.since = since
	}
}
