package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/cycle"
)

const (
	// steps bounds the keys that one Next decides before it says "ask again".
	steps = 128
	// bulkSteps is the number of keys that one slice of bulk work counts for.
	bulkSteps = steps / 4
	// maxPrepared bounds the store calls that wait for their lane.
	maxPrepared = 64
)

// Next returns the next call of the lane. If there is none, it returns the time to ask the
// lane again. The zero time means "after the next Observe or Done". A time that is not
// after now means "at once", since one Next does bounded work.
//
// The caller begins the call before its next step of the engine, or gives the call back
// with ErrNotBegun. It reports every call with Done, in any order. The lanes are
// independent: the engine hands out calls of one lane while calls of another take long.
func (e *Engine) Next(now time.Time, lane Lane) (c Call, at time.Time) {
	at, _ = e.nextInto(now, lane, &c)
	return c, at
}

// nextInto is Next without a copy of the call, which is large. It makes c the call, or
// leaves c as it is and returns false.
func (e *Engine) nextInto(now time.Time, lane Lane, c *Call) (at time.Time, ok bool) {
	defer e.endStep()
	e.tick(now)
	if e.broken != nil {
		return at, false
	}
	for budget := steps; budget > 0; {
		if e.takeReady(lane, c) {
			return e.now, true
		}
		cost := e.step()
		if cost == 0 {
			if e.takeReady(lane, c) {
				return e.now, true
			}
			return e.wake(lane), false
		}
		budget -= cost
	}
	return e.now, false
}

// takeReady makes c a call of the lane that needs no further decision, and counts it. It
// returns false if there is none, and leaves c as it is.
func (e *Engine) takeReady(lane Lane, c *Call) bool {
	ok := e.popCall(lane, c)
	if ok {
		e.counts.Calls[c.Type]++
	}
	return ok
}

func (e *Engine) popCall(lane Lane, c *Call) bool {
	switch lane {
	case LaneStore:
		return e.calls.PopPrepared(c) || e.nextRead(c)
	case LaneHandler:
		return e.nextHandler(c)
	case LaneControl:
		e.fence.Release(e.now, &e.kinds, &e.effects) // deletions that have waited for too long
		e.carryOut()
		return e.nextFence(c) || e.nextList(c) || e.nextSelect(c)
	}
	return false
}

// step does one piece of work and returns its cost, 0 if there was none. Keys go before
// bulk, and bulk goes on only while the queue is short. The pruning after a listing goes
// before the dependents of the pruned objects.
func (e *Engine) step() int {
	cost := e.stepWork()
	e.carryOut()
	return cost
}

// stepWork is step before its effects are carried out.
func (e *Engine) stepWork() int {
	if len(e.calls.Prepared()) >= maxPrepared {
		return 0
	}
	e.fanout.StepWoken(e.fanView(), slice, lowWater)
	if id, ok := e.work.Next(e.now); ok {
		cost, before := 1, e.sweeps.Looked()
		if e.graph.InUse(id) { // a decision looks at every reference
			cost += e.graph.Node(id).Owners() / 8
		}
		c := &e.scratch.call
		e.scratch.deciding = true
		ok := e.decide(id, c)
		e.scratch.deciding = false
		if ok {
			e.calls.Prepare(uint64(c.ID), c)
			c.ID = 0 // see fail
		}
		return cost + int(e.sweeps.Looked()-before)/8
	}
	switch {
	case len(e.fanout.Woken()) > 0:
	case !e.kinds.IsPruned():
		e.prune()
	case len(e.fanout.Owners()) > 0:
		e.fanout.Step(e.fanView(), slice, lowWater)
	case e.sweeps.HasWork(e.now):
		e.stepSweeps()
	case e.cycles.HasWork(e.now, e.quiet()):
		e.stepCycles()
	case e.stepAudit():
	default:
		return 0
	}
	return bulkSteps
}

// stepCycles begins a search for cycles or goes on with it.
func (e *Engine) stepCycles() {
	e.cycles.Step(cycle.Moment{
		Nodes: e.view(), Stamps: &e.seq, Now: e.now, Passed: e.fence.Passed(), Quiet: e.quiet(), Fences: e.level >= Level2,
	}, slice, &e.effects)
	e.carryOut()
}

// quiet reports whether no call, expectation or fence is under way, which may show that a
// suspect is in no cycle.
func (e *Engine) quiet() bool {
	return e.calls.Len() == 0 && e.expected.Len() == 0 && !e.fence.Under() && !e.fence.Wanted()
}

// busy reports whether there is work left that needs neither an event nor a result. Next
// would hand out a read or a write, or get something done.
func (e *Engine) busy() bool {
	return len(e.calls.Prepared()) > 0 || len(e.fanout.Woken()) > 0 || len(e.fanout.Owners()) > 0 || !e.kinds.IsPruned() ||
		e.work.Ready() > 0 || e.reads.Ready() > 0 || e.cycles.HasWork(e.now, e.quiet()) || e.audit.IsRunning() ||
		e.sweeps.IsReady()
}

// wake returns the time at which Next of this lane will have something to do, the zero time
// for never.
func (e *Engine) wake(lane Lane) time.Time { return soonest(e.wakeStep(), e.wakeLane(lane)) }

// wakeStep returns the time at which step will have something to do.
func (e *Engine) wakeStep() time.Time {
	if len(e.calls.Prepared()) >= maxPrepared {
		return time.Time{}
	}
	w := waking{after: e.now}
	w.at(e.work.Due())
	w.at(e.cycles.DueAt())
	w.at(e.audit.NextAt(), true)
	w.at(e.sweeps.At())
	return w.first
}

// wakeLane returns the time at which a call of the lane will be ready.
func (e *Engine) wakeLane(lane Lane) time.Time {
	w := waking{after: e.now}
	switch lane {
	case LaneStore:
		w.at(e.reads.Due())
	case LaneControl:
		at, counts := e.fence.Times(&e.kinds)
		for i := range at {
			w.at(at[i], counts[i])
		}
		w.at(e.kinds.ListAt())
		w.at(e.sweeps.SelectAt(e.sweepView()))
	}
	return w.first
}

// waking is the first of several times, and later than after.
type waking struct{ after, first time.Time }

// at counts a time in, if it is one to wait for.
func (w *waking) at(t time.Time, ok bool) {
	if !ok {
		return
	}
	if !t.After(w.after) {
		t = w.after.Add(1)
	}
	w.first = soonest(w.first, t)
}

// soonest returns the earlier of two times, of which the zero time is none.
func soonest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
