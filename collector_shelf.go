package ownergraph

import (
	"context"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
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
	calls  fifo.List[Call]
	closed bool // what they rest on is not so any more
	landed []landing
}

// landing is what came of a call, and of which type is the one that its worker has
// left with.
type landing struct {
	id     CallID
	result Result
	next   CallType
}

// trade leaves the result of a call and makes it the next one, if there is one and
// ctx goes on; otherwise it changes nothing.
func (s *shelf) trade(ctx context.Context, call *Call, r *Result) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bare() || ctx.Err() != nil { // not before: what lands after drain has looked would be lost
		return false
	}
	id := call.ID
	s.calls.Pop(call)
	s.landed = append(s.landed, landing{id, *r, call.Type})
	return true
}

// pick takes a call, if there is one.
func (s *shelf) pick(call *Call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.bare() && s.calls.Pop(call)
}

// bare reports whether there is no call to take.
func (s *shelf) bare() bool { return s.calls.Len() == 0 || s.closed }

// close has no call taken that was laid there before the next recall.
func (s *shelf) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *shelf) put(c *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.Push(c)
}

func (s *shelf) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls.Len()
}

// idle returns how many calls nobody is under way with although the engine thinks
// so: they have not been begun, or are over.
func (s *shelf) idle() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls.Len() + len(s.landed)
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
func (s *shelf) recall(keep func(CallID) bool) (out []CallID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.calls.All())
	s.calls, s.closed = fifo.List[Call]{}, false
	for i := range all {
		if keep(all[i].ID) {
			s.calls.Push(&all[i])
		} else {
			out = append(out, all[i].ID)
		}
	}
	return out
}

// takeIn tells the engine what has landed on the shelf, and counts what its workers
// have left with; there are as many of them as before. Held by TestTakeInPanics.
func (c *Collector) takeIn(now time.Time) {
	c.landed = c.shelf.take(c.landed)
	for i := range c.landed {
		c.engine.counts.count(c.landed[i].next, 1)
	}
	for i := range c.landed {
		c.tell(now, c.landed[i].id, &c.landed[i].result)
	}
}

// stock puts calls on the shelf, which is done only while all workers are busy,
// and returns how many were handed out by then.
func (c *Collector) stock(n int) int {
	for room := c.engine.cfg.Workers - c.shelf.len(); room > 0 && n < mostBatch; room-- {
		var call Call
		if !c.engine.ready(LaneStore, &call) {
			break
		}
		c.engine.counts.count(call.Type, -1) // until somebody makes it
		c.shelf.put(&call)
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
	case c.shelf.closed: // it changes under this lock alone
		c.shelf.recall(func(id CallID) bool { return !c.engine.takeBack(id) })
		c.wake()
	}
}

// clearShelf leaves what nobody has begun unmade.
func (c *Collector) clearShelf() {
	for _, id := range c.shelf.recall(func(CallID) bool { return false }) {
		delete(c.engine.flights, id)
	}
}
