package run

import (
	"context"
	"errors"
	"time"
)

const (
	// quickCall is the latency below which a store answers at once.
	quickCall = 20 * time.Microsecond
	// timedShare is the number of quick calls of which one is timed.
	timedShare = 16
)

// Timing times the calls of one worker. Two readings of the clock take about 100 ns, as long
// as a quick call. So Timing times the first call, then one of 16, and each call after one
// that was not quick. The worker owns it. The zero value is ready.
type Timing struct {
	left int  // quick calls until the next timed one
	slow bool // the last timed call was not quick
}

// Begin notes the beginning of a call, if the call is timed.
func (t *Timing) Begin(epoch time.Time, x *Ended) {
	if t.left--; t.slow || t.left < 0 {
		t.left, x.Began = timedShare-1, time.Since(epoch)
	}
}

// End notes how long a timed call took.
func (t *Timing) End(epoch time.Time, x *Ended) {
	if x.Began != 0 {
		x.Latency = time.Since(epoch) - x.Began
		t.slow = x.Latency >= quickCall
	}
}

// Quick reports whether the last timed call was quick.
func (t *Timing) Quick() bool { return !t.slow }

// OutcomeOf returns the word of a result about the load of the store.
func OutcomeOf(err error) Outcome {
	if err == nil {
		return OutcomeAnswer
	}
	if _, busy := RetryIn(err); busy {
		return OutcomeBusy
	}
	switch {
	case sentinelOf(err) != nil:
		return OutcomeAnswer
	case errors.Is(err, context.DeadlineExceeded):
		return OutcomeSilent
	}
	return OutcomeUnset
}
