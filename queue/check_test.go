package queue

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// whole returns a queue with at least two keys in every place, and an index.
func whole() *Queue[int] {
	q := New(Config[int]{})
	for k := range 4 {
		q.Retry(k, Low, epoch)
		q.Next(epoch.Add(time.Second))
	}
	q.AddAt(0, Low, epoch)
	q.Done(2)
	q.Done(3)
	for k := range nearTail + 1 { // in the list of delays; those that are due long before go to the heap
		q.AddAt(30+k, Normal, epoch.Add(time.Hour+time.Duration(k)))
	}
	for k := range 4 {
		q.AddAt(10+k, Normal, epoch.Add(time.Duration(k)))
		q.Add(20+k, Low)
	}
	return q
}

// TestCheckFindsDamage breaks a sound queue in one place for each case.
func TestCheckFindsDamage(t *testing.T) {
	type Q = *Queue[int]
	at := func(q Q, key int) *slot[int] { return q.slots.At(q.find(key)) }
	const flying, resting, delayed, ready, listed = 0, 2, 10, 20, 30
	for _, c := range []struct {
		reason    string
		invariant int
		damage    func(q Q)
	}{
		{"two slots have one key", 1, func(q Q) { at(q, ready).key = delayed }},
		{"a key is under another hash", 1, func(q Q) { q.seed = New(Config[int]{}).seed }},
		{"a slot is in no state", 2, func(q Q) { at(q, ready).state = StateUnset }},
		{"a ready key says that it is in flight", 2, func(q Q) { at(q, ready).state = InFlight }},
		{"a key says that it has another priority than its list", 2, func(q Q) { at(q, ready).priority = High }},
		{"a back link is wrong", 2, func(q Q) { at(q, ready+1).prev = none }},
		{"a list ends early", 2, func(q Q) { at(q, ready+1).next = none }},
		{"a list turns back on itself", 2, func(q Q) { at(q, ready+3).next = q.find(ready) }},
		{"a list miscounts", 2, func(q Q) { q.lists[Low].len++ }},
		{"a list forgets its end", 2, func(q Q) { q.lists[inFlight].tail = none }},
		{"a slot is nowhere", 2, func(q Q) { q.heap = q.heap[:len(q.heap)-1] }},
		{"the heap has a ready key", 2, func(q Q) { q.heap[3].slot = q.find(ready) }},
		{"a position is wrong", 2, func(q Q) { at(q, delayed).pos++ }},
		{"a ready key has no priority", 3, func(q Q) { at(q, ready).priority = PriorityUnset }},
		{"a delayed key has an unknown priority", 3, func(q Q) { at(q, delayed).priority = Low + 1 }},
		{"an idle key has a priority", 3, func(q Q) { at(q, resting).priority = Low }},
		{"an idle key has no attempts", 3, func(q Q) { at(q, resting).attempts = 0 }},
		{"a ready key has a time", 4, func(q Q) { at(q, ready).at = epoch }},
		{"a delayed key has none", 4, func(q Q) { at(q, delayed).at = time.Time{} }},
		{"a key in flight has a time that no call asked for", 4, func(q Q) { at(q, flying).priority = PriorityUnset }},
		{"an idle key has a time", 4, func(q Q) { at(q, resting).at = epoch }},
		{"the heap is out of order by time", 5, func(q Q) {
			at(q, delayed).at = epoch.Add(time.Hour)
			q.heap[at(q, delayed).pos].due = at(q, delayed).at.Sub(q.base)
		}},
		{"the heap has another time than the key", 5, func(q Q) { at(q, delayed).at = epoch.Add(time.Hour) }},
		{"the heap is out of order by arrival", 5, func(q Q) {
			d := &q.heap[at(q, delayed).pos]
			at(q, delayed).at, d.due = at(q, delayed+1).at, q.heap[at(q, delayed+1).pos].due
			d.seq = q.seq + 1
		}},
		{"the list of delays is out of order", 5, func(q Q) { at(q, listed).at = epoch.Add(2 * time.Hour) }},
		{"a delay of the list has a position", 2, func(q Q) { at(q, listed).pos = 0 }},
		{"a class is passed over and has nothing", 6, func(q Q) { q.passed[High] = 1 }},
		{"a class is passed over too often", 6, func(q Q) { q.passed[Low] = passLimit + 2 }},
		{"the index is gone", 7, func(q Q) { q.index = index{} }},
		{"the index miscounts", 7, func(q Q) { q.index.used-- }},
		{"the index has a hash of its own", 7, func(q Q) { at(q, ready).hash++ }},
		{"the index points past the slots", 7, func(q Q) { q.slots.Pop() }},
		{"the heap keeps too much room", 8, func(q Q) { q.heap = append(make([]delay, 0, 1<<16), q.heap...) }},
		{"the index keeps too much room", 8, func(q Q) { q.index.resize(1 << 16) }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			q := whole()
			check(t, q)
			c.damage(q)
			err := q.Check()
			if want := fmt.Sprintf("invariant broken: %d: ", c.invariant); !errors.Is(err, ErrInvariant) || !strings.Contains(err.Error(), want) {
				t.Errorf("Check = %v, want %q", err, want)
			}
		})
	}
}
