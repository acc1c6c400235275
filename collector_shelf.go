package ownergraph

import (
	"context"
	"slices"
	"sync"
	"time"
)

// shelf holds store calls that were decided before a worker was free to make
// them, and results that the engine has not been told yet. A worker that comes
// back trades one for the other and is gone, under a lock of the shelf's own that
// nobody holds for longer: calls that end in the same moment do not queue up for
// the engine, one decision after another, while the store has nothing to do. As
// many are kept as there are workers, and only while all of these are busy.
//
// A call on the shelf is handed out, as far as the engine knows. Where the engine
// takes back what it has prepared (see Engine.ground), these are taken back too: see
// recall. That takes its time; nobody takes one from the moment on at which the engine
// knows. A lane that has room takes from the shelf first, so that no call lies there
// while a worker rests. Held by TestCollectorRecalls, TestShelfCloses,
// TestRevokedAtOnce, TestCollectorShelf and TestCollectorWorkers.
type shelf struct {
	mu     sync.Mutex
	calls  line[Call]
	closed bool // what they rest on is not so any more
	landed []landing
}

// landing is what came of a call, and the call that its worker has left with.
type landing struct {
	id     CallID
	result Result
	next   CallID
}

// trade leaves a result and takes a call, if there is one and ctx goes on;
// otherwise it changes nothing.
func (s *shelf) trade(ctx context.Context, id CallID, r Result) (Call, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bare() || ctx.Err() != nil {
		return Call{}, false
	}
	next := s.calls.pop()
	s.landed = append(s.landed, landing{id, r, next.ID})
	return next, true
}

// pick takes a call, if there is one.
func (s *shelf) pick() (Call, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bare() {
		return Call{}, false
	}
	return s.calls.pop(), true
}

// bare reports whether there is no call to take.
func (s *shelf) bare() bool { return s.calls.len() == 0 || s.closed }

// close has no call taken that was laid there before the next recall.
func (s *shelf) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *shelf) put(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.push(c)
}

func (s *shelf) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls.len()
}

// idle returns how many calls nobody is under way with although the engine thinks
// so: they have not been begun, or are over.
func (s *shelf) idle() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls.len() + len(s.landed)
}

// take returns what has landed, in room that the caller gives back for the next.
func (s *shelf) take(room []landing) []landing {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.landed
	clear(room)
	s.landed = room[:0]
	return out
}

// recall returns the calls on the shelf that keep does not want to stay.
func (s *shelf) recall(keep func(Call) bool) (out []Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.calls.all())
	s.calls, s.closed = line[Call]{}, false
	for _, c := range all {
		if keep(c) {
			s.calls.push(c)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// takeIn tells the engine what has landed on the shelf. Who is under way with what is
// noted before, since the engine may panic. Held by TestTakeInPanics.
func (c *Collector) takeIn(now time.Time) {
	c.landed = c.shelf.take(c.landed)
	for i := range c.landed {
		c.arrive(c.landed[i].id)
		c.depart(now, c.landed[i].next)
	}
	for i := range c.landed {
		c.tell(now, c.landed[i].id, c.landed[i].result)
	}
}

// depart notes that a worker is under way with a call from the shelf.
func (c *Collector) depart(now time.Time, id CallID) {
	f := c.flying[id]
	c.lanes[f.lane]++
	c.engine.counts.count(f.typ, 1)
	f.until = now.Add(c.engine.cfg.CallTimeout)
	c.flying[id] = f
}

// stock puts calls on the shelf, which is done only while all workers are busy,
// and returns how many were handed out by then.
func (c *Collector) stock(now time.Time, n int) int {
	for room := c.engine.cfg.Workers - c.shelf.len(); room > 0 && n < mostBatch; room-- {
		call, _ := c.handOut(now, LaneStore)
		if call.Type == CallUnset {
			break
		}
		c.engine.counts.count(call.Type, -1) // until somebody makes it
		c.shelf.put(call)
		n++
	}
	return n
}

// recall takes calls back that nobody has begun, where the engine has taken back
// what it had prepared.
func (c *Collector) recall() {
	switch {
	case c.engine.broken != nil:
		c.clearShelf()
		return
	case !c.shelf.closed: // it changes under this lock alone
		return
	}
	c.shelf.recall(func(call Call) (kept bool) {
		if kept = !c.engine.takeBack(call.ID); !kept {
			delete(c.flying, call.ID)
		}
		return kept
	})
	c.wake()
}

// clearShelf leaves what nobody has begun unmade.
func (c *Collector) clearShelf() {
	for _, call := range c.shelf.recall(func(Call) bool { return false }) {
		delete(c.flying, call.ID)
		delete(c.engine.flights, call.ID)
	}
}
