package run

import "sync"

// Outbox hands lines of a log to their writer outside of the lock of the driver. The
// driver adds lines while it has its lock, so they keep the order of the steps. It
// flushes the outbox after it has released the lock.
//
// One goroutine writes at a time, and the others do not wait for it. So a slow writer
// delays one goroutine, and the lines of the others wait. Beyond its bound the outbox
// counts lines and drops them.
//
// Its methods are safe for concurrent use. Use NewOutbox.
//
//test:by TestOutboxDoesNotWait TestOutboxIsBounded TestOutboxAfterPanic
type Outbox[L any] struct {
	bound int
	lost  func(n int) L // the line that stands for n dropped ones

	mu      sync.Mutex
	lines   []L
	dropped int
	writing bool
}

// NewOutbox returns an empty outbox for this many lines. Lost makes the line that stands
// for n dropped ones.
func NewOutbox[L any](bound int, lost func(n int) L) *Outbox[L] {
	return &Outbox[L]{bound: bound, lost: lost}
}

// Add adds lines behind those that wait.
func (o *Outbox[L]) Add(lines []L) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fit := min(len(lines), o.bound-len(o.lines))
	o.lines = append(o.lines, lines[:fit]...)
	o.dropped += len(lines) - fit
}

// Flush writes the lines that wait, and those that come meanwhile. If another goroutine is
// doing so, that goroutine writes all of them, and Flush returns at once. Write may call
// Add and Flush. Where write ends the goroutine, the rest of its lines is lost.
func (o *Outbox[L]) Flush(write func(L)) {
	if !o.begin() {
		return
	}
	ended := false
	defer func() {
		if !ended {
			o.end()
		}
	}()
	for lines := o.take(); len(lines) > 0; lines = o.take() {
		for _, l := range lines {
			write(l)
		}
	}
	ended = true
}

// Writing reports whether a goroutine is writing lines.
func (o *Outbox[L]) Writing() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.writing
}

func (o *Outbox[L]) begin() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writing {
		return false
	}
	o.writing = true
	return true
}

func (o *Outbox[L]) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing = false
}

// take returns the lines that wait. Without any, the goroutine writes no longer.
func (o *Outbox[L]) take() []L {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := o.lines
	if o.dropped > 0 {
		lines = append(lines, o.lost(o.dropped))
	}
	o.lines, o.dropped, o.writing = nil, 0, len(lines) > 0
	return lines
}
