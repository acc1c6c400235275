package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	// firstPause and maxPause bound the pause after the end of a watch. The pause doubles
	// each time. After a watch that held for steadyAfter it is the first one again.
	firstPause  = 250 * time.Millisecond
	maxPause    = 30 * time.Second
	steadyAfter = time.Minute
)

var (
	errRelist    = errors.New("restarted for a new listing")
	errWatchDone = errors.New("the watch is over")
	errEnded     = errors.New("ended without an error")
)

// watching is one run of Store.Watch. The collector's lock guards it.
type watching struct {
	stop  context.CancelCauseFunc
	told  bool          // it has told the kinds
	begun map[Kind]bool // it has begun a listing
	sick  map[Kind]bool // by its own word
	heard time.Time     // of its last event, or its start
}

// owes reports whether the run has still to list the kind, and has said something within
// the timeout of a call, so that it can be relied on. Without a kind it is about the set
// of kinds.
func (c *Collector) owes(w *watching, kind Kind) bool {
	done := w.begun[kind] || kind == "" && w.told
	return !done && time.Since(w.heard) < c.cfg.CallTimeout
}

// keepWatching runs the store's watch again and again until ctx ends.
func (c *Collector) keepWatching(ctx context.Context) {
	defer func() {
		if ctx.Err() == nil { // the engine would observe nothing any more
			c.locked(func(e *Engine, _ time.Time) { e.fail("watch: %w", errNoAnswer) })
			c.wake()
		}
	}()
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, maxPause) {
		began := time.Now()
		if again := c.watchOnce(ctx); ctx.Err() != nil || again {
			pause = firstPause / 2
			continue
		}
		if time.Since(began) >= steadyAfter {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
	}
}

// watchOnce runs the store's watch until it ends. It reports whether the collector has
// ended it, to begin it anew at once.
func (c *Collector) watchOnce(run context.Context) (again bool) {
	ctx, stop := context.WithCancelCause(run)
	defer stop(nil)
	w := &watching{stop: stop, begun: map[Kind]bool{}, sick: map[Kind]bool{}, heard: time.Now()}
	c.mu.Lock()
	c.watch = w
	c.mu.Unlock()
	err := c.callWatch(ctx, func(ev Event) error { return c.sink(run, w, ev) })
	switch again = context.Cause(ctx) == errRelist; {
	case again:
		err = errRelist
	case err == nil:
		err = errEnded
	}
	c.hangUp(err, !again && err != errEnded && ctx.Err() == nil)
	if ctx.Err() == nil {
		c.log.Warn("watch broke", "err", err)
	}
	return again
}

func (c *Collector) callWatch(ctx context.Context, sink func(Event) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("store panicked", "call", "watch", "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return plain(c.store.Watch(ctx, sink)) // the text of the error is the store's code, too
}

// hangUp notes that the watch is down. Changes go unseen now, so every kind counts as
// sick until it has been listed again. A watch that broke may also be the first sign of
// a rewind.
func (c *Collector) hangUp(err error, broke bool) {
	c.locked(func(e *Engine, now time.Time) {
		c.watch, c.broke, c.health.down = nil, err, now
		c.noteHealth(now)
		for _, k := range e.Kinds() {
			c.sick[k.Kind] = true
		}
		e.WatchEnded(now, "watch: "+err.Error(), broke)
	})
	c.wake()
}

// sink takes one event of a run of the watch, and hands out the calls that follow from
// it. The calls end with ctx. An error ends the watch: the run is over, or the engine is
// broken. The engine deals with refused events itself.
func (c *Collector) sink(ctx context.Context, w *watching, ev Event) (err error) {
	c.locked(func(e *Engine, now time.Time) {
		if c.watch != w || c.left {
			err = errWatchDone
			return
		}
		c.hear(e, w, now, &ev)
		c.follow(ctx, now, turn{})
		err = e.Err()
	})
	return err
}

// hear notes the health of the kinds and has the engine observe the event. The engine
// logs an event that it refuses. A kind that the end of a watch made sick has recovered
// when it has been listed. Before that, the engine may have missed events.
func (c *Collector) hear(e *Engine, w *watching, now time.Time, ev *Event) {
	w.heard = now
	switch ev.Type {
	case graph.KindsKnown:
		w.told = true
	case graph.ListBegun:
		w.begun[ev.Kind] = true
	case graph.KindSick:
		w.sick[ev.Kind] = true
	case graph.KindRecovered:
		delete(w.sick, ev.Kind)
		if c.sick[ev.Kind] {
			return
		}
	case graph.FencePassed:
		ev.Fence -= c.fences
	}
	ok := e.Observe(now, *ev) == nil
	if !ok || ev.Type == graph.ListEnded || ev.Type >= graph.KindSick || ev.Type == graph.KindsKnown {
		c.noteHealth(now)
	}
	if ok && ev.Type == graph.KindsKnown {
		c.forget(w, ev.Kinds)
	}
	if ok && ev.Type == graph.ListEnded && c.sick[ev.Kind] {
		delete(c.sick, ev.Kind)
		if w.sick[ev.Kind] { // by the store's own word, which still stands
			return
		}
		_ = e.Observe(now, Event{Type: graph.KindRecovered, Kind: ev.Kind}) // such an event is never refused
	}
}

// forget drops the health of kinds that are not served any more.
func (c *Collector) forget(w *watching, kinds []KindInfo) {
	known := make(map[Kind]bool, len(kinds))
	for _, i := range kinds {
		known[i.Kind] = true
	}
	for _, m := range [...]map[Kind]bool{w.begun, w.sick, c.sick} {
		maps.DeleteFunc(m, func(kind Kind, _ bool) bool { return !known[kind] })
	}
}

// watchListed reports whether the watch is up and has listed every kind that the end of
// the former watch left in doubt, as far as kinds are well.
func (c *Collector) watchListed() bool {
	if c.watch == nil || !c.watch.told {
		return false
	}
	for _, k := range c.engine.Kinds() {
		if c.sick[k.Kind] && !c.watch.sick[k.Kind] {
			return false
		}
	}
	return true
}
