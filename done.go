package ownergraph

import (
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
)

// Done takes the result of a call. An id that is not under way is an error that wraps
// ErrInvalid, and changes nothing. ErrNotBegun gives the call back. A broken engine
// drops the result.
func (e *Engine) Done(now time.Time, id CallID, r Result) error {
	if e.broken == nil {
		e.tick(now)
	}
	x, ok := e.calls.Take(uint64(id))
	switch {
	case e.broken != nil:
		return e.broken
	case !ok:
		return fmt.Errorf("report call %d: not under way: %w", id, ErrInvalid)
	case r.Err != nil && errors.Is(r.Err, ErrNotBegun):
		e.notBegun(id, &x)
	default:
		e.done(id, &x, r)
	}
	e.carryOut()
	e.endStep()
	return nil
}

func (e *Engine) done(id CallID, x *inflight.Call, r Result) {
	if x.Purpose.IsRead() {
		r.Err = inflight.Sound(x.Key, &r.Object, r.Err)
	}
	switch x.Purpose {
	case inflight.Read:
		e.readDone(x, r)
	case inflight.Reread:
		e.rereadDone(id, x, r)
	case inflight.ReadHolder:
		e.sweeps.ReadDone(e.sweepView(), sweep.RunID(x.Run), x.Began, r.Object, r.Err)
	case inflight.Patch, inflight.Delete:
		e.writeDone(id, x, r.Err)
	case inflight.Fence:
		e.fenceDone(x.Fence, r)
	case inflight.List:
		e.listDone(r.Err)
	case inflight.Handle:
		e.handlerDone(id, x, r.Err)
	case inflight.Select:
		wait, _ := retryIn(r.Err)
		e.sweeps.SelectDone(e.sweepView(), uint64(id), r.Selected, r.Err, wait)
	}
}
