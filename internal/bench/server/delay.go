package server

import (
	"runtime"
	"sync"
	"time"
)

// delays lets each request wait for the same time, on a clock that is finer than
// Go's timers are in a program that is mostly idle: the network poller sleeps by
// whole milliseconds, so that a timer of one takes up to two, as it falls, and less
// the more the program has to do. See nap.
type delays struct {
	latency time.Duration

	mu    sync.Mutex
	queue []delay // in the order in which they end
	more  chan struct{}
}

type delay struct {
	due  time.Time
	over chan struct{}
}

// newDelays begins to let requests wait, until the process ends.
func newDelays(latency time.Duration) *delays {
	d := &delays{latency: latency, more: make(chan struct{}, 1)}
	go d.run()
	return d
}

func (d *delays) wait() {
	over := make(chan struct{})
	d.mu.Lock()
	d.queue = append(d.queue, delay{time.Now().Add(d.latency), over})
	first := len(d.queue) == 1
	d.mu.Unlock()
	if first {
		select {
		case d.more <- struct{}{}:
		default:
		}
	}
	<-over
}

func (d *delays) run() {
	runtime.LockOSThread()
	for range d.more {
		for rest := d.end(); rest > 0; rest = d.end() {
			nap(rest)
		}
	}
}

// end ends what is due, and returns how long it is until the next, 0 for none.
func (d *delays) end() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, n := time.Now(), 0
	for ; n < len(d.queue); n++ {
		if rest := d.queue[n].due.Sub(now); rest > 0 {
			d.queue = d.queue[n:]
			return rest
		}
		close(d.queue[n].over)
	}
	d.queue = d.queue[:0]
	return 0
}
