package run

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// firstBatch is the size of the first batches. Each write of a slow store may take a second.
	firstBatch = 4
	// minRefused bounds the fall of the size by refused batches.
	minRefused = 16
	// batchSpan is the time that a batch may take longer than a single write. A batch has
	// its locks for that time, and other writers wait for them.
	batchSpan = time.Second
	// spanShare is the share of the timeout of a call that bounds batchSpan for short timeouts.
	spanShare = 4
	// maxWaitBatches bounds the batches between two tries of a larger size.
	maxWaitBatches = 1024
	// lateEvery is the time between two lines about late batches.
	lateEvery = time.Minute
)

// IsLate reports whether a call has exceeded a limit of time: its own timeout, or a limit of
// the store. The error of the latter wraps context.DeadlineExceeded, too.
func IsLate(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// Batches adapts the number of writes in a batch to the time that batches take. The number
// starts small.
//
//   - It doubles after a full batch, if a batch of twice the size would take at most a span
//     longer than a single write. The time of a single write says nothing about the size: it
//     may be a round trip to a far server.
//   - It falls in proportion after a batch that took more than the span longer.
//   - It falls to half of the size after a batch that exceeded a limit of time, or whose parts
//     took too long together.
//   - A larger size that failed at once is tried again after more and more full batches.
//   - It falls to half of the size after a batch that the store refused, but not below 16.
//     The work of a refused batch is lost, and refused writes often come in numbers.
//
// The store is slow for each write if a foreign key of a user lacks an index, for example.
// The zero value is not ready: use NewBatches. Its methods are safe for concurrent use.
//
//test:by TestBatchesGrow TestBatchesShrink TestBatchesShrinkLater TestBatchesLate
type Batches struct {
	max  int
	span time.Duration

	mu     sync.Mutex
	limit  int
	base   time.Duration // of the shortest batch, or of the last single write
	peak   int           // the limit before it fell, 0 once it is there again
	raised bool          // the last change of the limit has raised it
	wait   int           // full batches before the next rise, after a failed one
	left   int           // of wait
	late   uint64
	said   time.Time // of the last line
	others int       // late batches since then
}

// BatchState describes the batches of a store.
type BatchState struct {
	Limit, Max int
	Before     int    // the limit before a batch took too long, 0 once it is there again
	Late       uint64 // batches that exceeded a limit of time
}

// NewBatches returns the batches of a store that takes at most max writes in one. A max of 1 or
// less means that it takes none. A call of the store ends after the timeout.
func NewBatches(max int, timeout time.Duration) *Batches {
	return &Batches{max: max, limit: min(firstBatch, max), span: min(batchSpan, timeout/spanShare)}
}

// Max returns the largest number of writes that the store takes.
func (b *Batches) Max() int { return b.max }

// Limit returns the largest number of writes for a batch now.
func (b *Batches) Limit() int {
	if b.max <= 1 { // never locked for a store without batches
		return b.max
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit
}

// State returns the present state.
func (b *Batches) State() BatchState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return BatchState{Limit: b.limit, Max: b.max, Late: b.late, Before: b.peak}
}

// End takes the end of a batch with that many writes, or of a single write, which is a batch
// of one. A time of 0 was not taken, since the store answers at once.
func (b *Batches) End(size int, took time.Duration, err error) {
	if b.max <= 1 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if IsLate(err) {
		if size > 1 {
			b.late++
			b.fall(size, size/2)
		}
		return
	}
	if took > 0 && (size == 1 || b.base == 0 || took < b.base) {
		b.base = took
	}
	switch extra := took - b.base; {
	case extra > b.span:
		b.fall(size, max(int(int64(size)*int64(b.span)/int64(extra)), 1))
	case size >= b.limit && 2*extra <= b.span && err == nil:
		b.rise(size)
	}
}

// rise doubles the limit, or counts down to that.
func (b *Batches) rise(size int) {
	if b.left > 0 {
		b.left--
		return
	}
	if b.raised {
		b.wait /= 2 // the last rise was right
	}
	b.limit, b.raised = min(2*size, b.max), true
	if b.limit >= b.peak {
		b.peak = 0
	}
}

// fall lowers the limit after a batch that took too long.
func (b *Batches) fall(size, limit int) {
	if limit >= b.limit {
		return // a batch of an earlier limit
	}
	if b.raised && size == b.limit {
		b.wait = min(2*b.wait+1, maxWaitBatches)
	}
	b.peak = max(b.peak, b.limit)
	b.limit, b.left, b.raised = limit, b.wait, false
}

// Refused takes a batch with that many writes that the store refused because of some of them.
func (b *Batches) Refused(size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit, b.raised = min(b.limit, max(size/2, minRefused)), false
}

// Cut takes a batch with that many writes whose parts took so long that the rest did not go.
func (b *Batches) Cut(size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fall(size, max(size/2, 1))
}

// Line reports whether a late batch is worth a line of the log, and the number of late
// batches since the last line.
func (b *Batches) Line(now time.Time) (others int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.said.IsZero() && now.Sub(b.said) < lateEvery {
		b.others++
		return 0, false
	}
	others = b.others
	b.said, b.others = now, 0
	return others, true
}
