package ownergraph

import (
	"fmt"
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
	if !ok {
		return fmt.Errorf("report call %d: not under way: %w", id, ErrInvalid)
	}
	delete(e.flights, id)
	switch f.call {
	case CallRead:
		if f.reread {
			e.rereadDone(id, f, r)
		} else {
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
	}
	return nil
}
