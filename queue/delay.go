package queue

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

// Most delays of an engine are equally long, so most keys become due in the order in which
// they came. They are in a list by time, then by arrival, where a key comes and goes in
// constant time. A key that is due long before the end of the list is in a heap. Both have
// the times as numbers. So a comparison in the heap reads no slot, of which many may be out
// of the cache.
type delay struct {
	due  time.Duration // since the base of the queue
	seq  uint64
	slot int32
}

func (d *delay) before(o *delay) bool { return d.due < o.due || d.due == o.due && d.seq < o.seq }

// nearTail is the number of slots from the end of the list that a new key is compared with.
const nearTail = 4

// enterDelay returns the slot of the list behind which slot i belongs, or puts it into the
// heap. Slot i has a time, and its position says which of the two it is.
func (q *Queue[K]) enterDelay(i int32) (after int32) {
	s := q.slots.At(i)
	if q.base.IsZero() {
		q.base = s.at
	}
	q.seq++
	s.seq, s.pos = q.seq, none
	after = q.lists[delayed].tail
	for n := 0; after != none && s.at.Before(q.slots.At(after).at); n++ {
		if n == nearTail {
			q.heap = append(q.heap, delay{})
			q.up(int32(len(q.heap)-1), q.delayOf(i))
			break
		}
		after = q.slots.At(after).prev
	}
	return after
}

// delayOf returns the delay of a slot.
func (q *Queue[K]) delayOf(i int32) delay {
	s := q.slots.At(i)
	return delay{s.at.Sub(q.base), s.seq, i}
}

// nextDelayed returns the slot that is due first, or none.
func (q *Queue[K]) nextDelayed() int32 {
	i := q.lists[delayed].head
	if len(q.heap) == 0 {
		return i
	}
	first := &q.heap[0]
	if i != none {
		if d := q.delayOf(i); d.before(first) {
			return i
		}
	}
	return first.slot
}

// removeDelay removes the slot at a position from the heap.
func (q *Queue[K]) removeDelay(pos int32) {
	last := int32(len(q.heap) - 1)
	moved := q.heap[last]
	q.heap = dense.Fit(q.heap[:last])
	if pos == last {
		return
	}
	q.down(pos, moved)
	q.up(q.slots.At(moved.slot).pos, moved)
}

// up puts a slot at pos or nearer to the root.
func (q *Queue[K]) up(pos int32, d delay) {
	for pos > 0 {
		parent := (pos - 1) / 2
		if !d.before(&q.heap[parent]) {
			break
		}
		q.set(pos, q.heap[parent])
		pos = parent
	}
	q.set(pos, d)
}

// down puts a slot at pos or farther from the root.
func (q *Queue[K]) down(pos int32, d delay) {
	for n := int32(len(q.heap)); ; {
		child := 2*pos + 1
		if child >= n {
			break
		}
		if child+1 < n && q.heap[child+1].before(&q.heap[child]) {
			child++
		}
		if !q.heap[child].before(&d) {
			break
		}
		q.set(pos, q.heap[child])
		pos = child
	}
	q.set(pos, d)
}

func (q *Queue[K]) set(pos int32, d delay) {
	q.heap[pos] = d
	q.slots.At(d.slot).pos = pos
}
