package run

import (
	"context"
	"errors"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// retryAfter is the optional method of a transient error.
type retryAfter interface{ RetryAfter() time.Duration }

// RetryIn returns the time before the store wants the next try, and whether the error
// gives one.
func RetryIn(err error) (wait time.Duration, ok bool) {
	if err == nil { // before r, which is allocated
		return 0, false
	}
	var r retryAfter
	if !errors.As(err, &r) {
		return 0, false
	}
	return max(r.RetryAfter(), 0), true
}

// answer is an error with all properties that the engine looks at.
type answer struct {
	text string
	is   error // the sentinel, or nil
	late bool  // see IsLate
}

func (a *answer) Error() string        { return a.text }
func (a *answer) Unwrap() error        { return a.is }
func (a *answer) Is(target error) bool { return a.late && target == context.DeadlineExceeded }

// answerLater is an answer with the time of the next try.
type answerLater struct {
	answer
	after time.Duration
}

func (a *answerLater) RetryAfter() time.Duration { return a.after }

// Plain returns the error of a call with all properties that the engine looks at, and no
// others: its text, its sentinel, RetryIn and IsLate. The methods of the store's own error type may
// do anything, and must not do it under the driver's lock. Plain runs them, so it may panic
// or end the goroutine.
func Plain(err error) error {
	if err == nil {
		return nil
	}
	a := answer{text: err.Error(), is: sentinelOf(err), late: IsLate(err)}
	if after, ok := RetryIn(err); ok {
		return &answerLater{a, after}
	}
	return &a
}

// OfBatch returns the error of each write of a batch that has failed as a whole. It has the
// time of the next try, if the store has given one. It has no sentinel, because the store
// has not looked at each write. IsSplit says what follows.
func OfBatch(err error) (each error, split bool) {
	if sentinelOf(err) == nil {
		return err, IsSplit(err)
	}
	return &answer{text: err.Error()}, IsSplit(err)
}

// IsSplit reports whether the writes of a batch with this error are to go again in smaller
// parts. One of them may be the cause: the store refuses the batch, or has broken it off by a
// limit of time. In both cases none of the writes is done.
func IsSplit(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, graph.ErrRefused) {
		return true
	}
	_, undone := RetryIn(err)
	return undone && IsLate(err) && sentinelOf(err) == nil
}

// IsUnknown reports whether a write with this error may be done: the store has not answered it.
func IsUnknown(err error) bool {
	if err == nil || sentinelOf(err) != nil {
		return false
	}
	_, undone := RetryIn(err)
	return !undone
}

// sentinelOf returns the sentinel by which a store has answered, or nil.
func sentinelOf(err error) error {
	for _, is := range [...]error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
		if errors.Is(err, is) {
			return is
		}
	}
	return nil
}

// Cause returns the error of a run of a handler without the names of the finalizer and the
// object, since logs and reports give them already. If the handler returns the error of its
// context, the result is the cause of that error, such as the timeout.
func Cause(ctx context.Context, err error) error {
	failed, ok := err.(*RunError)
	if !ok {
		return err
	}
	if failed.Err == ctx.Err() {
		return context.Cause(ctx)
	}
	return failed.Err
}
