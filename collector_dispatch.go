package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/moments"
)

const (
	// maxTurn bounds the calls of a lane that one turn hands out.
	maxTurn = 16
	// controlWorkers bounds the fences and listings under way. The engine asks for one at
	// a time, and for another one where one hangs.
	controlWorkers = 8
)

// turn is one hand-out of calls, under the lock. The first calls of the lane keep go to
// kept, the worker that has taken the turn.
type turn struct {
	keep engine.Lane
	kept *worker

	more   bool         // the turn has ended before its work
	rested engine.Lanes // with room for which the engine has no call now
}

// dispatch hands out the engine's calls until ctx ends or the engine breaks, and returns
// that error. An event or a result runs a turn by itself. The loop is for the calls that
// become due by time, and goes on where one turn is not enough.
func (c *Collector) dispatch(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		at, err := c.dispatchOnce(ctx)
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
		case <-c.wakeups:
		case <-timer.C:
		}
	}
	return nil
}

// dispatchOnce runs a turn and returns the time of the next one.
func (c *Collector) dispatchOnce(ctx context.Context) (at time.Time, err error) {
	c.lockedSoon(func(e engine.Driver, now time.Time) {
		c.nextWake = c.runTurn(ctx, now, turn{})
		at, err = c.nextWake, e.Err()
	})
	return at, err
}

// runTurnAfter runs a turn after an event or a result, and wakes the dispatch loop if that
// would come too late.
func (c *Collector) runTurnAfter(ctx context.Context, now time.Time, t turn) {
	at := c.runTurn(ctx, now, t)
	if !at.IsZero() && (c.nextWake.IsZero() || at.Before(c.nextWake)) || c.engine.Err() != nil {
		c.nextWake = at
		c.wake()
	}
}

// runTurn runs a turn. It hands out the next calls of every lane that has room. If the store
// lane has none, it fills the prefetch. Then it ends the waits that are over. It returns the time
// of the next turn, which is zero if an event or a result has to come first.
func (c *Collector) runTurn(ctx context.Context, now time.Time, t turn) (at time.Time) {
	if ctx.Err() != nil || c.engine.Err() != nil {
		return time.Time{}
	}
	at = c.unstall(now)
	// The first lane makes the decisions, most of which are for the store. The other lanes
	// may make more of them, and a decision may ask for a handler.
	c.handOut(ctx, now, engine.LaneStore, &t)
	c.handOut(ctx, now, engine.LaneControl, &t)
	if c.storeMisses(&t) {
		t.rested[engine.LaneStore] = false
		c.handOut(ctx, now, engine.LaneStore, &t)
	}
	c.handOut(ctx, now, engine.LaneHandler, &t)
	if c.endWaits() {
		c.handOut(ctx, now, engine.LaneControl, &t)
	}
	if t.more || c.storeMisses(&t) {
		return now
	}
	if c.ahead > 0 { // a result may wait in the prefetch while all workers hang
		at = moments.Soonest(at, now.Add(resultPause))
	}
	at = moments.Soonest(moments.Soonest(at, c.engine.Wake(t.rested)), c.engine.Late(now))
	return moments.Soonest(at, moments.Soonest(c.logHealth(now), c.logStuck(now)))
}

// storeMisses reports whether another lane has made calls for the store since its lane rested.
func (c *Collector) storeMisses(t *turn) bool {
	return t.rested[engine.LaneStore] && c.engine.Prepared() > 0
}

// resultPause bounds the time for which the engine does not know a result.
//
//test:by TestResultPause
const resultPause = 10 * time.Millisecond

// handOut hands out the next calls of a lane as long as the lane has room. For a store
// lane without room it fills the prefetch.
func (c *Collector) handOut(ctx context.Context, now time.Time, lane engine.Lane, t *turn) {
	if lane == engine.LaneStore && c.batches.Max() > 1 {
		c.handOutBatches(ctx, now, t)
		return
	}
	n := 0
	for ; c.hasRoom(lane); n++ {
		if n == maxTurn {
			t.more = true
			return
		}
		if !c.next(now, lane, t) {
			return
		}
		c.assign(ctx, lane, t)
	}
	if lane == engine.LaneStore {
		c.fill(now, n, t)
	}
}

// next makes c.calls the next call of a lane that has room. Prefetched calls go first, so
// none of them waits while a worker is idle.
func (c *Collector) next(now time.Time, lane engine.Lane, t *turn) (ok bool) {
	if lane == engine.LaneStore && c.ahead > 0 {
		if c.ahead--; c.prefetch.Pick(&c.calls, 1) {
			return true
		}
		c.ahead = 0
	}
	if !c.ask(now, lane, &c.call, t) {
		return false
	}
	c.calls = append(c.calls[:0], c.call)
	return true
}

// assign gives c.calls to the worker that has taken the turn, or to another one. The
// engine is done with the calls by now, since it may panic.
func (c *Collector) assign(ctx context.Context, lane engine.Lane, t *turn) {
	c.lanes[lane]++
	if lane == t.keep {
		t.keep = engine.LaneUnset
		t.kept.calls, c.calls = c.calls, t.kept.calls
		return
	}
	c.launch(ctx)
}

// ask makes call the engine's next one of a lane. Without one, the turn notes whether the
// engine has to be asked again at once.
func (c *Collector) ask(now time.Time, lane engine.Lane, call *engine.Call, t *turn) bool {
	more, ok := c.engine.NextInto(now, lane, call)
	switch {
	case ok:
	case more:
		t.more = true
	default:
		t.rested[lane] = true
	}
	if lane == engine.LaneStore {
		c.waits = ok || more
	}
	return ok
}

// hasRoom reports whether a lane has room. Fences and listings report through the
// watch, so they wait for its first word.
func (c *Collector) hasRoom(lane engine.Lane) bool {
	switch lane {
	case engine.LaneStore:
		return c.lanes[lane] < c.pace.Limit()
	case engine.LaneControl:
		return c.lanes[lane] < controlWorkers && c.watch.KnowsKinds()
	}
	return len(c.cfg.Handlers) > 0 // the engine bounds the handlers itself
}

// unstall raises the limit of the calls under way if all of them hang and others wait. It
// returns the time to look again, which is zero while none wait.
//
//test:by TestCollectorUnstalls
func (c *Collector) unstall(now time.Time) time.Time {
	if !c.waits || c.lanes[engine.LaneStore] < c.pace.Limit() {
		c.pace.Calm(now.Sub(c.epoch))
		return time.Time{}
	}
	return c.epoch.Add(c.pace.Stall(now.Sub(c.epoch)))
}

// fill prefetches calls while all workers are busy, or for a batch. The turn has taken n
// calls of the lane before. Fill returns their new number.
//
//test:by TestCollectorPrefetch TestCollectorWorkers
func (c *Collector) fill(now time.Time, n int, t *turn) int {
	most, turn := c.pace.Ahead(), maxTurn
	if c.batches.Max() > 1 {
		most, turn = c.batches.Limit(), maxBatchTurn
	}
	c.prefetch.SetSurplus(c.lanes[engine.LaneStore] - c.pace.Limit())
	for c.ahead = c.prefetch.Len(); c.ahead < most; n++ {
		if n == turn {
			t.more = true
			return n
		}
		if !c.ask(now, engine.LaneStore, &c.call, t) {
			break
		}
		c.prefetch.Fill(&c.call)
		c.ahead++
	}
	c.waits = c.waits || c.ahead > 0
	return n
}

// reclaim gives prefetched calls back that the engine has revoked. No worker has taken
// one of them since the engine raised its revision.
//
//test:by TestCollectorRevokes engine.TestRevokedAtOnce
func (c *Collector) reclaim(now time.Time) {
	if c.prefetch.Revoked() {
		c.giveBack(now)
		c.wake()
	}
}

// giveBack gives all prefetched calls back to the engine.
func (c *Collector) giveBack(now time.Time) {
	c.ahead = 0
	for _, call := range c.prefetch.Reclaim() {
		c.report(now, call.ID, &engine.Result{Err: ErrNotBegun})
	}
}

// takeResults reports the results that workers have exchanged.
//
//test:by TestTakeResultsPanics
func (c *Collector) takeResults(now time.Time) {
	c.results = c.prefetch.Results(c.results)
	for i := range c.results {
		x := &c.results[i]
		c.pace.End(now.Sub(c.epoch), &x.ended, c.waits)
		c.report(now, x.id, &x.result)
	}
}

// report reports the result of a call to the engine. An engine that refuses the result is broken.
func (c *Collector) report(now time.Time, id engine.CallID, r *engine.Result) {
	if err := c.engine.Done(now, id, *r); err != nil && !errors.Is(err, ErrBroken) {
		c.abandon(err)
	}
}

// reportOrDrop reports the result of a call. After the end of Run it drops the result of
// a call that was left behind. A handler, a fence or a listing that the shutdown has
// ended has not failed: it is given back.
func (c *Collector) reportOrDrop(ctx context.Context, now time.Time, call *engine.Call, x *completion) {
	r := &x.result
	switch ended := r.Err != nil && ctx.Err() != nil && call.Type.Lane() != engine.LaneStore; {
	case c.left:
		return
	case ended:
		if call.Type == engine.CallHandle {
			c.say(effect.Debug, "handler ended by shutdown", "finalizer", call.Finalizer, "key", call.Key.String(), "err", r.Err)
		}
		r = &engine.Result{Err: ErrNotBegun}
	}
	c.report(now, x.id, r)
}
