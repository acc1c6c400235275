package ownergraph

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// syncWaiter is a Synced under way. The collector's lock guards the set of them.
type syncWaiter struct{ done chan struct{} }

// Synced waits until the watch is up and every kind that takes part is listed, and
// then returns nil. It is the probe of readiness: it makes no request, begins no
// fence, and changes nothing. It may be called before Run, from several goroutines,
// and again and again. A kind that is sick, or of which a listing is wanted again
// after a restore or after the watch broke, is waited for.
//
// What was committed before the call may still be on its way: for that, and for work
// that is to be over, there is WaitIdle.
//
// Errors: the context's cause, wrapped, with the names of at most 8 kinds that are
// not listed, and why; ErrClosed when the collector has ended. Held by TestSynced,
// TestSyncedAgain, TestSyncedLate and TestSyncedEnds.
func (c *Collector) Synced(ctx context.Context) error {
	w := &syncWaiter{make(chan struct{})}
	c.mu.Lock()
	if c.syncing == nil {
		c.syncing = map[*syncWaiter]struct{}{}
	}
	c.syncing[w] = struct{}{}
	c.mu.Unlock()
	c.wake()
	select {
	case <-w.done:
		return nil
	case <-c.ended:
		c.unlisted(w)
		return ErrClosed
	case <-ctx.Done():
		if why := c.unlisted(w); why != "" {
			return fmt.Errorf("wait until synced: %s: %w", why, context.Cause(ctx))
		}
		return nil // just now
	}
}

// admit lets those go who wait until every kind is listed, if it is so.
func (c *Collector) admit() {
	if len(c.syncing) == 0 || c.watch == nil || !c.engine.kinds.SetKnown() {
		return
	}
	if c.engine.isUnlisted(c.behind) { // mostly: so most turns walk no kinds
		return
	}
	var found bool
	if c.behind, found = c.engine.anUnlisted(); found || c.engine.kinds.SetLost() {
		return
	}
	for w := range c.syncing {
		close(w.done)
	}
	clear(c.syncing)
}

// unlisted takes a waiter back and says what it waited for, "" if there is nothing.
func (c *Collector) unlisted(w *syncWaiter) (why string) {
	c.locked(func(e *Engine, _ time.Time) {
		delete(c.syncing, w)
		switch {
		case !c.begun:
			why = "Run has not begun"
		case c.watch == nil:
			why = "the watch is down"
		case !e.kinds.SetKnown():
			why = "the watch has not told the kinds"
		default:
			if names := e.unlisted(); names != "" {
				why = "kinds that are not listed: " + names
			}
		}
	})
	return why
}

// isUnlisted reports whether the kind takes part and is sick or not listed.
func (e *Engine) isUnlisted(name Kind) bool {
	k := e.kinds.Of(name)
	return k.Part && (k.Sick != "" || !k.Listed)
}

// anUnlisted returns a kind that isUnlisted, if there is one.
func (e *Engine) anUnlisted() (Kind, bool) {
	for _, name := range e.kinds.Names() {
		if e.isUnlisted(name) {
			return name, true
		}
	}
	return "", false
}

// unlisted names kinds that are not listed, or are sick, by name.
func (e *Engine) unlisted() string {
	var names []string
	more := 0
	for _, k := range e.Kinds() {
		switch {
		case k.Listed && k.Sick == "":
		case len(names) == mostNamed:
			more++
		case k.Sick != "":
			names = append(names, fmt.Sprintf("%.200s (%.200s)", k.Kind, k.Sick))
		default:
			names = append(names, fmt.Sprintf("%.200s", k.Kind))
		}
	}
	if e.kinds.SetLost() {
		names = append(names, "those of a set that was refused")
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
