package ownergraph

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
)

// maxSaid bounds the lines of the log that wait for the logger.
const maxSaid = 1024

// wake makes the dispatch loop look at the engine.
func (c *Collector) wake() {
	select {
	case c.wakeups <- struct{}{}:
	default:
	}
}

// locked runs one step of the engine under the lock, after the waiting results. Then it
// writes the lines of the log, without the lock.
func (c *Collector) locked(step func(e engine.Driver, now time.Time)) {
	if c.underLock(step) {
		c.log.Flush(c.writeLog)
	}
}

// wait waits until a condition is met. Both functions run under the lock: begin once, to set the moment
// of the wait and to wake the dispatch loop if the wait needs a turn, and over in each turn until it
// is met. Without the shared condition of endWaits, a turn leaves over out. The error is ErrClosed, or
// the cause of the context.
func (c *Collector) wait(ctx context.Context, ws *run.Waiters, over func(since seq.Stamp) bool, begin func(w *run.Waiter, now time.Time)) error {
	w := c.join(ws, over, begin)
	if err := c.until(ctx, w.Done()); err != nil && c.leave(ws, w) {
		return err
	}
	return nil
}

func (c *Collector) join(ws *run.Waiters, over func(since seq.Stamp) bool, begin func(w *run.Waiter, now time.Time)) (w *run.Waiter) {
	c.locked(func(_ engine.Driver, now time.Time) {
		w = ws.Join(over) // first, since the engine may panic
		begin(w, now)
	})
	return w
}

// leave gives a wait up. It reports whether the wait was still under way.
func (c *Collector) leave(ws *run.Waiters, w *run.Waiter) (waits bool) {
	c.locked(func(engine.Driver, time.Time) { waits = ws.Leave(w) })
	return waits
}

// until waits for a channel. The error is ErrClosed, or the cause of the context.
func (c *Collector) until(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-c.ended:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fromNow begins a wait for every commit before now.
func (c *Collector) fromNow(w *run.Waiter, now time.Time) {
	w.Since = c.engine.BeginWait(now)
	c.wake()
}

// endWaits ends the waits that are over. It reports whether others may have asked for a fence or for
// selections. The conditions here are those that all waits of a kind share.
func (c *Collector) endWaits() (asked bool) {
	e := c.engine
	if c.synced.Len() > 0 && c.watch.Up() && e.Synced() {
		c.synced.End()
	}
	c.pausing.End()
	c.letRecord()
	c.wakeFollowing()
	if c.observed.Len() > 0 && c.watchListed() {
		asked = c.observed.End()
	}
	if c.idle.Len() > 0 && e.Idle() && c.watchListed() && !c.record.isUntried() {
		asked = c.idle.End() || asked
	}
	return c.selected.End() || asked
}

// inSlices runs steps of the engine under the lock, until one is done or fails. The engine goes on
// between them. The error is that of a step, of a broken engine, or the cause of a context that has
// ended.
func (c *Collector) inSlices(ctx context.Context, step func(e engine.Driver) (done bool, err error)) (err error) {
	for done := false; !done && err == nil; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.locked(func(e engine.Driver, _ time.Time) {
			if err = e.Err(); err == nil {
				done, err = step(e)
			}
		})
	}
	return err
}

// lockedSoon is locked for Run and its workers. They do not wait for the logger, and
// shutDown does.
//
//test:by TestSlowLogDelaysNoCall TestSlowLogDelaysNoEnd
func (c *Collector) lockedSoon(step func(e engine.Driver, now time.Time)) {
	if c.underLock(step) {
		c.work.Go(func() { c.log.Flush(c.writeLog) })
	}
}

// underLock is locked without the writing. It reports whether there are lines to write.
func (c *Collector) underLock(step func(e engine.Driver, now time.Time)) (said bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	c.guard(func() { c.takeResults(now) })
	c.guard(func() { // even if one of the results has broken the engine
		step(c.engine, now)
		c.reclaim(now)
	})
	list := c.engine.TakeLog()
	c.log.Add(list)
	return len(list) > 0
}

// guard abandons the engine if do panics, because the state that a panic leaves
// behind is not to be trusted. The broken engine drops the waiting results.
func (c *Collector) guard(do func()) {
	defer func() {
		if v := recover(); v != nil {
			c.say(effect.Error, "engine panicked", "panic", v, "stack", string(debug.Stack()))
			c.abandon(fmt.Errorf("panic: %v", v))
			for i := range c.results {
				_ = c.engine.Done(time.Time{}, c.results[i].id, engine.Result{})
			}
		}
	}()
	do()
}

// abandon stops the engine, and Run with it.
func (c *Collector) abandon(why error) {
	c.engine.Abandon(why)
	c.wake()
}

// now returns the time for the engine, under the lock. It counts from the start of
// Run by the monotonic clock. That takes half as long as to read the time of day, too,
// and every event and every result asks for it.
func (c *Collector) now() time.Time {
	if c.epoch.IsZero() {
		return time.Now()
	}
	return c.epoch.Add(time.Since(c.epoch))
}

// say adds a line of the log to the step under way.
func (c *Collector) say(level effect.Level, text string, args ...any) {
	c.engine.Say(effect.Record{Level: level, Text: text, Args: args}, c.now())
}

// sayNow writes a line of the log without a step. The caller does not have the lock. An error or the
// value of a panic is the user's, so its method runs before the lock.
//
//test:by TestSayNow
func (c *Collector) sayNow(level effect.Level, text string, args ...any) {
	for i := 1; i < len(args); i += 2 {
		if args[i-1] == "err" || args[i-1] == "panic" {
			args[i] = fmt.Errorf("%v", args[i])
		}
	}
	c.locked(func(engine.Driver, time.Time) { c.say(level, text, args...) })
}

// writeLog writes a line of the log. A logger that panics breaks the engine.
func (c *Collector) writeLog(r effect.Record) {
	defer func() {
		if v := recover(); v != nil {
			c.locked(func(engine.Driver, time.Time) { c.abandon(fmt.Errorf("panic: %v", v)) })
		}
	}()
	engine.Inside(inside.Key{}).WriteLine(c.cfg, r)
}

// logHealth logs the kinds that have become sick or well since the last time. It returns
// the time of its next look, and does nothing before.
//
//test:by TestCollectorLogsKinds TestCollectorLogsUnlistedKinds
func (c *Collector) logHealth(now time.Time) (at time.Time) {
	if at, due := c.health.Due(now); !due {
		return at
	}
	var kinds []run.KindHealth
	for _, k := range c.engine.Kinds() {
		kinds = append(kinds, run.KindHealth{Kind: k.Kind, Sick: k.Sick, Doubtful: c.watch.Doubts(k.Kind)})
	}
	changes := c.health.Look(now, kinds)
	for _, line := range [...]struct {
		level effect.Level
		text  string
		names []string
	}{
		{effect.Warn, "kinds cannot be watched", changes.Sick},
		{effect.Info, "kinds are watched again", changes.Well},
		{effect.Info, "kinds are not served any more", changes.Gone},
	} {
		if len(line.names) > 0 {
			c.say(line.level, line.text, "count", len(line.names), "kinds", run.FirstNames(line.names, len(line.names)))
		}
	}
	at, _ = c.health.Due(now)
	return at
}

// logStuck logs the number of objects that are stuck. It returns the time of its next
// line, and does nothing before.
//
//test:by TestCollectorLogsStuck
func (c *Collector) logStuck(now time.Time) (at time.Time) {
	n := c.engine.CountStuck()
	at, write := c.stuck.Step(now, n)
	switch {
	case write && n == 0:
		c.say(effect.Info, "no object is stuck any more")
	case write:
		x := c.stats().ByStatus
		c.say(effect.Warn, "objects are stuck: see Held", "stuck", n, "pending", x.Of(engine.StatusPending), "blocked", x.Of(engine.StatusBlocked), "queued", x.Of(engine.StatusQueued), "moving", x.Of(engine.StatusMoving))
	}
	return at
}
