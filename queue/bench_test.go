package queue

import (
	"testing"
	"time"
)

// BenchmarkCycle is Add, Next and Done of one key, beside other ready keys.
func BenchmarkCycle(b *testing.B) {
	for _, c := range []struct {
		name string
		keys uint32
	}{{"keys=1", 1}, {"keys=1000", 1000}, {"keys=100000", 100_000}} {
		b.Run(c.name, func(b *testing.B) {
			q := New(Config[uint32]{})
			for k := range c.keys - 1 {
				q.Add(k, Normal)
			}
			next := c.keys - 1
			b.ReportAllocs()
			for b.Loop() {
				q.Add(next, Normal)
				next, _ = q.Next(epoch)
				q.Done(next)
			}
		})
	}
}

// BenchmarkDrain adds 1000 new keys and takes them all, as one operation.
func BenchmarkDrain(b *testing.B) {
	q := New(Config[uint32]{})
	first := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		for k := range uint32(1000) {
			q.Add(first+k, Normal)
		}
		for k, ok := q.Next(epoch); ok; k, ok = q.Next(epoch) {
			q.Done(k)
		}
		first += 1000
	}
}

// BenchmarkRetry is Retry, Next at its time, and Done, beside other delayed keys.
func BenchmarkRetry(b *testing.B) {
	for _, c := range []struct {
		name string
		keys uint32
	}{{"keys=1", 1}, {"keys=1000", 1000}} {
		b.Run(c.name, func(b *testing.B) {
			q := New(Config[uint32]{Hash: hash32, MaxDelay: time.Second})
			for k := range c.keys {
				q.Retry(k, Normal, epoch)
			}
			b.ReportAllocs()
			for b.Loop() {
				now, _ := q.Due()
				k, _ := q.Next(now)
				q.Retry(k, Normal, now)
				q.Done(k)
			}
		})
	}
}

// BenchmarkClone copies a queue of keys, a third in each state.
func BenchmarkClone(b *testing.B) {
	for _, c := range []struct {
		name string
		keys uint32
	}{{"keys=0", 0}, {"keys=6", 6}, {"keys=1000", 1000}} {
		b.Run(c.name, func(b *testing.B) {
			q := New(Config[uint32]{})
			mixed(q, c.keys)
			clones := new([2]*Queue[uint32])
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				clones[n&1] = q.Clone()
				n++
			}
		})
	}
}

// BenchmarkEntries walks a queue of six keys, two in each state.
func BenchmarkEntries(b *testing.B) {
	q := New(Config[uint32]{})
	mixed(q, 6)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for e := range q.Entries() {
			n += e.Attempts
		}
	}
}

// mixed puts n keys into q, a third in each state.
func mixed(q *Queue[uint32], n uint32) {
	for k := range n {
		if k%3 == 0 {
			q.AddAt(k, Low, epoch.Add(time.Hour))
			continue
		}
		q.Add(k, Normal)
		if k%3 == 1 {
			q.Next(epoch)
		}
	}
}
