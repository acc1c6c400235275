package ownergraph_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/policy"
)

// undoneLate is the error of a store that breaks a call off by a limit of time. Nothing is done.
type undoneLate struct{}

func (undoneLate) Error() string             { return "canceling statement due to lock timeout" }
func (undoneLate) RetryAfter() time.Duration { return time.Second }
func (undoneLate) Is(target error) bool      { return target == context.DeadlineExceeded }

// failing makes each call fail that writes one of the objects with these names. Call it before the
// collector runs. The names may be replaced later.
func (s *batched) failing(fail func(ctx context.Context) error, names ...string) (replace func(names ...string)) {
	var now atomic.Pointer[[]string]
	now.Store(&names)
	s.answer = func(ctx context.Context, writes []ownergraph.Write, do func() ([]error, error)) ([]error, error) {
		for _, w := range writes {
			if slices.Contains(*now.Load(), w.Key.Name) {
				return nil, fail(ctx)
			}
		}
		return do()
	}
	s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
		if verb == "delete" && slices.Contains(*now.Load(), key.Name) {
			return fail(ctx)
		}
		return do()
	}
	return func(names ...string) { now.Store(&names) }
}

// TestBatchHalved: another transaction locks one row, and each call that waits for it exceeds a
// limit of time. The neighbours of the row go without it. The row is held with the error and
// tried again slowly, and each cause has one line. After the end of the lock the row goes.
func TestBatchHalved(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(ctx context.Context) error
	}{
		{"limit of the store", func(context.Context) error {
			pass(300 * time.Millisecond)
			return fmt.Errorf("batch: %w", undoneLate{})
		}},
		{"timeout of the call", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &lineCounter{lines: map[string]int{}}
				s := &batched{tap: newTap(t, "a; "+leavesOf("a", 300)), most: 64}
				replace := s.failing(c.fail, "77")
				r := collectOn(t, s, s.tap, ownergraph.Config{Logger: slog.New(log)})
				r.idle()
				s.delete(t, "a", ownergraph.Background)
				pass(50 * time.Second)
				s.contains(t, "p/77 -> a")
				pass(100 * time.Second)
				held := r.Held(10)
				if len(held) != 1 || held[0].Key.Name != "77" || held[0].Reason != policy.WriteFails || held[0].LastError == "" {
					t.Errorf("held %v, want the locked row with the error", held)
				}
				if x := r.Stats().ByStatus.Of(engine.StatusStuck); x != 1 {
					t.Errorf("%d objects are stuck, want the locked one", x)
				}
				if n := log.count("WARN batch takes too long"); n != 1 {
					t.Errorf("%d lines about batches, want 1", n)
				}
				if n := log.count("WARN write takes too long"); n < 1 || n > 5 {
					t.Errorf("%d lines about the write in 150 s, want one for each cause and minute", n)
				}
				if n := s.count("delete"); n > 64+16 {
					t.Errorf("%d single deletes, want few", n)
				}
				replace()
				pass(10 * time.Minute)
				s.contains(t, "")
				if x := r.Stats().Batches; x.Late == 0 || x.Max != 64 {
					t.Errorf("%+v, want the late batches counted", x)
				}
			})
		})
	}
}

// TestBatchBisected: the store refuses each batch with one of three rows. The rows are found by
// halves, and the refusals have one line.
func TestBatchBisected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &lineCounter{lines: map[string]int{}}
		s := &batched{tap: newTap(t, "a; "+leavesOf("a", 600)), most: 500}
		s.failing(func(context.Context) error { return fmt.Errorf("a foreign key: %w", ownergraph.ErrRefused) }, "7", "123", "501")
		r := collectOn(t, s, s.tap, ownergraph.Config{Logger: slog.New(log)})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(time.Second)
		s.contains(t, "p/123 -> a; p/501 -> a; p/7 -> a")
		if x := r.Stats(); x.Writes.Refused != 3 || x.Writes.Unknown != 0 {
			t.Errorf("%+v, want three refusals", x.Writes)
		}
		if calls := len(s.seen()) + s.count("delete"); calls > 3*2*9+40 {
			t.Errorf("%d calls for 600 writes with 3 refused ones", calls)
		}
		if n := log.count("WARN write refused"); n != 1 {
			t.Errorf("%d lines for one cause, want 1", n)
		}
		if x := r.Stats().Batches; x.Late != 0 || x.Before > 0 {
			t.Errorf("%+v, and a refusal says nothing about the time", x)
		}
	})
}

// TestBatchEndsWithRun: Run ends while a refused batch is divided. No further call begins.
func TestBatchEndsWithRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &batched{tap: newTap(t, "a; "+leavesOf("a", 4)), most: 4}
		ctx, stop := context.WithCancel(t.Context())
		s.answer = func(context.Context, []ownergraph.Write, func() ([]error, error)) ([]error, error) {
			stop()
			return nil, ownergraph.ErrRefused
		}
		c, err := ownergraph.New(s, ownergraph.Config{})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() { done <- c.Run(ctx) }()
		if err := c.Synced(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.delete(t, "a", ownergraph.Background)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := len(s.seen()); n != 1 || s.count("delete") != 0 {
			t.Errorf("batches %s and %d single deletes, want one batch", strings.Join(s.seen(), "; "), s.count("delete"))
		}
	})
}
