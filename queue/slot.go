package queue

import (
	"hash/maphash"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

const (
	// none is the number of no slot.
	none = dense.None
	// scanLimit is the number of slots up to which a scan finds a key, without an index.
	scanLimit = 8
	// warmSize is the number of keys up to which a queue that was filled once no longer allocates.
	warmSize = 1024
	// keepCapacity is the capacity that a slice may always keep. Growth may double it.
	keepCapacity = dense.Keep
)

// slot is the state of one key. It is in a list or in the heap of delays.
type slot[K comparable] struct {
	at         time.Time // Delayed, or InFlight with a new request: the time to become ready
	seq        uint64    // Delayed: the order among equal times
	key        K
	hash       uint32 // valid while there is an index
	prev, next int32  // neighbours in the list
	pos        int32  // Delayed: the position in the heap, or none for a place in the list of delays
	attempts   int32
	state      State
	priority   Priority // of the waiting request, unset without one
}

// The lists by number: one for each priority, under its own number, and two others.
const (
	idle      = int(PriorityUnset)
	inFlight  = int(Low) + 1
	delayed   = inFlight + 1
	listCount = delayed + 1
)

// list is a doubly linked list of slots.
type list struct{ head, tail, len int32 }

// list returns the number of the list for the slot's state.
func (s *slot[K]) list() int {
	switch s.state {
	case Ready:
		return int(s.priority)
	case InFlight:
		return inFlight
	case Delayed:
		return delayed
	}
	return idle
}

// enter puts a slot without a place into state, and at the end of its list.
func (q *Queue[K]) enter(i int32, state State) {
	s := q.slots.At(i)
	s.state = state
	l := &q.lists[s.list()]
	after := l.tail
	if state == Delayed {
		if after = q.enterDelay(i); s.pos != none {
			return
		}
	}
	q.insert(l, after, i)
}

// insert puts slot i behind another one of the list, or first behind none.
func (q *Queue[K]) insert(l *list, after, i int32) {
	next := l.head
	if after != none {
		next = q.slots.At(after).next
	}
	s := q.slots.At(i)
	s.prev, s.next = after, next
	q.link(l, after, i)
	q.link(l, i, next)
	l.len++
}

// leave removes a slot from its list or the heap. A new slot is in neither.
func (q *Queue[K]) leave(i int32) {
	s := q.slots.At(i)
	switch s.state {
	case StateUnset:
		return
	case Delayed:
		if s.pos != none {
			q.removeDelay(s.pos)
			return
		}
	}
	n := s.list()
	l := &q.lists[n]
	q.link(l, s.prev, s.next)
	l.len--
	if l.len == 0 && s.state == Ready {
		q.passed[n] = 0
	}
}

// link makes a and b neighbours in l. The value none stands for the list's end.
func (q *Queue[K]) link(l *list, a, b int32) {
	if a == none {
		l.head = b
	} else {
		q.slots.At(a).next = b
	}
	if b == none {
		l.tail = a
	} else {
		q.slots.At(b).prev = a
	}
}

// find returns the slot of key, or none.
func (q *Queue[K]) find(key K) int32 {
	switch {
	case q.dense.Used():
		return q.dense.At(q.cfg.Number(key))
	case q.index.cells != nil:
		return q.lookup(key, q.hash(key))
	}
	for i := range int32(q.slots.Len()) {
		if q.slots.At(i).key == key {
			return i
		}
	}
	return none
}

// slotOf returns the slot of key. For an unknown key it makes a slot without a state.
func (q *Queue[K]) slotOf(key K) int32 {
	i := q.find(key)
	if i != none {
		return i
	}
	i = int32(q.slots.Len())
	q.slots.Push(slot[K]{key: key})
	switch {
	case q.indexed():
		q.enlist(i)
	case q.slots.Len() > scanLimit:
		for j := range int32(q.slots.Len()) {
			q.enlist(j)
		}
	}
	return i
}

// release frees a slot without a place. The last slot moves to its number.
func (q *Queue[K]) release(i int32) {
	last := int32(q.slots.Len() - 1)
	switch {
	case q.dense.Used():
		q.dense.Set(q.cfg.Number(q.slots.At(i).key), none)
	case q.index.cells != nil:
		q.index.remove(q.slots.At(i).hash, i)
	}
	if i != last {
		*q.slots.At(i) = *q.slots.At(last)
		q.moved(last, i)
	}
	q.slots.Pop()
}

// moved repairs the references to a slot that moved from one number to another.
func (q *Queue[K]) moved(from, to int32) {
	s := q.slots.At(to)
	switch {
	case q.dense.Used():
		q.dense.Set(q.cfg.Number(s.key), to)
	case q.index.cells != nil:
		q.index.move(s.hash, from, to)
	}
	if s.state == Delayed && s.pos != none {
		q.heap[s.pos].slot = to
		return
	}
	l := &q.lists[s.list()]
	q.link(l, s.prev, to)
	q.link(l, to, s.next)
}

// hash returns the key's hash for the index. Each queue has its own hash, and no output
// depends on it.
func (q *Queue[K]) hash(key K) uint32 { return uint32(maphash.Comparable(q.seed, key)) }

// indexed reports whether the queue has an index.
func (q *Queue[K]) indexed() bool { return q.dense.Used() || q.index.cells != nil }

// enlist adds slot i to the index.
func (q *Queue[K]) enlist(i int32) {
	s := q.slots.At(i)
	if q.cfg.Number != nil {
		q.dense.Set(q.cfg.Number(s.key), i)
		return
	}
	s.hash = q.hash(s.key)
	q.index.insert(s.hash, i)
}

// lookup finds key through the index.
func (q *Queue[K]) lookup(key K, hash uint32) int32 {
	x := &q.index
	for c := hash & x.mask(); x.cells[c].ref != 0; c = (c + 1) & x.mask() {
		if i := x.cells[c].ref - 1; x.cells[c].hash == hash && q.slots.At(i).key == key {
			return i
		}
	}
	return none
}
