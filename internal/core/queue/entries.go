package queue

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

// State says what a key waits for. It is a value and safe for concurrent use.
type State uint8

const (
	// StateUnset is no state; no entry has it.
	StateUnset State = iota
	// Ready keys wait to be taken.
	Ready
	// Delayed keys wait for their time.
	Delayed
	// InFlight keys were taken and are not done.
	InFlight
	// Idle keys wait for nothing; their attempts are remembered.
	Idle
)

var stateNames = [...]string{"unset", "ready", "delayed", "in-flight", "idle"}

// String returns the lower-case name of the state.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// Entry is all that a queue knows of one key. It is a value, and safe for
// concurrent use.
type Entry[K comparable] struct {
	Key   K
	State State
	// Priority is that of the request that waits. In flight it is unset unless
	// the key was asked for again. An idle key has none.
	Priority Priority
	// At is when the key becomes ready: of a delayed key, and of a key in flight
	// that was asked for again. Zero is at once.
	At time.Time
	// Attempts counts the retries.
	Attempts int
}

// Entries returns every key once: the ready ones in the exact order in which
// Next takes them if nothing else happens, the delayed ones by time and then
// by arrival, those in flight in the order in which they were taken, the idle
// ones in the order in which they became so. The queue must not change during
// the iteration. Two queues of one configuration with equal Entries and equal
// PassedOver act alike. Held by TestModel and TestEntriesAreTheState.
func (q *Queue[K]) Entries() iter.Seq[Entry[K]] {
	return func(yield func(Entry[K]) bool) {
		_ = q.eachReady(yield) && q.eachDelayed(yield) &&
			q.eachListed(inFlight, yield) && q.eachListed(idle, yield)
	}
}

// eachReady plays Next forward on copies of the list heads.
func (q *Queue[K]) eachReady(yield func(Entry[K]) bool) bool {
	heads, passed, ready := q.lists, q.passed, q.ready()
	for {
		p := passed.next(ready)
		if p == PriorityUnset {
			return true
		}
		passed.took(p, ready)
		ready[p]--
		i := heads[p].head
		heads[p].head = q.slots.At(i).next
		if !yield(q.entry(i)) {
			return false
		}
	}
}

// eachDelayed sorts a copy of the heap, which for a small one is on the stack.
func (q *Queue[K]) eachDelayed(yield func(Entry[K]) bool) bool {
	var room [32]int32
	order := append(room[:0], make([]int32, len(q.heap))...)
	copy(order, q.heap)
	slices.SortFunc(order, func(i, j int32) int {
		a, b := q.slots.At(i), q.slots.At(j)
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq))
	})
	for _, i := range order {
		if !yield(q.entry(i)) {
			return false
		}
	}
	return true
}

func (q *Queue[K]) eachListed(n int, yield func(Entry[K]) bool) bool {
	for i := q.lists[n].head; i != none; i = q.slots.At(i).next {
		if !yield(q.entry(i)) {
			return false
		}
	}
	return true
}

func (q *Queue[K]) entry(i int32) Entry[K] {
	s := q.slots.At(i)
	return Entry[K]{Key: s.key, State: s.state, Priority: s.priority, At: s.at, Attempts: int(s.attempts)}
}

// Clone returns a copy that shares nothing with q but the functions of its Config.
// It costs one allocation for an empty queue, at most three for one of up to 8 keys,
// four for one of up to 256 (more with Config.Number), and then one for each page of
// what it holds. Held by TestModel, TestCloneOfEmpty and TestCloneAllocates.
func (q *Queue[K]) Clone() *Queue[K] {
	c := *q
	c.slots = q.slots.Clone()
	c.heap = append([]int32(nil), q.heap...)
	switch {
	case q.slots.Len() <= scanLimit:
		c.index, c.dense = index{}, dense.Index{}
	case q.dense.Used():
		c.dense = q.dense.Clone()
	default:
		c.index.cells = slices.Clone(q.index.cells)
	}
	return &c
}
