package ownergraph

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Done takes what came of a call. An id that is not under way is an error that
// wraps ErrInvalid; nothing changes then.
func (e *Engine) Done(now time.Time, id CallID, r Result) error {
	e.tick(now)
	if e.broken != nil {
		return e.broken
	}
	f, ok := e.flights[id]
	if !ok || e.isPrepared(id) {
		return fmt.Errorf("report call %d: not under way: %w", id, ErrInvalid)
	}
	delete(e.flights, id)
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
	e.carryOut()
	return nil
}

// isPrepared reports whether a call waits for its lane. Those that do rise by id, and
// most that are asked for went before them.
func (e *Engine) isPrepared(id CallID) bool {
	p := e.prepared.All()
	if len(p) == 0 || id < p[0].ID {
		return false
	}
	_, ok := slices.BinarySearchFunc(p, id, func(c Call, id CallID) int { return cmp.Compare(c.ID, id) })
	return ok
}

// sound turns a read's answer that can be none into an error: what a store
// answers by mistake proves nothing, least of all absence.
func sound(asked Key, r Result) Result {
	o := r.Object
	if r.Err == nil && (o.UID == "" || o.Version == "" || o.Place() != asked.Place()) {
		r.Err = fmt.Errorf("read %s: answered with %s at version %q: %w", asked, o.Key, o.Version, ErrInvalid)
	}
	return r
}
