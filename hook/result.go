package hook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
)

// Result is the outcome of a call, by the errors of the contract of Store.
type Result uint8

const (
	// ResultUnset is no result.
	ResultUnset Result = iota
	// OK is success.
	OK
	// NotFound is ErrNotFound.
	NotFound
	// Conflict is ErrConflict.
	Conflict
	// Refused is ErrRefused.
	Refused
	// Invalid is ErrInvalid.
	Invalid
	// KindUnknown is ErrKindUnknown.
	KindUnknown
	// Busy is an error with the method RetryAfter: the call has not begun.
	Busy
	// Canceled is the end of the context by its user, such as at shutdown.
	Canceled
	// Timeout is the end of the context by its deadline.
	Timeout
	// Failed is every other error.
	Failed

	numResults
)

var resultNames = [numResults]string{"unset", "ok", "not_found", "conflict", "refused", "invalid", "kind_unknown", "busy", "canceled", "timeout", "error"}

// String returns the result in lower case.
func (r Result) String() string {
	if r < numResults {
		return resultNames[r]
	}
	return fmt.Sprintf("result(%d)", uint8(r))
}

// Results returns all results, without ResultUnset.
func Results() (all []Result) {
	for r := OK; r < numResults; r++ {
		all = append(all, r)
	}
	return all
}

// sentinel returns the error that a result stands for, or nil.
func sentinel(r Result) error {
	return [numResults]error{
		NotFound: ownergraph.ErrNotFound, Conflict: ownergraph.ErrConflict, Refused: ownergraph.ErrRefused, Invalid: ownergraph.ErrInvalid,
		KindUnknown: ownergraph.ErrKindUnknown, Canceled: context.Canceled, Timeout: context.DeadlineExceeded,
	}[r]
}

// ResultOf returns the result of a call with this error. A wrapped error counts as its
// sentinel.
//
//test:by TestResults
func ResultOf(err error) Result {
	if err == nil {
		return OK
	}
	for _, r := range [...]Result{NotFound, Conflict, Refused, Invalid, KindUnknown} {
		if errors.Is(err, sentinel(r)) {
			return r
		}
	}
	var later interface{ RetryAfter() time.Duration }
	if errors.As(err, &later) {
		return Busy
	}
	for _, r := range [...]Result{Timeout, Canceled} {
		if errors.Is(err, sentinel(r)) {
			return r
		}
	}
	return Failed
}

// ResultAt returns the result of a write of a batch that has ended with err. Without results
// the writes share the one of the batch.
func (c *Call) ResultAt(i int, err error) Result {
	if err == nil && i < len(c.Results) {
		err = c.Results[i]
	}
	return ResultOf(err)
}
