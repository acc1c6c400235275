package queue

import "time"

// Due returns the earliest time of a delayed key, and false without one. A key in flight
// counts after its Done. If Ready is not 0, the caller calls Next now, and otherwise at
// this time.
func (q *Queue[K]) Due() (time.Time, bool) {
	i := q.nextDelayed()
	if i == none {
		return time.Time{}, false
	}
	return q.slots.At(i).at, true
}

// Ready returns the number of ready keys. A due key is delayed until a Next makes it
// ready.
func (q *Queue[K]) Ready() int {
	return int(q.lists[High].len + q.lists[Normal].len + q.lists[Low].len)
}

// Delayed returns the number of keys that wait for their time.
func (q *Queue[K]) Delayed() int { return len(q.heap) + int(q.lists[delayed].len) }

// InFlight returns the number of keys that were taken and are not done.
func (q *Queue[K]) InFlight() int { return int(q.lists[inFlight].len) }

// Idle returns the number of keys that only have attempts.
func (q *Queue[K]) Idle() int { return int(q.lists[idle].len) }

// Len returns the number of keys that are ready, delayed or in flight.
func (q *Queue[K]) Len() int { return q.slots.Len() - q.Idle() }

// PassedOver returns the number of takes in a row that went to other priorities while
// keys of p were ready. Entries and PassedOver together fix the next keys.
func (q *Queue[K]) PassedOver(p Priority) int { return int(q.passed[p.class()]) }

// ready returns the number of ready keys by priority.
func (q *Queue[K]) ready() (n [Low + 1]int32) {
	for p := High; p <= Low; p++ {
		n[p] = q.lists[p].len
	}
	return n
}

// Has reports whether the key is queued, delayed or in flight.
func (q *Queue[K]) Has(key K) bool {
	i := q.find(key)
	return i != none && q.entry(i).State != Idle
}
