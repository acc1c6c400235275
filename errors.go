package ownergraph

import (
	"errors"
	"time"

	"github.com/ownergraph/ownergraph/internal/run"
)

var (
	// ErrBroken means that an invariant of the engine does not hold. The engine has
	// stopped, and makes no further call.
	ErrBroken = errors.New("engine broken")
	// ErrNotBegun is the result of a call that the caller gives back to the engine before
	// it has begun the call. The caller may also give back a fence, a listing, a
	// selection or a run of a handler that it has ended itself. It never gives back a
	// write that it has begun. The engine returns the call again if it still wants it.
	ErrNotBegun = errors.New("call not begun")
	// ErrRunning means that the collector already runs.
	ErrRunning = errors.New("collector is running")
	// ErrClosed means that the collector has ended.
	ErrClosed = errors.New("collector has ended")
)

// retryIn returns the time before the store wants the next try, and whether the error
// gives one. The store has done nothing for a call with such an error.
func retryIn(err error) (wait time.Duration, ok bool) { return run.RetryIn(err) }
