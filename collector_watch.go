package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/run"
)

var (
	errRelist    = errors.New("restarted for a new listing")
	errWatchDone = errors.New("the watch is over")
	errEnded     = errors.New("ended without an error")
)

// keepWatching runs the store's watch again and again until ctx ends.
func (c *Collector) keepWatching(ctx context.Context) {
	defer func() {
		if ctx.Err() == nil { // from now on the engine would observe nothing
			c.locked(func(engine.Driver, time.Time) { c.abandon(fmt.Errorf("watch: %w", errNoAnswer)) })
		}
	}()
	for backoff := (run.Backoff{}); ctx.Err() == nil; {
		began := time.Now()
		if again := c.watchOnce(ctx); ctx.Err() != nil || again {
			backoff.Reset()
			continue
		}
		pause := backoff.Next(time.Since(began))
		select {
		case <-ctx.Done():
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
	}
}

// watchOnce runs the store's watch until it ends. It reports whether the collector has
// ended it, to begin it anew at once.
func (c *Collector) watchOnce(parent context.Context) (again bool) {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	number := c.beginWatch(stop)
	err := c.callWatch(ctx, func(batch []Event) error { return c.sink(parent, number, batch) })
	switch again = context.Cause(ctx) == errRelist; {
	case again:
		err = errRelist
	case err == nil:
		err = errEnded
	}
	c.hangUp(err, !again && err != errEnded && ctx.Err() == nil)
	if ctx.Err() == nil {
		c.sayNow(effect.Warn, "watch broke", "err", err)
	}
	return again
}

func (c *Collector) beginWatch(stop context.CancelCauseFunc) (number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopWatch = stop
	return c.watch.Begin(time.Now())
}

func (c *Collector) callWatch(ctx context.Context, sink func([]Event) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			c.sayNow(effect.Error, "store panicked", "call", "watch", "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return run.Plain(c.store.Watch(ctx, sink)) // the text of the error is the store's code, too
}

// hangUp notes that the watch is down. Changes go unseen now, so every kind counts as
// sick until it has been listed again. A watch that broke may also be the first sign of
// a rewind.
func (c *Collector) hangUp(err error, broke bool) {
	c.locked(func(e engine.Driver, now time.Time) {
		var names []Kind
		for _, k := range e.Kinds() {
			names = append(names, k.Kind)
		}
		c.watch.End(err, names)
		c.health.Down(now)
		e.WatchEnded(now, "watch: "+err.Error(), broke)
	})
	c.wake()
}

// sink takes a batch of events of a run of the watch, a piece at a time, and hands out the
// calls that follow from each piece. The calls end with ctx. An error ends the watch: the
// run is over, or the engine is broken. The engine deals with refused events itself.
func (c *Collector) sink(ctx context.Context, number uint64, batch []Event) (err error) {
	for piece := range slices.Chunk(batch, engine.Piece) {
		c.locked(func(e engine.Driver, now time.Time) {
			if err = errWatchDone; c.watch.Is(number) && !c.left {
				c.hear(e, now, piece)
				c.runTurnAfter(ctx, now, turn{})
				err = e.Err()
			}
		})
		if err != nil {
			break
		}
	}
	return err
}

// hear shows a piece of a batch to the engine, and the recoveries that follow from it.
// The engine logs an event that it refuses.
func (c *Collector) hear(e engine.Driver, now time.Time, piece []Event) {
	e.Take(now, piece)
	for i := range piece {
		ev := &piece[i]
		if !c.watch.Hear(now, ev) {
			continue
		}
		ok := e.Apply(ev) == nil
		if !ok || ev.Type == graph.ListEnded || ev.Type >= graph.KindSick || ev.Type == graph.KindsKnown {
			c.health.Note(now)
		}
		if ok && c.watch.Observed(ev) {
			_ = e.Apply(&Event{Type: graph.KindRecovered, Kind: ev.Kind}) // such an event is never refused
		}
	}
}

// watchListed reports whether the watch is up and has listed every kind that the end of
// the former watch left in doubt, as far as kinds are well.
func (c *Collector) watchListed() bool {
	return c.watch.KnowsKinds() && !slices.ContainsFunc(c.engine.Kinds(), func(k engine.KindStatus) bool { return c.watch.Doubts(k.Kind) })
}
