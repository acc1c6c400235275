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
		_, c.alarm = c.turn(ctx, now, LaneUnset)
		at, err = c.alarm, e.broken
	})
	return at, err
}

// flying is a call that was handed out: no more than 128 bytes, up to which a map
// holds values in itself.
type flying struct {
	typ       CallType
	lane      Lane
	key       Key
	kind      Kind
	finalizer string
	until     time.Time
}

func (f flying) name() string {
	return Call{Type: f.typ, Key: f.key, Kind: f.kind, Finalizer: f.finalizer}.name()
}

// turn hands out the next calls of every lane that has room, and returns when to
// take the next turn: the zero time for "when something has happened". The first
// call of the lane keep, if there is one, is the caller's, who is a worker of it.
// The order of the lanes matters: what one finds out is there for the next, and
// reads and writes follow from everything.
func (c *Collector) turn(ctx context.Context, now time.Time, keep Lane) (kept Call, wake time.Time) {
	if ctx.Err() != nil || c.engine.broken != nil {
		return Call{}, time.Time{}
	}
	n := 0
	for _, lane := range [...]Lane{LaneControl, LaneHandler, LaneStore} {
		at := now
		for c.open(lane) && n < mostBatch {
			var call Call
			if call, at = c.next(now, lane); call.Type == CallUnset {
				break
			}
			n++
			if lane == keep {
				kept, keep = call, LaneUnset
			} else {
				c.launch(ctx, call)
			}
		}
		if c.open(lane) && !at.IsZero() && (wake.IsZero() || at.Before(wake)) {
			wake = at
		}
	}
	if !c.open(LaneStore) {
		n = c.stock(now, n)
	}
	if n == mostBatch {
		wake = now
	}
	c.answer()
	return kept, wake
}

// follow takes a turn for whoever has brought an event or a result, and sets the
// pump's alarm if it is too late.
func (c *Collector) follow(ctx context.Context, now time.Time, keep Lane) Call {
	kept, at := c.turn(ctx, now, keep)
	if !at.IsZero() && (c.alarm.IsZero() || at.Before(c.alarm)) || c.engine.broken != nil {
		c.alarm = at
		c.wake()
	}
	return kept
}

// next returns the next call of a lane that has room, or when to ask again. What is
// on the shelf goes first.
func (c *Collector) next(now time.Time, lane Lane) (Call, time.Time) {
	if lane == LaneStore {
		if call, ok := c.shelf.pick(); ok {
			c.depart(now, call.ID)
			return call, now
		}
	}
	call, at := c.handOut(now, lane)
	if call.Type != CallUnset {
		c.lanes[lane]++
	}
	return call, at
}

// handOut has the engine hand out a call of a lane.
func (c *Collector) handOut(now time.Time, lane Lane) (Call, time.Time) {
	call, at := c.engine.Next(now, lane)
	if call.Type != CallUnset {
		c.flying[call.ID] = flying{call.Type, lane, call.Key, call.Kind, call.Finalizer, now.Add(call.Timeout)}
	}
	return call, at
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

// drain waits for everything that is under way. What has not returned a moment
// after its time was over is named and left behind.
func (c *Collector) drain() error {
	c.locked(func(*Engine, time.Time) { c.clearShelf() })
	done := make(chan struct{})
	go func() {
		c.work.Wait()
		close(done)
	}()
	limit := time.NewTimer(time.Until(c.latest()) + time.Second)
	defer limit.Stop()
	select {
	case <-done:
		return nil
	case <-limit.C:
		return c.stuck()
	}
}

// latest returns when the last of what is under way has to be over.
func (c *Collector) latest() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Now().Add(c.engine.cfg.CallTimeout)
	for _, f := range c.flying {
		if f.until.After(at) {
			at = f.until
		}
	}
	return at
}

func (c *Collector) stuck() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, f := range c.flying {
		names = append(names, f.name())
	}
	if c.watch != nil {
		names = append(names, "watch")
	}
	slices.Sort(names)
	return fmt.Errorf("stop collector: %s: %w", strings.Join(names[:min(len(names), mostNamed)], ", "), ErrStuck)
}
