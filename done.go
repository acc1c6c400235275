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
	switch x.Purpose {
	case inflight.Read:
		e.readDone(x, sound(x.Key, r))
	case inflight.Reread:
		e.rereadDone(id, x, sound(x.Key, r))
	case inflight.ReadHolder:
		r = sound(x.Key, r)
		e.sweeps.ReadDone(e.sweepView(), sweep.RunID(x.Run), x.Began, r.Object, r.Err)
	case inflight.Patch, inflight.Delete:
		e.writeDone(id, x, r.Err)
	case inflight.Fence:
		e.fenceDone(x.Fence, r.Err)
	case inflight.List:
		e.listDone(r.Err)
	case inflight.Handle:
		e.handlerDone(id, x, r.Err)
	case inflight.Select:
		e.selectDone(id, r)
	}
}

// sound turns an answer of another object into an error. A wrong answer of a store proves
// nothing, least of all absence.
func sound(asked Key, r Result) Result {
	o := r.Object
	if r.Err == nil && (o.UID == "" || o.Version == "" || o.Place() != asked.Place()) {
		r.Err = fmt.Errorf("read %s: answered with %s at version %q: %w", asked, o.Key, o.Version, ErrInvalid)
	}
	return r
}
