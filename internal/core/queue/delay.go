package queue

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/dense"
)

// The delayed slots are a binary heap by time, then by arrival. Each slot has its
// position, so that a key moves or goes in O(log n). The heap has the times as numbers of
// its own: a comparison then reads no slot, of which many may be out of the cache.
type delay struct {
	due  time.Duration // since the base of the queue
	seq  uint64
	slot int32
}

func (d *delay) before(o *delay) bool { return d.due < o.due || d.due == o.due && d.seq < o.seq }

// pushDelay adds slot i, which has a time, to the heap.
func (q *Queue[K]) pushDelay(i int32) {
	s := q.slots.At(i)
	if q.base.IsZero() {
		q.base = s.at
	}
	q.seq++
	q.heap = append(q.heap, delay{})
	q.up(int32(len(q.heap)-1), delay{s.at.Sub(q.base), q.seq, i})
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
