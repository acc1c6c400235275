package server

import (
	"runtime"
	"sync"
	"time"
)

// delays lets each request wait for the same time. Its clock is finer than Go's timers
// are in a program that is mostly idle. There the network poller sleeps by whole
// milliseconds. A timer of one millisecond takes up to two, and less in a busy program.
// See nap.
type delays struct {
	latency time.Duration

	mu    sync.Mutex
	queue []delay // in the order of their ends
	more  chan struct{}
}

type delay struct {
	due  time.Time
	over chan struct{}
}

// newDelays begins to delay requests, until the process ends.
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

// end ends the delays that are due. It returns the time until the next one, 0 for none.
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
