package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// errNoAnswer is what a call has to say that ended its goroutine.
var errNoAnswer = errors.New("ended without an answer")

// late is the cause of a call's end by its timeout.
type late time.Duration

func (l late) Error() string { return fmt.Sprintf("no answer within %v", time.Duration(l)) }

func (late) Unwrap() error { return context.DeadlineExceeded }

// launch has a worker make a call: one that rests, or a new one. So there are no
// more of them than there were ever calls under way, and a call that comes alone
// needs no new stack.
func (c *Collector) launch(ctx context.Context, call *Call) {
	select {
	case c.resting <- *call:
	default:
		first := *call
		c.work.Go(func() { c.labor(ctx, &first) })
	}
}

// labor makes a call and after it whatever its lane has to do next, and rests
// until there is another one, or ctx ends.
func (c *Collector) labor(ctx context.Context, call *Call) {
	for {
		for call.Type != CallUnset {
			c.carry(ctx, call)
		}
		select {
		case *call = <-c.resting:
		case <-ctx.Done():
			return
		}
	}
}

// carry makes a call, reports what came of it, even if that has ended the
// goroutine, and makes it the next call of its lane, or none.
func (c *Collector) carry(ctx context.Context, call *Call) {
	r := Result{Err: errNoAnswer}
	defer func() { c.land(ctx, call, &r) }()
	c.make(ctx, call, &r)
}

// land leaves the result of a call on the shelf and takes the next one from there,
// or tells the engine by itself and hands out what follows from it while it has the
// lock; the next call of its lane is its own.
func (c *Collector) land(ctx context.Context, call *Call, r *Result) {
	id, typ, keep := call.ID, call.Type, call.Type.lane()
	if r.Err == errNoAnswer { // there is no worker to go on
		keep = LaneUnset
	}
	if keep == LaneStore && c.shelf.trade(ctx, call, r) {
		c.wake()
		return
	}
	*call = Call{}
	c.locked(func(_ *Engine, now time.Time) {
		c.lanes[typ.lane()]--
		c.report(ctx, now, id, typ, r)
		if typ == CallHandle {
			c.resync()
		}
		c.follow(ctx, now, keep, call)
	})
}

// report tells the engine what came of a call, unless Run has ended without it. What
// the end of Run made of a run of a handler, a fence or a listing is no failure of
// theirs.
func (c *Collector) report(ctx context.Context, now time.Time, id CallID, typ CallType, r *Result) {
	switch ended := r.Err != nil && ctx.Err() != nil && typ.lane() != LaneStore; {
	case ended && typ == CallHandle && !c.left:
		f := c.engine.flights[id]
		c.log.Info("handler ended by shutdown", "finalizer", f.handler, "object", f.key.String(), "err", r.Err)
		c.engine.abandon(id)
	case ended, c.left:
		c.engine.abandon(id)
	default:
		c.tell(now, id, r)
	}
}

// tell tells the engine what came of a call.
func (c *Collector) tell(now time.Time, id CallID, r *Result) {
	err := c.engine.Done(now, id, *r)
	if err == nil {
		return
	}
	if !errors.Is(err, ErrBroken) {
		c.engine.fail("%v", err)
	}
	delete(c.engine.flights, id) // it is over, even if the engine hears nothing any more
}

// make carries out a call within its timeout. Its error is the call's own, or
// the reason why its context ended.
func (c *Collector) make(ctx context.Context, call *Call, r *Result) {
	limit := newDeadline(ctx, call.Timeout)
	ctx = limit
	defer limit.end()
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("store panicked", "call", call.name(), "panic", v, "stack", string(debug.Stack()))
			*r = Result{Err: fmt.Errorf("%s: panic: %v", call.name(), v)}
		}
	}()
	err := c.ask(ctx, call, r)
	if err != nil && err == ctx.Err() {
		err = fmt.Errorf("%s: %w", call.name(), context.Cause(ctx))
	}
	r.Err = plain(err) // not before: the store's error may end the goroutine, too
}

// verdict is an error of which everything is known that the engine asks: the
// store's own error type may do anything in its methods, and must not do it
// while the engine is locked.
type verdict struct {
	text string
	is   error // the sentinel, or nil
}

func (v *verdict) Error() string { return v.text }
func (v *verdict) Unwrap() error { return v.is }

// waiting is a verdict that says when to come back.
type waiting struct {
	verdict
	after time.Duration
}

func (w *waiting) RetryAfter() time.Duration { return w.after }

// plain returns what err says, as a verdict.
func plain(err error) error {
	if err == nil {
		return nil
	}
	v := verdict{text: err.Error()}
	for _, is := range [...]error{ErrNotFound, ErrConflict, ErrKindUnknown, ErrRefused} {
		if errors.Is(err, is) {
			v.is = is
			break
		}
	}
	if after, told := retryIn(err); told {
		return &waiting{v, after}
	}
	return &v
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
		err = c.fencer.Fence(ctx, c.fences+call.Fence)
	case CallList:
		err = c.list(ctx, call.Kind)
	case CallHandle:
		err = bare(ctx, c.handlers.Run(ctx, call.Finalizer, call.Object))
	case CallSelect:
		r.Selected, err = c.selector.Select(ctx, call.Select)
	}
	return err
}

// list asks for a new listing of a kind. Without a Lister the watch is
// restarted, unless it will list the kind anyway.
func (c *Collector) list(ctx context.Context, kind Kind) error {
	if c.lister != nil && kind != "" {
		return c.lister.List(ctx, kind)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watch != nil && !c.owes(c.watch, kind) {
		c.watch.stop(errRelist)
	}
	return nil
}

// name says what the call does, as in "delete pod/ns/a@u".
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

// name says what a call that was handed out does.
func (f flight) name() string {
	if f.call == CallSelect {
		return f.call.String() + " " + string(f.key.Kind)
	}
	c := Call{Type: f.call, Key: f.key, Kind: f.key.Kind, Finalizer: f.handler}
	return c.name()
}
