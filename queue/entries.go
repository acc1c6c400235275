package queue

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

// State is the state of a key. It is a value and safe for concurrent use.
type State uint8

const (
	// StateUnset is no state. No entry has it.
	StateUnset State = iota
	// Ready keys wait to be taken.
	Ready
	// Delayed keys wait for their time.
	Delayed
	// InFlight keys were taken and are not done.
	InFlight
	// Idle keys wait for nothing, and have attempts.
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

// Entry is the whole state of one key. It is a value, and safe for concurrent use.
type Entry[K comparable] struct {
	Key   K
	State State
	// Priority is the priority of the waiting request. In flight it is unset until the
	// next request. An idle key has none.
	Priority Priority
	// At is the time at which the key becomes ready. Delayed keys have it, and keys in
	// flight with a new request. Zero is at once.
	At time.Time
	// Attempts counts the retries.
	Attempts int
}

// Entries returns every key once. The ready keys come in the exact order in which Next
// takes them without further calls. Then come the delayed keys, by time and arrival, the
// keys in flight, in the order of their takes, and the idle keys, in the order in which
// they became idle. The queue must not change during the iteration. Two queues of one
// configuration with equal Entries and equal PassedOver behave alike.
//
//test:by TestModel TestEntriesAreTheState
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

// eachDelayed sorts a copy of the delays. The copy of a few is on the stack.
func (q *Queue[K]) eachDelayed(yield func(Entry[K]) bool) bool {
	var room [32]delay
	order := room[:0]
	for i := range q.heap {
		order = append(order, q.delayOf(q.heap[i].slot))
	}
	for i := q.lists[delayed].head; i != none; i = q.slots.At(i).next {
		order = append(order, q.delayOf(i))
	}
	slices.SortFunc(order, func(a, b delay) int { return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq)) })
	for i := range order {
		if !yield(q.entry(order[i].slot)) {
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

// EntryOf returns the state of one key, the zero Entry for an unknown key.
func (q *Queue[K]) EntryOf(key K) (x Entry[K]) {
	if i := q.find(key); i != none {
		x = q.entry(i)
	}
	return x
}

func (q *Queue[K]) entry(i int32) Entry[K] {
	s := q.slots.At(i)
	return Entry[K]{Key: s.key, State: s.state, Priority: s.priority, At: s.at, Attempts: int(s.attempts)}
}

// Clone returns a copy that shares only the functions of the Config with q. It takes one
// allocation for an empty queue, at most three for up to 8 keys, and four for up to 256,
// or more with Config.Number. Then it takes one for each page.
//
//test:by TestModel TestCloneOfEmpty TestCloneAllocates
func (q *Queue[K]) Clone() *Queue[K] {
	c := *q
	c.slots = q.slots.Clone()
	c.heap = append([]delay(nil), q.heap...)
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
