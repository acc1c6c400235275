package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ownergraph/ownergraph/internal/run"
)

// errNoAnswer is the result of a call that ended its goroutine.
var errNoAnswer = errors.New("ended without an answer")

// do makes a call within its timeout. Its error is the call's own, or the cause of the
// end of its context.
func (c *Collector) do(ctx context.Context, call *Call, r *Result) {
	limit := run.NewDeadline(ctx, call.Timeout)
	ctx = limit
	defer limit.End()
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
	r.Err = plain(err) // last, since the store's error may end the goroutine, too
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
		err = unwrapRun(ctx, c.handlers.Run(ctx, call.Finalizer, call.Object))
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
	if c.watch != nil && !c.owes(c.watch, kind) {
		c.watch.stop(errRelist)
	}
	return nil
}

// unwrapRun returns the error of a handler without the names of the finalizer and the
// object, since logs and Held give them already. If a handler returns the error of its
// context, the result is the cause of that error, such as the timeout.
func unwrapRun(ctx context.Context, err error) error {
	failed, ok := err.(*run.RunError)
	if !ok {
		return err
	}
	if failed.Err == ctx.Err() {
		return context.Cause(ctx)
	}
	return failed.Err
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

// answer is an error with all properties that the engine looks at. The methods of the
// store's own error type may do anything, and must not do it under the lock.
type answer struct {
	text string
	is   error // the sentinel, or nil
}

func (a *answer) Error() string { return a.text }
func (a *answer) Unwrap() error { return a.is }

// answerLater is an answer with the time of the next try.
type answerLater struct {
	answer
	after time.Duration
}

func (a *answerLater) RetryAfter() time.Duration { return a.after }

// plain returns err as an answer.
func plain(err error) error {
	if err == nil {
		return nil
	}
	a := answer{text: err.Error()}
	for _, is := range [...]error{ErrNotFound, ErrConflict, ErrKindUnknown, ErrRefused} {
		if errors.Is(err, is) {
			a.is = is
			break
		}
	}
	if after, told := retryIn(err); told {
		return &answerLater{a, after}
	}
	return &a
}
