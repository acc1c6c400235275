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

	more   bool  // the turn has ended before its work
	rested lanes // with room for which the engine has no call now
}

// completion is the result of a call that the engine has not been told yet, and the time
// that the call took.
type completion struct {
	id     CallID
	result Result
	ended  run.Ended
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
	at = c.unstall(now)
	// The first lane makes the decisions, most of which are for the store. The other lanes
	// may make more of them, and a decision may have a handler run.
	c.handOut(ctx, now, LaneStore, &t)
	c.handOut(ctx, now, LaneControl, &t)
	if c.storeMisses(&t) {
		t.rested &^= one(LaneStore)
		c.handOut(ctx, now, LaneStore, &t)
	}
	c.handOut(ctx, now, LaneHandler, &t)
	c.letSyncedGo()
	if len(c.following) > 0 {
		c.wakeFollowing()
	}
	observed, idle := c.letObservedGo(), c.letIdleGo()
	if observed || idle { // others go on, and may have asked for a fence
		c.handOut(ctx, now, LaneControl, &t)
	}
	if t.more || c.storeMisses(&t) {
		return now
	}
	if c.ahead > 0 { // a result may wait in the prefetch while all workers hang
		at = soonest(at, now.Add(resultPause))
	}
	at = soonest(at, c.engine.wake(t.rested))
	return soonest(at, soonest(c.logHealth(now), c.logStuck(now)))
}

// storeMisses reports whether another lane has made calls for the store since its lane
// rested.
func (c *Collector) storeMisses(t *turn) bool {
	return t.rested.has(LaneStore) && len(c.engine.calls.Prepared()) > 0
}

// resultPause bounds the time for which the engine does not know a result.
//
// Held by TestResultPause.
const resultPause = 10 * time.Millisecond

// handOut hands out the next calls of a lane as long as the lane has room. A store lane
// without room has the prefetch filled.
func (c *Collector) handOut(ctx context.Context, now time.Time, lane Lane, t *turn) {
	n, call := 0, &c.call
	for ; c.hasRoom(lane); n++ {
		if n == maxBatch {
			t.more = true
			return
		}
		if !c.next(now, lane, call, t) {
			return
		}
		if lane == t.keep { // not before the engine is done with the call: it may panic
			t.keep, *t.kept = LaneUnset, *call
		} else {
			c.launch(ctx, call)
		}
	}
	if lane == LaneStore {
		c.fill(now, n, t)
	}
}

// next makes call the next one of a lane that has room. Prefetched calls go first, so none
// of them waits while a worker is idle.
func (c *Collector) next(now time.Time, lane Lane, call *Call, t *turn) (ok bool) {
	if lane == LaneStore && c.ahead > 0 {
		ok = c.prefetch.Pick(call)
		if c.ahead--; !ok {
			c.ahead = 0
		}
	}
	if !ok && !c.ask(now, lane, call, t) {
		return false
	}
	c.lanes[lane]++
	return true
}

// ask makes call the engine's next one of a lane. Without one, the turn notes whether the
// engine has to be asked again at once.
func (c *Collector) ask(now time.Time, lane Lane, call *Call, t *turn) bool {
	more, ok := c.engine.nextInto(now, lane, call)
	switch {
	case ok:
	case more:
		t.more = true
	default:
		t.rested |= one(lane)
	}
	if lane == LaneStore {
		c.waits = ok || more
	}
	return ok
}

// hasRoom reports whether a lane has room. Fences and listings report through the
// watch, so they wait for its first word.
func (c *Collector) hasRoom(lane Lane) bool {
	switch lane {
	case LaneStore:
		return c.lanes[lane] < c.pace.Limit()
	case LaneControl:
		return c.lanes[lane] < controlWorkers && c.watch.KnowsKinds()
	}
	return len(c.cfg.Handlers) > 0 // the engine bounds the handlers itself
}

// unstall raises the limit of the calls under way if all of them hang and others wait. It
// returns the time to look again, which is zero while none wait.
//
// Held by TestCollectorUnstalls.
func (c *Collector) unstall(now time.Time) time.Time {
	if !c.waits || c.lanes[LaneStore] < c.pace.Limit() {
		c.pace.Calm(now.Sub(c.epoch))
		return time.Time{}
	}
	return c.epoch.Add(c.pace.Stall(now.Sub(c.epoch)))
}

// fill prefetches calls while all workers are busy. The turn has handed out n calls of the
// lane before.
//
// Held by TestCollectorPrefetch and TestCollectorWorkers.
func (c *Collector) fill(now time.Time, n int, t *turn) {
	most := c.pace.Ahead()
	c.prefetch.SetSurplus(c.lanes[LaneStore] - c.pace.Limit())
	call := &c.call
	for c.ahead = c.prefetch.Len(); c.ahead < most; n++ {
		if n == maxBatch {
			t.more = true
			return
		}
		if !c.ask(now, LaneStore, call, t) {
			break
		}
		c.prefetch.Fill(call)
		c.ahead++
	}
	c.waits = c.waits || c.ahead > 0
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
	c.ahead = 0
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
		x := &c.results[i]
		c.pace.End(now.Sub(c.epoch), &x.ended, c.waits)
		c.report(now, x.id, &x.result)
	}
}

// report reports the result of a call to the engine. An engine that refuses the result is
// broken.
func (c *Collector) report(now time.Time, id CallID, r *Result) {
	if err := c.engine.Done(now, id, *r); err != nil && !errors.Is(err, ErrBroken) {
		c.abandon(err)
	}
}

// worker is one goroutine that makes calls.
type worker struct {
	call   Call
	timing run.Timing
	over   bool // there are idle workers enough
}

// maxResting bounds the idle workers that stay.
const maxResting = 8

// launch has a worker make a call: an idle worker, or a new one. So there are no more
// workers than there were ever calls under way, and a lone call needs no new stack.
func (c *Collector) launch(ctx context.Context, call *Call) {
	select {
	case c.idleWorkers <- *call:
		c.resting--
	default:
		w := &worker{call: *call}
		c.work.Go(func() { c.workLoop(ctx, w) })
	}
}

// workLoop makes a call and the calls of its lane that follow. Then the worker is idle
// until there is another call or Run ends. It ends at once if enough others are idle.
//
// Held by TestCollectorAdapts.
func (c *Collector) workLoop(ctx context.Context, w *worker) {
	for ok := true; ok; w.call, ok = <-c.idleWorkers {
		for w.call.Type != CallUnset {
			c.runCall(ctx, w)
		}
		if w.over {
			return
		}
	}
}

// runCall makes a call and completes it, even if the call has ended the goroutine. It
// makes the worker's call the next one of its lane, or none.
func (c *Collector) runCall(ctx context.Context, w *worker) {
	x := completion{id: w.call.ID, result: Result{Err: errNoAnswer}}
	defer func() { c.complete(ctx, w, &x) }()
	c.do(ctx, w, &x)
}

// complete exchanges the result of a call for a prefetched call. If there is none, it
// reports the result itself and takes a turn. The worker makes the next call of its lane
// itself. It has no call meanwhile, since the engine may panic.
func (c *Collector) complete(ctx context.Context, w *worker, x *completion) {
	call := &w.call
	t := turn{keep: call.Type.lane(), kept: call}
	if x.result.Err == errNoAnswer { // the goroutine ends
		t.keep = LaneUnset
	}
	x.ended.Class = uint8(call.Type)
	if t.keep == LaneStore {
		if left, ok := c.prefetch.Exchange(ctx, call, *x); ok {
			if left <= run.QuickAhead/2 || !w.timing.Quick() {
				c.wake()
			}
			return
		}
	}
	done := call.Type
	call.Type = CallUnset
	c.lockedSoon(func(_ *Engine, now time.Time) { // the next call's evidence is of now
		c.lanes[done.lane()]--
		if done.lane() == LaneStore {
			c.pace.End(now.Sub(c.epoch), &x.ended, c.waits)
		}
		c.reportOrDrop(ctx, now, done, call, &x.result)
		if done == CallHandle {
			c.waitAgain(now)
		}
		c.follow(ctx, now, t)
		if x.result.Err != errNoAnswer {
			c.rest(w)
		}
	})
}

// rest counts a worker without a next call as idle, or ends it.
func (c *Collector) rest(w *worker) {
	switch {
	case w.call.Type != CallUnset:
	case c.resting >= maxResting:
		w.over = true
	default:
		c.resting++
	}
}

// reportOrDrop reports the result of a call. After the end of Run it drops the result of
// a call that was left behind. A handler, a fence or a listing that the shutdown has
// ended has not failed: it is given back.
func (c *Collector) reportOrDrop(ctx context.Context, now time.Time, done CallType, call *Call, r *Result) {
	switch ended := r.Err != nil && ctx.Err() != nil && done.lane() != LaneStore; {
	case c.left:
		return
	case ended:
		if done == CallHandle {
			c.say(effect.Info, "handler ended by shutdown", "finalizer", call.Finalizer, "object", call.Key.String(), "err", r.Err)
		}
		r = &Result{Err: ErrNotBegun}
	}
	c.report(now, call.ID, r)
}

// do makes a call within its timeout. Its error is the call's own, or the cause of the
// end of its context.
func (c *Collector) do(ctx context.Context, w *worker, x *completion) {
	call := &w.call
	limit := run.NewDeadline(ctx, call.Timeout)
	ctx = limit
	defer limit.End()
	defer func() {
		if v := recover(); v != nil {
			c.sayNow(effect.Error, "store panicked", "call", call.name(), "panic", v, "stack", string(debug.Stack()))
			x.result = Result{Err: fmt.Errorf("%s: panic: %v", call.name(), v)}
		}
	}()
	w.timing.Begin(c.epoch, &x.ended)
	err := c.make(ctx, call, &x.result)
	w.timing.End(c.epoch, &x.ended)
	if err != nil && err == ctx.Err() {
		err = fmt.Errorf("%s: %w", call.name(), context.Cause(ctx))
	}
	x.ended.Outcome = run.OutcomeOf(err)
	x.result.Err = run.Plain(err) // last, since the store's error may end the goroutine, too
}

func (c *Collector) make(ctx context.Context, call *Call, r *Result) (err error) {
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
