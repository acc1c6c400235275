package ownergraph

import (
	"errors"
	"time"
)

var (
	// ErrBroken says that an invariant of the engine does not hold. The engine
	// has stopped: it makes no further call.
	ErrBroken = errors.New("engine broken")
	// ErrNotBegun is the result of a call that the caller gives back to the engine: it
	// has not begun the call. It may give back a fence, a listing, a selection or a run
	// of a handler that it has ended itself, too. The engine asks for the call again, if
	// it still wants it. A write that was begun is never given back.
	ErrNotBegun = errors.New("call not begun")
	// ErrRunning says that the collector runs already.
	ErrRunning = errors.New("collector is running")
	// ErrClosed says that the collector has ended.
	ErrClosed = errors.New("collector has ended")
)

// retryAfter is what a transient error may carry.
type retryAfter interface{ RetryAfter() time.Duration }

// retryIn returns how long the store asks to be left alone. An error that says
// so was answered before anything was done.
func retryIn(err error) (wait time.Duration, told bool) {
	if err == nil {
		return 0, false
	}
	var r retryAfter
	if errors.As(err, &r) {
		return max(r.RetryAfter(), 0), true
	}
	return 0, false
}

// unknownOutcome reports whether a write with this result may have been carried out.
func unknownOutcome(err error) bool {
	for _, answer := range [...]error{nil, ErrConflict, ErrNotFound, ErrRefused, ErrKindUnknown} {
		if errors.Is(err, answer) {
			return false
		}
	}
	_, told := retryIn(err)
	return !told
}
