package queue

import (
	"hash/maphash"
	"math"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

// dueBatch bounds the due keys that one Next makes ready.
const dueBatch = 256

// Queue is a queue of keys by priority and time. Make one with New. It is not safe for
// concurrent use, and it calls only Config.Hash. Keys must equal themselves, as keys of a
// map do. The queue takes any number of distinct keys, and the caller bounds it.
//
// A key waits with at most one request: the earliest time and the highest priority of all
// requests since the key was last taken.
//
// Check verifies these invariants:
//
//  1. No two slots have one key, and each key is found at its slot.
//  2. Each slot is only in the place of its state: the list of its priority, the
//     in-flight list, the idle list, or the heap.
//  3. Ready and delayed keys have a priority. An idle key has none, and has
//     attempts.
//  4. A delayed key has a time, and a ready or idle key has none. A key in flight
//     has a time only with a priority: the request that Done brings back.
//  5. The heap and the list of delays are ordered by time, then by arrival. The heap has
//     the times of its slots.
//  6. A class that is passed over has ready keys, and was passed over at most
//     once more than the limit.
//  7. The index has each slot once. Without an index there are few slots.
//  8. No slice keeps much more memory than its content needs.
type Queue[K comparable] struct {
	cfg    Config[K]
	slots  dense.List[slot[K]] // dense, since every slot is in use
	index  index               // by the key's hash, empty while a scan is as fast
	dense  dense.Index         // by the key's number, if the keys have one
	seed   maphash.Seed
	heap   []delay   // the delayed slots that are not in the list of delays
	base   time.Time // the first time of all, 0 in the heap
	lists  [listCount]list
	passed turns
	seq    uint64 // the number of delays so far
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
// A ready key keeps its place, or moves behind those of p if that is higher. A delayed
// key loses its delay and keeps the higher priority. A key in flight becomes ready at its
// Done.
//
//test:by TestModel TestMerge
func (q *Queue[K]) Add(key K, p Priority) { q.request(q.slotOf(key), p.class(), time.Time{}) }

// AddAt makes key ready at the given time, by the first Next not before it. The zero time
// is at once, as in Add.
//
// Of two times the earlier one wins, and of two priorities the higher one. A ready key
// stays ready. A key in flight waits for the same time after its Done. All times of a
// queue come from one clock. Either all or none carry a monotonic reading.
//
//test:by TestModel TestMerge
func (q *Queue[K]) AddAt(key K, p Priority, at time.Time) { q.request(q.slotOf(key), p.class(), at) }

// Retry counts an attempt of key and adds it after a backoff, as AddAt does. It returns
// the end of the backoff. An earlier request brings the key back sooner.
//
// The delay is BaseDelay, doubled for each earlier attempt, and at most MaxDelay.
// Hash(key) and the attempt fix a factor in [0.5, 1) of it.
//
//test:by TestModel TestBackoff TestJitterSpreads
func (q *Queue[K]) Retry(key K, p Priority, now time.Time) time.Time {
	i := q.slotOf(key)
	s := q.slots.At(i)
	if s.attempts < math.MaxInt32 {
		s.attempts++
	}
	at := now.Add(q.cfg.backoff(key, s.attempts))
	q.request(i, p.class(), at)
	return at
}

// Backoff returns the delay that Retry gives key at its given attempt, the first being 1.
// It changes nothing.
//
//test:by TestBackoffAlone
func (q *Queue[K]) Backoff(key K, attempt int) time.Duration {
	return q.cfg.backoff(key, int32(min(max(attempt, 1), math.MaxInt32)))
}

// Attempts returns the number of Retry calls for key since it was last forgotten, dropped
// or new.
func (q *Queue[K]) Attempts(key K) int {
	if i := q.find(key); i != none {
		return int(q.slots.At(i).attempts)
	}
	return 0
}

// Forget sets the attempts of key to zero and changes nothing else. The queue remembers a
// key with attempts until Forget or Drop.
//
//test:by TestAttempts
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

// Drop removes every trace of key. A key in flight stays until Done. It comes back then
// only after a request that is newer than the Drop.
//
//test:by TestModel TestMerge
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

// Next takes the next key, which is in flight until Done. It reports false if no key is
// ready or due.
//
// It first makes due keys ready, in the order of their times, at most 256 in one call.
// Then it takes the oldest key of the highest priority. Of any 66 takes in a row at least
// one is from each priority that has ready keys all the while.
//
//test:by TestModel TestDueInBatches TestFairness
func (q *Queue[K]) Next(now time.Time) (key K, ok bool) {
	for range dueBatch {
		i := q.nextDelayed()
		if i == none {
			break
		}
		s := q.slots.At(i)
		if s.at.After(now) {
			break
		}
		q.leave(i)
		s.at = time.Time{}
		q.enter(i, Ready)
	}
	if q.Ready() == 0 {
		return key, false
	}
	ready := q.ready()
	p := q.passed.next(ready)
	q.passed.took(p, ready)
	i := q.lists[p].head
	q.leave(i)
	q.slots.At(i).priority = PriorityUnset
	q.enter(i, InFlight)
	return q.slots.At(i).key, true
}

// Done ends the flight of key. With a newer request the key is then ready or delayed.
// Done leaves a key that is not in flight as it is.
//
//test:by TestModel TestMerge
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

// request merges a request into the state of slot i. A zero time is at once.
func (q *Queue[K]) request(i int32, p Priority, at time.Time) {
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

// waiting returns the state of a key that waits until at.
func waiting(at time.Time) State {
	if at.IsZero() {
		return Ready
	}
	return Delayed
}
