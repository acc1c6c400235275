package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/queue"
)

const (
	// steps bounds how many keys one Next decides before it says "ask again".
	steps = 128
	// mostPrepared bounds the store calls that wait for their lane.
	mostPrepared = 64
)

// Next returns the next call of the lane to make, or, if there is none, when
// to ask again: the zero time for "when Observe or Done was called", a time not
// after now for "at once", since there is work left that makes no call.
//
// Whoever takes a call must report it with Done, in any order with others. The
// lanes are independent: calls of one are handed out however long those of
// another take.
func (e *Engine) Next(now time.Time, lane Lane) (Call, time.Time) {
	e.tick(now)
	if e.broken != nil {
		return Call{}, time.Time{}
	}
	for range steps {
		if c, ok := e.ready(lane); ok {
			return c, e.now
		}
		if !e.step() {
			if c, ok := e.ready(lane); ok {
				return c, e.now
			}
			return Call{}, e.wake()
		}
	}
	return Call{}, e.now
}

// ready returns a call of the lane that needs no further decision.
func (e *Engine) ready(lane Lane) (Call, bool) {
	switch lane {
	case LaneStore:
		if len(e.prepared) > 0 {
			c := e.prepared[0]
			e.prepared = pop(e.prepared)
			return c, true
		}
		return e.nextRead()
	case LaneHandler:
		return e.nextHandler()
	case LaneControl:
		e.freeFence()
		if c, ok := e.nextFence(); ok {
			return c, true
		}
		return e.nextList()
	}
	return Call{}, false
}

// step does one piece of work and reports whether there was any. Keys go
// before bulk, and bulk goes on only while the queue is short.
func (e *Engine) step() bool {
	if len(e.prepared) >= mostPrepared {
		return false
	}
	e.stepWakes()
	if id, ok := e.work.Next(e.now); ok {
		if c, ok := e.decide(id); ok {
			e.prepared = append(e.prepared, c)
		}
		return true
	}
	switch {
	case len(e.wakes) > 0:
	case len(e.fans) > 0:
		e.stepFans()
	case len(e.sweeps) > 0:
		e.stepSweeps()
	case e.stepRings(len(e.flights) == 0):
	default:
		return e.stepAudit()
	}
	return true
}

// busy reports whether there is work left that needs nothing from outside.
func (e *Engine) busy() bool {
	return len(e.prepared) > 0 || len(e.wakes) > 0 || len(e.fans) > 0 || len(e.sweeps) > 0 ||
		e.work.Ready() > 0 || e.asks.Ready() > 0 || e.rings.search != nil || e.audit.under
}

// wake returns when a time will give the engine something to do.
func (e *Engine) wake() time.Time {
	var at time.Time
	sooner := func(t time.Time, ok bool) {
		if ok && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	sooner(due(e.work))
	sooner(due(e.asks))
	f := &e.fence
	sooner(f.retry, e.level >= Level2 && f.wanted != 0 && f.id == 0)
	sooner(f.started.Add(fenceTimeout), f.id != 0 && (!e.fenceHeld() || f.wanted > f.began))
	sooner(f.since.Add(e.cfg.FenceWait), f.id != 0 && e.cfg.FenceWait != 0 && f.freed < f.began)
	sooner(e.lists.retry, len(e.lists.wanted) > 0)
	sooner(e.rings.last.Add(ringEvery), len(e.rings.suspects) > 0)
	sooner(e.audit.next, e.graph.Len() > 0)
	if !at.IsZero() && at.Before(e.now) {
		at = e.now
	}
	return at
}

func due[K comparable](q *queue.Queue[K]) (time.Time, bool) { return q.Due() }
