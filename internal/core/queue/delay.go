package queue

import "github.com/ownergraph/ownergraph/internal/core/dense"

// The delayed slots are a binary heap by time, then by arrival. Each slot has its
// position, so that a key moves or goes in O(log n).

// pushDelay adds slot i, which has a time, to the heap.
func (q *Queue[K]) pushDelay(i int32) {
	q.seq++
	q.slots.At(i).seq = q.seq
	q.heap = append(q.heap, i)
	q.up(int32(len(q.heap)-1), i)
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
	q.up(q.slots.At(moved).pos, moved)
}

// up puts slot i at pos or nearer to the root.
func (q *Queue[K]) up(pos, i int32) {
	for pos > 0 {
		parent := (pos - 1) / 2
		if !q.before(i, q.heap[parent]) {
			break
		}
		q.set(pos, q.heap[parent])
		pos = parent
	}
	q.set(pos, i)
}

// down puts slot i at pos or farther from the root.
func (q *Queue[K]) down(pos, i int32) {
	for n := int32(len(q.heap)); ; {
		child := 2*pos + 1
		if child >= n {
			break
		}
		if child+1 < n && q.before(q.heap[child+1], q.heap[child]) {
			child++
		}
		if !q.before(q.heap[child], i) {
			break
		}
		q.set(pos, q.heap[child])
		pos = child
	}
	q.set(pos, i)
}

func (q *Queue[K]) set(pos, i int32) {
	q.heap[pos] = i
	q.slots.At(i).pos = pos
}

// before reports whether slot i is due before slot j.
func (q *Queue[K]) before(i, j int32) bool {
	a, b := q.slots.At(i), q.slots.At(j)
	if c := a.at.Compare(b.at); c != 0 {
		return c < 0
	}
	return a.seq < b.seq
}
