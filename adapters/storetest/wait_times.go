package storetest

import (
	"cmp"
	"sync"
	"time"
)

// waitTimes decides how long a test waits. For the first failure it waits as long
// as the store may take. Every later failure is only a smaller form. For these it
// waits as long as this store was seen to need, so that shrinking has time for many
// forms. It is safe for concurrent use.
//
//test:by TestWaitTimes TestModelShrinks TestEngineShrinks
type waitTimes struct {
	patience time.Duration
	minimum  time.Duration
	factor   time.Duration // the limit as a multiple of the slowest wait that had an end

	mu        sync.Mutex
	slowest   time.Duration
	usualCall time.Duration // of a call
	failed    bool
}

const (
	// minWait is a delay that a busy machine may cause.
	minWait   = 50 * time.Millisecond
	slowTimes = 10
	// failedTimes is the factor for repeated cases. Many of their waits have no
	// end.
	failedTimes = 4
)

func newWaitTimes(patience time.Duration) *waitTimes {
	return &waitTimes{patience: patience, minimum: minWait, factor: failedTimes}
}

// limit returns the longest wait from now on.
func (w *waitTimes) limit() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.failed {
		return w.patience
	}
	return min(w.patience, max(w.minimum, w.factor*w.slowest))
}

// noteWait notes the length of a wait that had an end.
func (w *waitTimes) noteWait(since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slowest = max(w.slowest, time.Since(since))
}

// noteFailure notes a failure.
func (w *waitTimes) noteFailure() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = true
}

// noteCall notes the length of a call, for a cancellation in its middle.
func (w *waitTimes) noteCall(since time.Time) {
	const share = 8
	w.mu.Lock()
	defer w.mu.Unlock()
	w.usualCall += (time.Since(since) - w.usualCall) / share
}

// partOfCall returns a part of the usual length of a call.
func (w *waitTimes) partOfCall(n, of int) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.usualCall * time.Duration(n) / time.Duration(of)
}

// engineWaits are the wait times of engineTest.
type engineWaits struct {
	watch     *waitTimes // for a watch to list
	idle      *waitTimes // for the collectors to become idle
	afterIdle *waitTimes // for the store to reach the end while the collectors are idle
}

// minIdleWait covers a collector's own pauses. It waits a second before it begins a
// fence again, and longer the next time.
const minIdleWait = 5 * time.Second

func newEngineWaits(c Config) *engineWaits {
	patience := cmp.Or(c.Patience, defaultPatience)
	p := &engineWaits{newWaitTimes(patience), newWaitTimes(patience + ownPauses), newWaitTimes(patience)}
	p.idle.minimum, p.idle.factor = minIdleWait, 3
	return p
}

// noteFailure notes a failure of any kind.
func (w *engineWaits) noteFailure() {
	w.watch.noteFailure()
	w.idle.noteFailure()
	w.afterIdle.noteFailure()
}

// timeUnit is the unit of the times in a case: the pauses of users, and the length
// of faults. A fast store lists several times in a unit.
func (w *engineWaits) timeUnit() time.Duration {
	patience := w.watch.patience
	w.watch.mu.Lock()
	defer w.watch.mu.Unlock()
	return min(patience/100, max(patience/1000, slowTimes*w.watch.slowest))
}
