package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/run"
)

const (
	// maxBatch bounds the calls of a lane that one turn hands out.
	maxBatch = 16
	// controlWorkers bounds the fences and listings under way. The engine asks for one at
	// a time, and for another one where one hangs.
	controlWorkers = 8
)

// errNoAnswer is the result of a call that ended its goroutine.
var errNoAnswer = errors.New("ended without an answer")

// turn is one hand-out of calls, under the lock. The first call of the lane keep goes to
// kept, whose worker has taken the turn.
type turn struct {
	keep Lane
	kept *Call
}

// completion is the result of a call that the engine has not been told yet.
type completion struct {
	id     CallID
	result Result
}

// dispatch hands out the engine's calls until ctx ends or the engine breaks, and returns
// that error. An event or a result takes a turn by itself. The loop is for the calls that
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

// dispatchOnce takes a turn and returns the time of the next one.
func (c *Collector) dispatchOnce(ctx context.Context) (at time.Time, err error) {
	c.lockedSoon(func(e *Engine, now time.Time) {
		c.nextWake = c.take(ctx, now, turn{})
		at, err = c.nextWake, e.Err()
	})
	return at, err
}

// follow takes a turn after an event or a result, and wakes the dispatch loop if that
// would come too late.
func (c *Collector) follow(ctx context.Context, now time.Time, t turn) {
	at := c.take(ctx, now, t)
	if !at.IsZero() && (c.nextWake.IsZero() || at.Before(c.nextWake)) || c.engine.Err() != nil {
		c.nextWake = at
		c.wake()
	}
}

// take takes a turn. It hands out the next calls of every lane that has room. If the store
// lane has none, it fills the prefetch. Then it lets waiters go. It returns the time
// of the next turn, which is zero if an event or a result has to come first.
func (c *Collector) take(ctx context.Context, now time.Time, t turn) (at time.Time) {
	if ctx.Err() != nil || c.engine.Err() != nil {
		return time.Time{}
	}
	// The first Next makes the decisions, also for the other lanes. It looks for a call after
	// each decision, which costs least in the lane of handlers.
	for _, lane := range [...]Lane{LaneHandler, LaneControl, LaneStore} {
		at = soonest(at, c.handOut(ctx, now, lane, &t))
	}
	c.letSyncedGo()
	if c.letIdleGo() { // it may have asked for a fence
		at = soonest(at, c.handOut(ctx, now, LaneControl, &t))
	}
	return soonest(at, soonest(c.logHealth(now), c.logStuck(now)))
}

// handOut hands out the next calls of a lane as long as the lane has room, and returns the
// time to ask the lane again. A store lane without room has the prefetch filled.
func (c *Collector) handOut(ctx context.Context, now time.Time, lane Lane, t *turn) time.Time {
	var call Call
	n := 0
	for ; c.hasRoom(lane); n++ {
		if n == maxBatch {
			return now
		}
		to := &call
		if lane == t.keep {
			to = t.kept
		}
		if at, ok := c.next(now, lane, to); !ok {
			return at
		}
		if lane == t.keep {
			t.keep = LaneUnset
		} else {
			c.launch(ctx, to)
		}
	}
	if lane == LaneStore {
		return c.fill(now, n)
	}
	return time.Time{}
}

// next makes call the next one of a lane that has room. Without one it returns the time
// to ask again. Prefetched calls go first, so none of them waits while a worker is idle.
func (c *Collector) next(now time.Time, lane Lane, call *Call) (at time.Time, ok bool) {
	ok = lane == LaneStore && c.prefetch.Pick(call)
	if !ok {
		at, ok = c.engine.nextInto(now, lane, call)
	}
	if ok {
		c.lanes[lane]++
	}
	return at, ok
}

// hasRoom reports whether a lane has room. Fences and listings report through the
// watch, so they wait for its first word.
func (c *Collector) hasRoom(lane Lane) bool {
	switch lane {
	case LaneStore:
		return c.lanes[lane] < c.cfg.Workers
	case LaneControl:
		return c.lanes[lane] < controlWorkers && c.watch.KnowsKinds()
	}
	return len(c.cfg.Handlers) > 0 // the engine bounds the handlers itself
}

// fill prefetches calls while all workers are busy. The turn has handed out n calls of the
// lane before.
//
// Held by TestCollectorPrefetch and TestCollectorWorkers.
func (c *Collector) fill(now time.Time, n int) time.Time {
	var call Call
	for free := c.cfg.Workers - c.prefetch.Len(); free > 0; free, n = free-1, n+1 {
		if n == maxBatch {
			return now
		}
		at, ok := c.engine.nextInto(now, LaneStore, &call)
		if !ok {
			return at
		}
		c.prefetch.Fill(&call)
	}
	return time.Time{}
}

// reclaim gives prefetched calls back that the engine has revoked. No worker has taken
// one of them since the engine raised its revision.
//
// Held by TestCollectorRevokes and TestRevokedAtOnce.
func (c *Collector) reclaim(now time.Time) {
	if c.prefetch.Revoked() {
		c.giveBack(now)
		c.wake()
	}
}

// giveBack gives all prefetched calls back to the engine.
func (c *Collector) giveBack(now time.Time) {
	for _, call := range c.prefetch.Reclaim() {
		c.report(now, call.ID, &Result{Err: ErrNotBegun})
	}
}

// takeResults reports the results that workers have exchanged.
//
// Held by TestTakeResultsPanics.
func (c *Collector) takeResults(now time.Time) {
	c.results = c.prefetch.Results(c.results)
	for i := range c.results {
		c.report(now, c.results[i].id, &c.results[i].result)
	}
}

// report reports the result of a call to the engine. An engine that refuses the result is
// broken.
func (c *Collector) report(now time.Time, id CallID, r *Result) {
	if err := c.engine.Done(now, id, *r); err != nil && !errors.Is(err, ErrBroken) {
		c.abandon(err)
	}
}

// launch has a worker make a call: an idle worker, or a new one. So there are no more
// workers than there were ever calls under way, and a lone call needs no new stack.
func (c *Collector) launch(ctx context.Context, call *Call) {
	select {
	case c.idleWorkers <- *call:
	default:
		first := *call
		c.work.Go(func() { c.workLoop(ctx, &first) })
	}
}

// workLoop makes a call and the calls of its lane that follow. Then the worker is idle
// until there is another call, or ctx ends.
func (c *Collector) workLoop(ctx context.Context, call *Call) {
	for {
		for call.Type != CallUnset {
			c.runCall(ctx, call)
		}
		select {
		case *call = <-c.idleWorkers:
		case <-ctx.Done():
			return
		}
	}
}

// runCall makes a call and completes it, even if the call has ended the goroutine. It
// makes call the next one of its lane, or none.
func (c *Collector) runCall(ctx context.Context, call *Call) {
	r := Result{Err: errNoAnswer}
	defer func() { c.complete(ctx, call, &r) }()
	c.do(ctx, call, &r)
}

// complete exchanges the result of a call for a prefetched call. If there is none, it
// reports the result itself and takes a turn. The worker makes the next call of its lane
// itself.
func (c *Collector) complete(ctx context.Context, call *Call, r *Result) {
	t := turn{keep: call.Type.lane(), kept: call}
	if r.Err == errNoAnswer { // the goroutine ends
		t.keep = LaneUnset
	}
	if t.keep == LaneStore && c.prefetch.Exchange(ctx, call, completion{call.ID, *r}) {
		c.wake()
		return
	}
	old := *call
	*call = Call{}
	c.lockedSoon(func(_ *Engine, now time.Time) { // the next call's evidence is of now
		c.lanes[old.Type.lane()]--
		c.reportOrDrop(ctx, now, &old, r)
		if old.Type == CallHandle {
			c.waitAgain(now)
		}
		c.follow(ctx, now, t)
	})
}

// reportOrDrop reports the result of a call. After the end of Run it drops the result of
// a call that was left behind. A handler, a fence or a listing that the shutdown has
// ended has not failed: it is given back.
func (c *Collector) reportOrDrop(ctx context.Context, now time.Time, call *Call, r *Result) {
	switch ended := r.Err != nil && ctx.Err() != nil && call.Type.lane() != LaneStore; {
	case c.left:
		return
	case ended:
		if call.Type == CallHandle {
			c.say(effect.Info, "handler ended by shutdown", "finalizer", call.Finalizer, "object", call.Key.String(), "err", r.Err)
		}
		r = &Result{Err: ErrNotBegun}
	}
	c.report(now, call.ID, r)
}

// do makes a call within its timeout. Its error is the call's own, or the cause of the
// end of its context.
func (c *Collector) do(ctx context.Context, call *Call, r *Result) {
	limit := run.NewDeadline(ctx, call.Timeout)
	ctx = limit
	defer limit.End()
	defer func() {
		if v := recover(); v != nil {
			c.sayNow(effect.Error, "store panicked", "call", call.name(), "panic", v, "stack", string(debug.Stack()))
			*r = Result{Err: fmt.Errorf("%s: panic: %v", call.name(), v)}
		}
	}()
	err := c.ask(ctx, call, r)
	if err != nil && err == ctx.Err() {
		err = fmt.Errorf("%s: %w", call.name(), context.Cause(ctx))
	}
	r.Err = run.Plain(err) // last, since the store's error may end the goroutine, too
}

func (c *Collector) ask(ctx context.Context, call *Call, r *Result) (err error) {
	switch call.Type {
	case CallRead:
		r.Object, err = c.store.Get(ctx, call.Key)
	case CallPatch:
		err = c.store.Patch(ctx, call.Key, call.Precondition, call.Change)
	case CallDelete:
		err = c.store.Delete(ctx, call.Key, call.Options)
	case CallFence:
		r.Fence, err = c.fencer.Fence(ctx)
	case CallList:
		err = c.list(ctx, call.Kind)
	case CallHandle:
		err = run.Cause(ctx, c.handlers.Run(ctx, call.Finalizer, call.Object))
	case CallSelect:
		r.Selected, err = c.selector.Select(ctx, call.Select)
	}
	return err
}

// list asks for a new listing of a kind. Without a Lister it restarts the watch, unless
// the watch is about to list the kind anyway.
func (c *Collector) list(ctx context.Context, kind Kind) error {
	if c.lister != nil && kind != "" {
		return c.lister.List(ctx, kind)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watch.Up() && !c.watch.Owes(kind, time.Now(), c.cfg.CallTimeout) {
		c.stopWatch(errRelist)
	}
	return nil
}

// name describes the call, as in "delete pod/ns/a@u".
func (c *Call) name() string {
	switch c.Type {
	case CallFence:
		return c.Type.String()
	case CallList:
		return c.Type.String() + " " + string(c.Kind)
	case CallHandle:
		return fmt.Sprintf("%s %q of %s", c.Type, c.Finalizer, c.Key)
	case CallSelect:
		return fmt.Sprintf("%s %s by %q", c.Type, c.Select.Kind, c.Select.Selector)
	}
	return c.Type.String() + " " + c.Key.String()
}
