package queue

import "time"

// Due returns the earliest time of a delayed key, and false if there is none.
// A key in flight counts from its Done on. To know when to call Next again:
// now, if Ready is not 0; else at this time.
func (q *Queue[K]) Due() (time.Time, bool) {
	if len(q.heap) == 0 {
		return time.Time{}, false
	}
	return q.slots.At(q.heap[0]).at, true
}

// Ready returns how many keys are ready. A key whose time has come is delayed
// until a Next makes it ready.
func (q *Queue[K]) Ready() int {
	r := q.ready()
	return int(r[High] + r[Normal] + r[Low])
}

// Delayed returns how many keys wait for their time.
func (q *Queue[K]) Delayed() int { return len(q.heap) }

// InFlight returns how many keys were taken and are not done.
func (q *Queue[K]) InFlight() int { return int(q.lists[inFlight].len) }

// Idle returns how many keys are remembered for their attempts alone.
func (q *Queue[K]) Idle() int { return int(q.lists[idle].len) }

// Len returns how many keys are ready, delayed or in flight, each once.
func (q *Queue[K]) Len() int { return q.slots.Len() - q.Idle() }

// PassedOver returns how many takes in a row went to other priorities while
// keys of p were ready. With Entries it is all that decides what comes next.
func (q *Queue[K]) PassedOver(p Priority) int { return int(q.passed[p.class()]) }

// ready returns the number of ready keys by priority.
func (q *Queue[K]) ready() (n [Low + 1]int32) {
	for p := High; p <= Low; p++ {
		n[p] = q.lists[p].len
	}
	return n
}
