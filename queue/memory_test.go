package queue

import (
	"fmt"
	"testing"
	"time"
)

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, c := range []struct {
		reason string
		run    func() func() // prepares a queue, returns one round
	}{
		{"one key over and over", func() func() {
			q := New(Config[uint32]{})
			return func() { q.Add(1, High); drainAll(q, epoch) }
		}},
		{"a full queue runs empty and fills again, with keys never seen before", func() func() {
			q, next := New(Config[uint32]{}), uint32(0)
			return func() {
				for range warmSize {
					q.Add(next, Normal)
					next++
				}
				drainAll(q, epoch)
			}
		}},
		{"a window of 1000 keys slides over ever new ones", func() func() {
			q, next := New(Config[uint32]{}), uint32(0)
			return func() {
				for range 10_000 {
					q.Add(next, Normal)
					if next++; next > 1000 {
						k, _ := q.Next(epoch)
						q.Done(k)
					}
				}
			}
		}},
		{"1000 keys fail and come back", func() func() {
			q, now := New(Config[uint32]{Hash: hash32}), epoch
			for k := range uint32(1000) {
				q.Retry(k, Normal, now)
			}
			return func() {
				for range 5000 {
					now, _ = q.Due()
					k, _ := q.Next(now)
					q.Retry(k, Normal, now)
					q.Done(k)
				}
			}
		}},
		{"keys of text, delayed, raised and dropped", func() func() {
			var keys [100]string
			for i := range keys {
				keys[i] = fmt.Sprint("key ", i)
			}
			q := New(Config[string]{})
			return func() {
				for i, k := range keys {
					q.AddAt(k, Low, epoch.Add(time.Duration(i%7)))
				}
				for i := range keys {
					q.Add(keys[i/2], High)
					q.Drop(keys[i])
				}
			}
		}},
		{"a walk over a small queue", func() func() {
			q := New(Config[uint32]{})
			mixed(q, 9)
			n := 0
			return func() {
				for e := range q.Entries() {
					n += e.Attempts
				}
			}
		}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			// AllocsPerRun warms up with one round.
			if n := testing.AllocsPerRun(5, c.run()); n != 0 {
				t.Errorf("%v allocations in a round, want none", n)
			}
		})
	}
}

func drainAll(q *Queue[uint32], now time.Time) {
	for k, ok := q.Next(now); ok; k, ok = q.Next(now) {
		q.Done(k)
	}
}

// TestRoomComesBack sends a burst through a queue and leaves some keys.
func TestRoomComesBack(t *testing.T) {
	const burst = 50_000
	add := func(q *Queue[uint32], k uint32) { q.Add(k, Low) }
	delay := func(q *Queue[uint32], k uint32) { q.AddAt(k, Low, epoch.Add(time.Duration(k))) }
	for _, c := range []struct {
		reason string
		add    func(*Queue[uint32], uint32)
		left   uint32
		number func(uint32) uint32
	}{
		{"a burst of ready keys that all go", add, 0, nil},
		{"a burst of ready keys with stragglers in between", add, 400, nil},
		{"a burst of delayed keys that all go", delay, 0, nil},
		{"a burst of delayed keys with stragglers in between", delay, 400, nil},
		{"a burst of numbered keys that all go", add, 0, func(k uint32) uint32 { return k }},
		{"a burst of numbered keys far apart, with stragglers in between", add, 400, spread},
	} {
		t.Run(c.reason, func(t *testing.T) {
			q := New(Config[uint32]{Number: c.number})
			for k := range uint32(burst) {
				c.add(q, k)
			}
			for k := range uint32(burst) {
				if c.left == 0 || k%(burst/c.left) != 0 {
					q.Drop(k)
				}
				if k%5000 == 0 {
					check(t, q)
				}
			}
			check(t, q)
			if room := max(q.slots.Cap(), cap(q.heap), len(q.index.cells)); room > 8*warmSize || q.dense.Pages() > max(int(c.left), 8) {
				t.Errorf("there is room for %d after the burst, for %d keys", room, c.left)
			}
			got := drain(q, epoch.Add(time.Hour))
			for i, k := range got {
				if k != uint32(i)*(burst/c.left) {
					t.Fatalf("straggler %d is %d", i, k)
				}
			}
			if len(got) != int(c.left) {
				t.Errorf("%d stragglers, want %d", len(got), c.left)
			}
		})
	}
}

func check[K comparable](t *testing.T, q *Queue[K]) {
	t.Helper()
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
}
