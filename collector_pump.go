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
// error it returns. It sleeps until an event, a result, or the engine's own time.
func (c *Collector) pump(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		calls, at, err := c.take(time.Now())
		if err != nil {
			return fmt.Errorf("run collector: %w", err)
		}
		for _, call := range calls {
			c.launch(ctx, call)
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

// flying is a call that was handed out.
type flying struct {
	Call
	lane  Lane
	until time.Time
}

// take returns the next calls of every lane that has room, and when to ask
// again, the zero time for "when something has happened". The order of the lanes
// matters: what one finds out is there for the next, and reads and writes follow
// from everything.
func (c *Collector) take(now time.Time) (batch []Call, wake time.Time, err error) {
	c.locked(func(e *Engine) {
		for _, lane := range [...]Lane{LaneControl, LaneHandler, LaneStore} {
			at := now
			for c.open(lane) && len(batch) < mostBatch {
				var call Call
				if call, at = c.next(now, lane); call.Type == CallUnset {
					break
				}
				batch = append(batch, call)
			}
			if c.open(lane) && !at.IsZero() && (wake.IsZero() || at.Before(wake)) {
				wake = at
			}
		}
		if len(batch) > 0 {
			wake = now
		}
		c.answer()
		err = e.broken
	})
	return batch, wake, err
}

// next returns the next call of a lane that has room, or when to ask again.
func (c *Collector) next(now time.Time, lane Lane) (Call, time.Time) {
	call, at := c.engine.Next(now, lane)
	if call.Type != CallUnset {
		c.lanes[lane]++
		c.flying[call.ID] = flying{call, lane, now.Add(call.Timeout)}
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
