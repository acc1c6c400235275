package engine

import (
	"errors"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

var (
	// ErrBroken means that an invariant of the engine is broken. The engine has
	// stopped, and makes no further call.
	ErrBroken = errors.New("engine broken")
	// ErrNotBegun is the result of a call that the caller gives back to the engine before
	// it has begun the call. The caller may also give back a fence, a listing, a
	// selection or a run of a handler that it has ended itself. It gives a write that it has
	// begun back only if the store says that nothing is done, as for a batch as a whole. The
	// engine returns the call again if it still wants it.
	ErrNotBegun = errors.New("call not begun")
)

// retryIn returns the time before the next try of a call, and whether the error names one. The
// store has done nothing for a call with such an error. Config.MaxRetryAfter bounds the time.
//
//test:by ownergraph.TestRetryAfterIsBounded
func (e *Engine) retryIn(err error) (wait time.Duration, ok bool) {
	asked, ok := run.RetryIn(err)
	if ok {
		e.counts.PutOff++
	}
	return min(asked, e.cfg.MaxRetryAfter), ok
}

// putOff reports an object for which the store has put a call off, and returns the time of the
// next try. A store that names no time gets the pauses of the queue, so that no engine polls. A
// call that exceeded a limit of time gets longer and longer pauses.
func (e *Engine) putOff(id graph.NodeID, what string, err error, wait time.Duration) (at time.Time) {
	if run.IsLate(err) {
		times := e.holdFailing(id, what, err)
		return e.now.Add(max(wait, inflight.LatePause(e.work, id, times, 0)))
	}
	asked, _ := run.RetryIn(err)
	e.calls.Delays.Note(e.graph.Node(id).Key(), err, asked, wait, e.now, &e.effects)
	e.hold(id, policy.StoreDelays, graph.DoubtUnset)
	if wait > 0 {
		return e.now.Add(max(wait, time.Millisecond))
	}
	return e.work.Retry(id, queue.Normal, e.now)
}
