package ownergraph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Done takes the result of a call. An id that is not under way is an error that wraps
// ErrInvalid, and changes nothing. ErrNotBegun gives the call back. A broken engine
// drops the result.
func (e *Engine) Done(now time.Time, id CallID, r Result) error {
	if e.broken == nil {
		e.tick(now)
	}
	f, ok := e.flights[id]
	ok = ok && !e.isPrepared(id)
	if ok {
		delete(e.flights, id)
	}
	switch {
	case e.broken != nil:
		return e.broken
	case !ok:
		return fmt.Errorf("report call %d: not under way: %w", id, ErrInvalid)
	case r.Err != nil && errors.Is(r.Err, ErrNotBegun):
		e.notBegun(id, f)
	default:
		e.done(id, f, r)
	}
	e.carryOut()
	return nil
}

func (e *Engine) done(id CallID, f flight, r Result) {
	switch f.call {
	case CallRead:
		r = sound(f.key, r)
		switch {
		case f.run != 0:
			e.holderRead(f, r)
		case f.reread:
			e.rereadDone(id, f, r)
		default:
			e.readDone(f, r)
		}
	case CallPatch, CallDelete:
		e.writeDone(id, f, r.Err)
	case CallFence:
		e.fenceDone(f.fence, r.Err)
	case CallList:
		e.listDone(r.Err)
	case CallHandle:
		e.handlerDone(id, f, r.Err)
	case CallSelect:
		e.selectDone(id, r)
	}
}

// isPrepared reports whether a call waits for its lane. Prepared calls are sorted by id.
// Most ids that are asked for are smaller than the first of them.
func (e *Engine) isPrepared(id CallID) bool {
	p := e.prepared.All()
	if len(p) == 0 || id < p[0].ID {
		return false
	}
	_, ok := slices.BinarySearchFunc(p, id, func(c Call, id CallID) int { return cmp.Compare(c.ID, id) })
	return ok
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
