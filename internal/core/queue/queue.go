package queue

import (
	"hash/maphash"
	"math"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

// dueBatch bounds how many due keys one Next makes ready.
const dueBatch = 256

// Queue says which key to look at next, and when. Make one with New. It is not
// safe for concurrent use, and it calls nothing but Config.Hash. Keys must
// equal themselves, as keys of a map that one wants to find again. The queue
// takes as many distinct keys as it is given; to bound them is the caller's.
//
// A key waits with at most one request: the earliest time and the highest
// priority that anyone asked for since the key was last taken.
//
// Check holds these invariants:
//
//  1. No two slots hold one key, and each key is found at its slot.
//  2. Each slot is in the one place that its state names, and only there: the
//     list of its priority, the in-flight list, the idle list, or the heap.
//  3. Ready and delayed keys have a priority. An idle key has none, and has
//     attempts.
//  4. A delayed key has a time; a ready or idle one has none. A key in flight
//     has a time only with a priority: the request that Done brings back.
//  5. The heap is ordered by time, then by arrival.
//  6. A class that is passed over has ready keys, and was passed over at most
//     once more than the limit.
//  7. The index holds each slot once; without one there are few slots.
//  8. No slice keeps much more room than its content needs.
type Queue[K comparable] struct {
	cfg    Config[K]
	slots  dense.List[slot[K]] // dense: all of them are in use
	index  index               // by key's hash; empty while a scan is as good
	dense  dense.Index         // the same by key's number, where the keys have one
	seed   maphash.Seed
	heap   []int32 // the delayed slots
	lists  [listCount]list
	passed turns
	seq    uint64 // numbers the arrivals in the heap
}

// New returns an empty queue.
func New[K comparable](cfg Config[K]) *Queue[K] {
	q := &Queue[K]{cfg: cfg.withDefaults(), seed: maphash.MakeSeed()}
	for i := range q.lists {
		q.lists[i] = list{head: none, tail: none}
	}
	return q
}

// Add makes key ready at once, behind the ready keys of priority p.
//
// A ready key keeps its place, or moves behind those of p if that is higher. A
// delayed key loses its delay and keeps the higher priority. A key in flight
// becomes ready at its Done. Held by TestModel and TestMerge.
func (q *Queue[K]) Add(key K, p Priority) { q.ask(q.slotOf(key), p.class(), time.Time{}) }

// AddAt makes key ready at the given time: the first Next not before it. The
// zero time is at once, as Add.
//
// Of two times the earlier one wins, of two priorities the higher one; a ready
// key stays ready. A key in flight waits from its Done on, to the same time.
// All times that a queue is given come from one clock: either all or none
// carry a monotonic reading. Held by TestModel and TestMerge.
func (q *Queue[K]) AddAt(key K, p Priority, at time.Time) { q.ask(q.slotOf(key), p.class(), at) }

// Retry counts an attempt of key and adds it, as AddAt does, after a backoff,
// whose end it returns. The key comes back sooner if it is asked for sooner.
//
// The delay is BaseDelay doubled for each attempt before this one, at most
// MaxDelay, times a factor in [0.5, 1) that Hash(key) and the attempt fix.
// Held by TestModel, TestBackoff and TestJitterSpreads.
func (q *Queue[K]) Retry(key K, p Priority, now time.Time) time.Time {
	i := q.slotOf(key)
	s := q.slots.At(i)
	if s.attempts < math.MaxInt32 {
		s.attempts++
	}
	at := now.Add(q.cfg.backoff(key, s.attempts))
	q.ask(i, p.class(), at)
	return at
}

// Backoff returns how long Retry would put key off at its given attempt, the first
// being 1, and does nothing. Held by TestBackoffAlone.
func (q *Queue[K]) Backoff(key K, attempt int) time.Duration {
	return q.cfg.backoff(key, int32(min(max(attempt, 1), math.MaxInt32)))
}

// Attempts returns how often Retry was called for key since it was last
// forgotten, dropped or new.
func (q *Queue[K]) Attempts(key K) int {
	if i := q.find(key); i != none {
		return int(q.slots.At(i).attempts)
	}
	return 0
}

// Forget sets the attempts of key to zero and changes nothing else. Without
// it, or Drop, a key that was ever retried is remembered for ever. Held by
// TestAttempts.
func (q *Queue[K]) Forget(key K) {
	i := q.find(key)
	if i == none {
		return
	}
	q.slots.At(i).attempts = 0
	if q.slots.At(i).state == Idle {
		q.leave(i)
		q.release(i)
	}
}

// Drop removes every trace of key. In flight it stays until Done, and comes
// back then only if it is asked for again after the Drop. Held by TestModel and
// TestMerge.
func (q *Queue[K]) Drop(key K) {
	i := q.find(key)
	if i == none {
		return
	}
	s := q.slots.At(i)
	if s.state == InFlight {
		s.priority, s.at, s.attempts = PriorityUnset, time.Time{}, 0
		return
	}
	q.leave(i)
	q.release(i)
}

// Next takes the key to look at now; it is in flight until Done. It reports
// false if no key is ready or due.
//
// It first makes keys ready whose time has come, in the order of their times,
// at most 256 in one call; then it takes the oldest of the highest priority.
// But of any 66 takes in a row at least one is from each priority that has
// ready keys all the while. Held by TestModel, TestDueInBatches and
// TestFairness.
func (q *Queue[K]) Next(now time.Time) (key K, ok bool) {
	for n := 0; n < dueBatch && len(q.heap) > 0; n++ {
		i := q.heap[0]
		s := q.slots.At(i)
		if s.at.After(now) {
			break
		}
		q.leave(i)
		s.at = time.Time{}
		q.enter(i, Ready)
	}
	ready := q.ready()
	p := q.passed.next(ready)
	if p == PriorityUnset {
		return key, false
	}
	q.passed.took(p, ready)
	i := q.lists[p].head
	q.leave(i)
	q.slots.At(i).priority = PriorityUnset
	q.enter(i, InFlight)
	return q.slots.At(i).key, true
}

// Done ends the flight of key. If the key was asked for meanwhile it is ready
// or delayed now. A key that is not in flight is left as it is. Held by
// TestModel and TestMerge.
func (q *Queue[K]) Done(key K) {
	i := q.find(key)
	if i == none || q.slots.At(i).state != InFlight {
		return
	}
	q.leave(i)
	switch s := q.slots.At(i); {
	case s.priority != PriorityUnset:
		q.enter(i, waiting(s.at))
	case s.attempts > 0:
		q.enter(i, Idle)
	default:
		q.release(i)
	}
}

// ask merges a request into what slot i waits for. A zero time is at once.
func (q *Queue[K]) ask(i int32, p Priority, at time.Time) {
	s := q.slots.At(i)
	first := s.priority == PriorityUnset
	p = p.higher(s.priority)
	sooner := first || !s.at.IsZero() && (at.IsZero() || at.Before(s.at))
	switch {
	case s.state == InFlight:
		s.priority = p
		if sooner {
			s.at = at
		}
	case sooner:
		q.leave(i)
		s.priority, s.at = p, at
		q.enter(i, waiting(at))
	case s.state == Delayed:
		s.priority = p
	case p != s.priority:
		q.leave(i)
		s.priority = p
		q.enter(i, Ready)
	}
}

// waiting returns the state of a key that waits for at.
func waiting(at time.Time) State {
	if at.IsZero() {
		return Ready
	}
	return Delayed
}
