package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/run"
)

// errNoAnswer is the result of a call that ended its goroutine.
var errNoAnswer = errors.New("ended without an answer")

// completion is the result of a call that the engine has not been told yet. The first
// completion of a batch has the time that the batch took.
type completion struct {
	id     engine.CallID
	result engine.Result
	ended  run.Ended
}

// worker is one goroutine that makes calls.
type worker struct {
	calls  []engine.Call // one, or the writes of a batch
	done   []completion  // one for each call
	batch  run.Batch
	timing run.Timing
	died   bool // a call has ended the goroutine
	over   bool // there are idle workers enough
}

// maxResting bounds the idle workers that stay.
const maxResting = 8

// launch gives c.calls to an idle worker, or to a new one. So there are at most as many
// workers as there were ever calls under way, and a lone call needs no new stack.
func (c *Collector) launch(ctx context.Context) {
	select {
	case c.idleWorkers <- c.calls:
		c.resting--
	default:
		w := &worker{calls: c.calls}
		c.work.Go(func() { c.workLoop(ctx, w) })
	}
	c.calls = nil
	if last := len(c.spare) - 1; last >= 0 {
		c.calls, c.spare = c.spare[last], c.spare[:last]
	}
}

// workLoop makes calls, and those of their lane that follow. Then the worker is idle until
// there are other ones or Run ends. It ends at once if enough others are idle.
//
//test:by TestCollectorAdapts
func (c *Collector) workLoop(ctx context.Context, w *worker) {
	for ok := true; ok; w.calls, ok = <-c.idleWorkers {
		for len(w.calls) > 0 {
			c.runCalls(ctx, w)
		}
		if w.over {
			return
		}
	}
}

// runCalls makes a worker's calls and completes them, even if one has ended the goroutine.
// Then the worker has the next calls of its lane, or none.
func (c *Collector) runCalls(ctx context.Context, w *worker) {
	w.begin()
	defer func() { c.complete(ctx, w) }()
	c.do(ctx, w)
	w.died = false
}

// begin gives each call the result of one that ends the goroutine.
func (w *worker) begin() {
	w.died = true
	clear(w.done)
	w.done = w.done[:0]
	for i := range w.calls {
		w.done = append(w.done, completion{id: w.calls[i].ID, result: engine.Result{Err: errNoAnswer}})
	}
}

// complete exchanges the results of a worker's calls for prefetched calls. If there are
// none, or a call is lost, it reports the results itself and runs a turn. The worker makes the
// next calls of its lane itself. It has no call meanwhile, since the engine may panic.
func (c *Collector) complete(ctx context.Context, w *worker) {
	first, call := &w.done[0], w.calls[0]
	lane := call.Type.Lane()
	t := turn{keep: lane, kept: w}
	if w.died {
		t.keep = engine.LaneUnset
	}
	first.ended.Class = uint8(call.Type)
	if t.keep == engine.LaneStore && !w.lost() {
		if left, ok := c.prefetch.Exchange(ctx, &w.calls, w.done, c.batches.Limit()); ok {
			if left <= run.QuickAhead/2 || len(w.done) > 1 || !w.timing.Quick() {
				c.wake()
			}
			return
		}
	}
	clear(w.calls)
	w.calls = w.calls[:0]
	c.lockedSoon(func(_ engine.Driver, now time.Time) { // the next calls' evidence is of now
		c.lanes[lane]--
		if lane == engine.LaneStore {
			c.pace.End(now.Sub(c.epoch), &first.ended, c.waits)
		}
		for i := range w.done {
			c.reportOrDrop(ctx, now, &call, &w.done[i])
		}
		if call.Type == engine.CallHandle {
			c.waitAgain(now)
		}
		c.runTurnAfter(ctx, now, t)
		if !w.died {
			c.keepIdle(w)
		}
	})
}

// keepIdle counts a worker without a next call as idle, or ends it.
func (c *Collector) keepIdle(w *worker) {
	switch {
	case len(w.calls) > 0:
	case c.resting >= maxResting:
		w.over = true
	default:
		c.resting++
		if cap(w.calls) > 0 {
			c.spare = append(c.spare, w.calls)
			w.calls = nil
		}
	}
}

// do makes a worker's calls, each within its timeout. An error is the call's own, or the
// cause of the end of its context.
func (c *Collector) do(ctx context.Context, w *worker) {
	call, x := &w.calls[0], &w.done[0]
	defer func() {
		if v := recover(); v != nil {
			c.sayNow(effect.Error, "store panicked", "call", w.name(), "panic", v, "stack", string(debug.Stack()))
			w.fail(fmt.Errorf("%s: panic: %v", w.name(), v))
		}
	}()
	w.timing.Begin(c.epoch, &x.ended)
	if len(w.calls) > 1 {
		err := c.makeBatch(ctx, w)
		w.timing.End(c.epoch, &x.ended)
		x.ended.Outcome, x.ended.Size = run.OutcomeOf(err), w.batch.Made()
		return
	}
	limit := run.NewDeadline(ctx, call.Timeout)
	defer limit.End()
	err := c.make(limit, call, &x.result)
	if w.timing.End(c.epoch, &x.ended); call.Type == engine.CallPatch || call.Type == engine.CallDelete {
		c.batches.End(1, x.ended.Latency, err)
	}
	err = causeOf(limit, call, err)
	x.ended.Outcome = run.OutcomeOf(err)
	if err == run.ErrOtherShare {
		err = ErrNotBegun
	} else if call.Type != engine.CallJudge { // which asks no store, and the engine knows its errors
		err = run.Plain(err) // last, since the store's error may end the goroutine, too
	}
	x.result.Err = err
}

// BeginCall begins the CallTimeout of a Collector's call anew, once. It is for a store in which the
// call has waited for other ones. It reports whether ctx is of such a call.
func BeginCall(ctx context.Context) bool { return run.BeginCall(ctx) }

// causeOf returns the error of a call, or the cause of the end of its context.
func causeOf(ctx context.Context, call *engine.Call, err error) error {
	if err != nil && err == ctx.Err() {
		return fmt.Errorf("%s: %w", call.String(), context.Cause(ctx))
	}
	return err
}

// name describes the worker's calls.
func (w *worker) name() string {
	if n := len(w.calls); n > 1 {
		return fmt.Sprintf("batch of %d writes, the first: %s", n, w.calls[0].String())
	}
	return w.calls[0].String()
}

// lost reports whether an outcome is unknown. The engine hears of that before a write follows (R5).
func (w *worker) lost() bool {
	for i := range w.done {
		if run.IsUnknown(w.done[i].result.Err) {
			return true
		}
	}
	return false
}

// fail gives the calls without a result an error.
func (w *worker) fail(err error) {
	for i := range w.done {
		if x := &w.done[i].result; x.Err == errNoAnswer {
			*x = engine.Result{Err: err}
		}
	}
}

func (c *Collector) make(ctx context.Context, call *engine.Call, r *engine.Result) (err error) {
	switch call.Type {
	case engine.CallRead:
		r.Object, err = c.store.Get(ctx, call.Key)
	case engine.CallPatch:
		err = c.store.Patch(ctx, call.Key, call.Precondition, call.Change)
	case engine.CallDelete:
		err = c.store.Delete(ctx, call.Key, call.Options)
	case engine.CallFence:
		r.Fence, err = c.fencer.Fence(ctx)
	case engine.CallList:
		err = c.list(ctx, call.Kind)
	case engine.CallHandle:
		err = c.handling.Run(ctx, call.Key.UID, func(ctx context.Context) error { return c.handlers.Run(ctx, call.Finalizer, call.Object) })
	case engine.CallSelect:
		r.Selected, err = c.selector.Select(ctx, call.Select)
	case engine.CallJudge:
		r.Verdict, err = c.judge(ctx, call.Key)
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
