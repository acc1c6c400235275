package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
)

var errLost = errors.New("connection lost")

// undoneLate is the error of a store that breaks a call off by a limit of time. Nothing is done.
type undoneLate struct{}

func (undoneLate) Error() string             { return "lock timeout" }
func (undoneLate) RetryAfter() time.Duration { return time.Second }
func (undoneLate) Is(target error) bool      { return target == context.DeadlineExceeded }

// stopping is a batch of writes on a store that answers each call by the number of the call and
// by its writes.
type stopping struct {
	n       int
	answer  func(call int, writes []graph.Write) ([]error, error)
	revoked func(calls int) bool
}

// make makes the batch with a timeout of 30 s. It returns the sizes of the calls, the number of
// writes with a result, and the next size of a batch.
func (s *stopping) make(ctx context.Context, t *testing.T) (sizes []int, ended, limit int) {
	t.Helper()
	x := run.NewBatches(s.n, 30*time.Second)
	for x.Limit() < s.n {
		x.End(x.Limit(), 1, nil)
	}
	call := func(w []graph.Write) ([]error, error) {
		sizes = append(sizes, len(w))
		return s.answer(len(sizes), w)
	}
	var b run.Batch
	write := func(at int) graph.Write {
		return graph.Write{Type: graph.WriteDelete, Key: graph.Key{Kind: "p", Name: fmt.Sprintf("%04d", at)}}
	}
	b.Set(s.n, write)
	_ = b.Make(ctx, x, &run.BatchCalls{
		Timeout: 30 * time.Second, Name: func() string { return "batch" },
		Revoked:  func() bool { return s.revoked != nil && s.revoked(len(sizes)) },
		Together: func(_ context.Context, w []graph.Write) ([]error, error) { return call(w) },
		Alone: func(_ context.Context, at int) error {
			list, err := call([]graph.Write{write(at)})
			return errors.Join(append(list, err)...)
		},
		End:  func(context.Context, int, error) { ended++ },
		Late: func(int, error) {},
	})
	if b.Made() != ended {
		t.Errorf("%d writes have a result, and the batch says %d", ended, b.Made())
	}
	return sizes, ended, x.Limit()
}

// TestBatchStops: the parts of a divided batch end at a sign of a loss (R5), at a revocation,
// and with the context. They go on if the outcome of each write is known.
func TestBatchStops(t *testing.T) {
	late := fmt.Errorf("batch: %w", undoneLate{})
	ctx, cancel := context.WithCancel(t.Context())
	// second gives one call the answer, and makes the machine divide the other calls with several
	// writes.
	second := func(by error, list []error, err error) func(int, []graph.Write) ([]error, error) {
		return func(call int, w []graph.Write) ([]error, error) {
			switch {
			case call == 1:
				return nil, by
			case call == 2:
				return list, err
			}
			return make([]error, len(w)), nil
		}
	}
	for _, c := range []struct {
		ctx     context.Context
		answer  func(int, []graph.Write) ([]error, error)
		revoked func(int) bool
		sizes   []int
		ended   int
		reason  string
	}{
		{t.Context(), second(late, make([]error, 4), nil), nil, []int{8, 4, 4}, 8, "each half passes"},
		{t.Context(), second(late, nil, errLost), nil, []int{8, 4}, 4, "the store may have lost its history"},
		{t.Context(), second(graph.ErrRefused, nil, errLost), nil, []int{8, 4}, 4, "the same after a refusal"},
		{t.Context(), second(late, []error{nil, nil, errLost, nil}, nil), nil, []int{8, 4}, 4, "one lost write is enough"},
		{t.Context(), second(late, []error{nil}, nil), nil, []int{8, 4}, 4, "results that cannot be told apart are lost"},
		{t.Context(), second(late, nil, graph.ErrNotFound), nil, []int{8, 4}, 4, "such an answer is about no write"},
		{t.Context(), second(late, []error{nil, graph.ErrConflict, graph.ErrNotFound, graph.ErrKindUnknown}, nil), nil, []int{8, 4, 4}, 8,
			"the store has answered each write"},
		{t.Context(), second(late, nil, retryLater(time.Second)), nil, []int{8, 4, 4}, 8, "nothing of the half is done"},
		{t.Context(), second(late, nil, nil), func(calls int) bool { return calls == 1 }, []int{8}, 0, "the reasons of the writes ended with a rewind"},
		{t.Context(), second(late, make([]error, 4), nil), func(calls int) bool { return calls == 2 }, []int{8, 4}, 4, "the same after one half"},
		{ctx, func(call int, _ []graph.Write) ([]error, error) { cancel(); return nil, late }, nil, []int{8}, 0, "the run is over"},
	} {
		s := stopping{8, c.answer, c.revoked}
		sizes, ended, _ := s.make(c.ctx, t)
		if !slices.Equal(sizes, c.sizes) || ended != c.ended {
			t.Errorf("%s: calls for %v writes, %d results; want %v and %d", c.reason, sizes, ended, c.sizes, c.ended)
		}
	}
}

// retryLater is the error of a store that has done nothing, and names the time of the next try.
type retryLater time.Duration

func (retryLater) Error() string               { return "deadlock" }
func (e retryLater) RetryAfter() time.Duration { return time.Duration(e) }

// TestBatchStopsInTime: users have locks on rows of a batch. No part begins after the timeout of
// a call, and few parts are late. The next batches are smaller.
func TestBatchStopsInTime(t *testing.T) {
	late := fmt.Errorf("batch: %w", undoneLate{})
	for _, c := range []struct {
		each   time.Duration
		err    error
		locked func(name string) bool
		most   time.Duration
		calls  int // at most
		limit  int // at most
		ended  int // at least
		reason string
	}{
		{10 * time.Second, late, func(n string) bool { return n[3]%3 == 0 }, 30 * time.Second, 3, 64, 0, "a long limit of time: the time is over"},
		{time.Millisecond, late, func(string) bool { return true }, time.Second, 16, 1, 1, "a short limit of time: the late parts are many"},
		{time.Second, late, func(n string) bool { return n == "0000" }, 10 * time.Second, 27, 512, 512, "one locked row is found by its batch"},
		{29 * time.Second, graph.ErrRefused, func(string) bool { return true }, 58 * time.Second, 2, 256, 0, "refusals that take long"},
		{31 * time.Second, graph.ErrRefused, func(string) bool { return true }, 31 * time.Second, 1, 256, 0, "the first call has taken all of the time"},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			s := stopping{n: 512, answer: func(_ int, w []graph.Write) ([]error, error) {
				if slices.ContainsFunc(w, func(w graph.Write) bool { return c.locked(w.Key.Name) }) {
					<-time.After(c.each)
					return nil, c.err
				}
				return make([]error, len(w)), nil
			}}
			sizes, ended, limit := s.make(t.Context(), t)
			if took := time.Since(began); took > c.most || len(sizes) > c.calls || limit > c.limit || ended < c.ended {
				t.Errorf("%s: %v, calls for %v writes, %d results, then at most %d; want at most %v, %d calls, %d results, then %d",
					c.reason, took, sizes, ended, limit, c.most, c.calls, c.ended, c.limit)
			}
		})
	}
}

// TestBatchesCut: a batch that stops for the time again and again comes down to single writes,
// also below the bound of refused batches. A size that is smaller already stays.
func TestBatchesCut(t *testing.T) {
	x := run.NewBatches(64, time.Minute)
	for x.Limit() < 64 {
		x.End(x.Limit(), 1, nil)
	}
	for _, want := range []int{32, 16, 8, 4, 2, 1, 1} {
		if x.Cut(x.Limit()); x.Limit() != want {
			t.Errorf("%d writes, want %d", x.Limit(), want)
		}
	}
	if x.Cut(64); x.Limit() != 1 {
		t.Errorf("%d writes after a batch of an earlier size, want 1", x.Limit())
	}
}
