package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/queue"
)

const (
	// steps bounds how many keys one Next decides before it says "ask again".
	steps = 128
	// bulkSteps is how many of them a slice of bulk work counts for.
	bulkSteps = steps / 4
	// mostPrepared bounds the store calls that wait for their lane.
	mostPrepared = 64
)

// Next returns the next call of the lane to make, or, if there is none, when
// to ask this lane again: the zero time for "when Observe or Done was called", a
// time not after now for "at once", since one Next does only so much.
//
// Whoever takes a call must report it with Done, in any order with others. The
// lanes are independent: calls of one are handed out however long those of
// another take.
func (e *Engine) Next(now time.Time, lane Lane) (Call, time.Time) {
	e.tick(now)
	if e.broken != nil {
		return Call{}, time.Time{}
	}
	for budget := steps; budget > 0; {
		if c, ok := e.ready(lane); ok {
			return c, e.now
		}
		cost := e.step()
		if cost == 0 {
			if c, ok := e.ready(lane); ok {
				return c, e.now
			}
			return Call{}, e.wake(lane)
		}
		budget -= cost
	}
	return Call{}, e.now
}

// Take returns a call of the lane that needs no further decision, if there is
// one. It does no other work; Next does.
func (e *Engine) Take(now time.Time, lane Lane) (Call, bool) {
	e.tick(now)
	if e.broken != nil {
		return Call{}, false
	}
	return e.ready(lane)
}

// ready returns a call of the lane that needs no further decision, and counts it.
func (e *Engine) ready(lane Lane) (Call, bool) {
	c, ok := e.pick(lane)
	if ok {
		e.counts.count(c.Type, 1)
	}
	return c, ok
}

func (e *Engine) pick(lane Lane) (Call, bool) {
	switch lane {
	case LaneStore:
		if e.prepared.len() > 0 {
			return e.prepared.pop(), true
		}
		return e.nextRead()
	case LaneHandler:
		return e.nextHandler()
	case LaneControl:
		e.freeFence()
		if c, ok := e.nextFence(); ok {
			return c, true
		}
		if c, ok := e.nextList(); ok {
			return c, true
		}
		return e.nextSelect()
	}
	return Call{}, false
}

// step does one piece of work and returns what it counts for, 0 if there was
// none. Keys go before bulk, and bulk goes on only while the queue is short. What
// a listing has to say of objects that are gone goes before their dependents.
func (e *Engine) step() int {
	if e.prepared.len() >= mostPrepared {
		return 0
	}
	e.stepWakes()
	if id, ok := e.work.Next(e.now); ok {
		cost := 1
		if e.graph.InUse(id) { // a decision looks at every reference
			cost += e.graph.Node(id).Owners() / 8
		}
		if c, ok := e.decide(id); ok {
			e.prepared.push(c)
		}
		return cost
	}
	switch {
	case len(e.wakes) > 0:
	case len(e.sweeps) > 0:
		e.stepSweeps()
	case len(e.fans) > 0:
		e.stepFans()
	case e.stepClearings(), e.stepRings(), e.stepAudit():
	default:
		return 0
	}
	return bulkSteps
}

// Busy reports whether there is work left that needs nothing from outside: Next
// would hand out a read or a write, or get something done.
func (e *Engine) Busy() bool {
	return e.prepared.len() > 0 || len(e.wakes) > 0 || len(e.fans) > 0 || len(e.sweeps) > 0 ||
		e.work.Ready() > 0 || e.asks.Ready() > 0 || e.rings.search != nil || e.audit.under || e.ringsDue() ||
		e.clear.walk != 0 || e.clear.again || e.clear.stir
}

// wake returns when a time will give the engine something to do that Next of
// this lane can do; the zero time for never.
func (e *Engine) wake(lane Lane) time.Time {
	var at time.Time
	sooner := func(t time.Time, ok bool) {
		if !ok {
			return
		}
		if t = later(t, e.now.Add(1)); at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if e.prepared.len() < mostPrepared {
		sooner(due(e.work))
		sooner(e.rings.due, len(e.rings.suspects) > 0)
		sooner(e.audit.next, true)
		sooner(e.clear.due, !e.clear.due.IsZero())
	}
	switch lane {
	case LaneStore:
		sooner(due(e.asks))
	case LaneControl:
		f := &e.fence
		held := e.fenceHeld()
		sooner(f.retry, e.level >= Level2 && f.wanted != 0 && f.id == 0)
		sooner(f.due(held), f.id != 0 && (!held || f.wanted > f.began))
		sooner(f.since.Add(e.cfg.FenceWait), held && f.id != 0 && e.cfg.FenceWait != 0 && f.freed < f.began)
		_, due := e.dueList()
		sooner(e.lists.retry, due)
		sooner(e.selectsAt())
	}
	return at
}

// Wake returns when, with no event and no result in between, Next of the lane
// will have something to do, and false for never.
func (e *Engine) Wake(lane Lane) (time.Time, bool) {
	at := e.wake(lane)
	return at, !at.IsZero()
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func due[K comparable](q *queue.Queue[K]) (time.Time, bool) { return q.Due() }
