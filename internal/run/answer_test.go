package run_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
)

// foreign is a store's own type of errors.
type foreign struct {
	error
	after time.Duration
}

func (f foreign) Unwrap() error             { return f.error }
func (f foreign) RetryAfter() time.Duration { return f.after }

// TestPlain: a plain error has the text, the sentinel and the delay of the store's error,
// and nothing of its type.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		err    error
		is     error
		after  time.Duration
		asks   bool
		reason string
	}{
		{graph.ErrNotFound, graph.ErrNotFound, 0, false, "a sentinel"},
		{fmt.Errorf("get: %w", graph.ErrConflict), graph.ErrConflict, 0, false, "a wrapped sentinel"},
		{errors.New("broken pipe"), nil, 0, false, "any other error"},
		{foreign{graph.ErrRefused, time.Second}, graph.ErrRefused, time.Second, true, "a sentinel with a delay"},
		{foreign{errors.New("busy"), -1}, nil, 0, true, "a delay is not negative"},
	} {
		got := run.Plain(c.err)
		var f foreign
		if got.Error() != c.err.Error() || errors.As(got, &f) {
			t.Errorf("%s: %#v of %v", c.reason, got, c.err)
		}
		for _, is := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
			if errors.Is(got, is) != (is == c.is) {
				t.Errorf("%s: is %v: %v", c.reason, is, errors.Is(got, is))
			}
		}
		if after, ok := run.RetryIn(got); after != c.after || ok != c.asks {
			t.Errorf("%s: the next try is in %v (%v)", c.reason, after, ok)
		}
	}
	if err := run.Plain(nil); err != nil {
		t.Errorf("no error is %v", err)
	}
}

// TestCause: the cause of a failed run has no names, and says why its context ended.
func TestCause(t *testing.T) {
	failed, late := errors.New("failed"), errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	for _, c := range []struct {
		err, want error
		reason    string
	}{
		{nil, nil, "the handler succeeded"},
		{failed, failed, "an error of another call"},
		{&run.RunError{Finalizer: "f", Err: failed}, failed, "an error of the handler"},
		{&run.RunError{Finalizer: "f", Err: ctx.Err()}, late, "the handler returned the error of its context"},
	} {
		if got := run.Cause(ctx, c.err); got != c.want {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestOfBatch: a batch that fails as a whole is no answer about a write. After a refusal each write
// is tried alone, and the time of the next try stays.
func TestOfBatch(t *testing.T) {
	for _, c := range []struct {
		err    error
		alone  bool
		later  bool
		reason string
	}{
		{nil, false, false, "no error"},
		{errors.New("connection lost"), false, false, "unknown"},
		{fmt.Errorf("batch: %w", graph.ErrNotFound), false, false, "no proof of absence"},
		{graph.ErrConflict, false, false, "no conflict of each write"},
		{graph.ErrKindUnknown, false, false, "nothing about the kinds"},
		{fmt.Errorf("batch: %w", graph.ErrRefused), true, false, "one write may be the cause"},
		{foreign{errors.New("deadlock"), time.Second}, false, true, "none is done"},
	} {
		each, alone := run.OfBatch(c.err)
		_, later := run.RetryIn(each)
		if alone != c.alone || later != c.later || answers(each) || (each == nil) != (c.err == nil) {
			t.Errorf("%v: %v, alone %v, later %v: %s", c.err, each, alone, later, c.reason)
		}
	}
}

// answers reports whether an error has a sentinel by which a store answers.
func answers(err error) bool {
	for _, is := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}
