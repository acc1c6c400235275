package ownergraph

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// mostBatch bounds how many calls are handed out under one lock.
	mostBatch = 16
	// controlWorkers bounds the fences and listings under way. The engine asks
	// for one at a time; there are more only where one hangs.
	controlWorkers = 8
	// mostNamed bounds how many stuck calls an error names.
	mostNamed = 8
)

// pump hands out the engine's calls until ctx ends or the engine breaks, whose
// error it returns. Whoever brings an event or a result hands out what follows
// from it by itself (see turn); the pump is for what only time brings, and goes
// on where there is too much for one turn.
func (c *Collector) pump(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		at, err := c.pumpOnce(ctx)
		if err != nil {
			return fmt.Errorf("run collector: %w", err)
		}
		wait := time.Until(at)
		switch {
		case at.IsZero():
			timer.Stop()
		case wait <= 0:
			continue
		default:
			timer.Reset(wait)
		}
		select {
		case <-ctx.Done():
		case <-c.kick:
		case <-timer.C:
		}
	}
	return nil
}

// pumpOnce takes a turn and returns when to take the next one.
func (c *Collector) pumpOnce(ctx context.Context) (at time.Time, err error) {
	c.locked(func(e *Engine, now time.Time) {
		c.alarm = c.turn(ctx, now, LaneUnset, nil)
		at, err = c.alarm, e.broken
	})
	return at, err
}

// turn hands out the next calls of every lane that has room, and returns when to
// take the next turn: the zero time for "when something has happened". It makes kept
// the first call of the lane keep, if there is one: it is the caller's, who is a
// worker of it. What follows from everything is found out before.
func (c *Collector) turn(ctx context.Context, now time.Time, keep Lane, kept *Call) (wake time.Time) {
	if ctx.Err() != nil || c.engine.broken != nil {
		return time.Time{}
	}
	wake, more := c.engine.advance(now, c.open(LaneControl))
	c.admit()
	n := 0
	for _, lane := range [...]Lane{LaneControl, LaneHandler, LaneStore} {
		for c.open(lane) && n < mostBatch {
			if lane == keep && c.next(lane, kept) {
				keep = LaneUnset
			} else if !c.launchNext(ctx, lane) {
				break
			}
			n++
		}
		if c.open(lane) {
			wake = soonest(wake, c.engine.wakeLane(lane))
		}
	}
	if !c.open(LaneStore) {
		n = c.stock(n)
	}
	if asked := c.answer(); more || asked || n == mostBatch {
		wake = now
	}
	return soonest(wake, soonest(c.tellHealth(now), c.tellStuck(now)))
}

// follow takes a turn for whoever has brought an event or a result, and sets the
// pump's alarm if it is too late.
func (c *Collector) follow(ctx context.Context, now time.Time, keep Lane, kept *Call) {
	at := c.turn(ctx, now, keep, kept)
	if !at.IsZero() && (c.alarm.IsZero() || at.Before(c.alarm)) || c.engine.broken != nil {
		c.alarm = at
		c.wake()
	}
}

// launchNext has a worker make the next call of a lane, if there is one.
func (c *Collector) launchNext(ctx context.Context, lane Lane) bool {
	var call Call
	if !c.next(lane, &call) {
		return false
	}
	c.launch(ctx, &call)
	return true
}

// next makes call the next one of a lane that has room, if there is one. What is on
// the shelf goes first.
func (c *Collector) next(lane Lane, call *Call) bool {
	switch {
	case lane == LaneStore && c.shelf.pick(call):
		c.engine.counts.count(call.Type, 1)
	case !c.engine.ready(lane, call):
		return false
	}
	c.lanes[lane]++
	return true
}

// open reports whether a lane has room. Fences and listings are reported through
// the watch, so they wait until it speaks.
func (c *Collector) open(lane Lane) bool {
	switch lane {
	case LaneStore:
		return c.lanes[lane] < c.engine.cfg.Workers
	case LaneControl:
		return c.lanes[lane] < controlWorkers && c.watch != nil && c.watch.told
	}
	return true // the engine bounds the handlers itself
}

// drain waits for everything that is under way, for ShutdownTimeout at most. What has
// not returned then is named and left behind.
func (c *Collector) drain() error {
	c.locked(func(*Engine, time.Time) { c.clearShelf() })
	done := make(chan struct{})
	go func() {
		c.work.Wait()
		close(done)
	}()
	limit := time.NewTimer(c.engine.cfg.ShutdownTimeout)
	defer limit.Stop()
	select {
	case <-done:
		return nil
	case <-limit.C:
		return c.stuck()
	}
}

// stuck leaves what is under way behind, and names it.
func (c *Collector) stuck() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = true
	var names []string
	for id, f := range c.engine.flights {
		if !c.engine.isPrepared(id) {
			names = append(names, f.name())
		}
	}
	if c.watch != nil {
		names = append(names, "watch")
	}
	slices.Sort(names)
	return fmt.Errorf("stop collector: %s: %w", strings.Join(names[:min(len(names), mostNamed)], ", "), ErrStuck)
}
