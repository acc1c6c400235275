package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
)

// batched is a tapped store that takes batches. It notes them.
type batched struct {
	*tap
	most int
	// answer, if set, stands in for a batch. do makes it.
	answer func(ctx context.Context, writes []ownergraph.Write, do func() ([]error, error)) ([]error, error)

	mu      sync.Mutex
	batches []string // the places of each batch
}

func (s *batched) MaxBatch(ownergraph.Store) int { return s.most }

func (s *batched) Batch(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
	var names []string
	for _, w := range writes {
		names = append(names, w.Key.PlaceString())
	}
	s.mu.Lock()
	s.batches = append(s.batches, strings.Join(names, " "))
	s.mu.Unlock()
	do := func() ([]error, error) { return s.Store.Batch(ctx, writes) }
	if s.answer != nil {
		return s.answer(ctx, writes, do)
	}
	return do()
}

func (s *batched) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.batches)
}

// TestCollectorWriteBatches: the writes that become ready while calls are under way go out
// together, sorted, as soon as there is room.
func TestCollectorWriteBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &batched{tap: newTap(t, "a; "+leavesOf("a", 10)), most: 4}
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "delete" {
				pass(time.Second)
			}
			return do()
		}
		s.answer = func(_ context.Context, _ []ownergraph.Write, do func() ([]error, error)) ([]error, error) {
			pass(time.Second)
			return do()
		}
		r := collectOn(t, s, s.tap, ownergraph.Config{Workers: 1})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		r.idle()
		s.contains(t, "")
		total := s.count("delete")
		for _, b := range s.seen() {
			names := strings.Fields(b)
			total += len(names)
			if len(names) > 4 || !slices.IsSorted(names) {
				t.Errorf("batch %s, want at most 4 writes, sorted", b)
			}
		}
		if got := r.Stats().Calls.Of(engine.CallDelete); total != 10 || got != 10 {
			t.Errorf("batches %q and %d single deletes, %d counted; want 10 deletes", s.seen(), s.count("delete"), got)
		}
		if n := len(s.seen()) + s.count("delete"); n != 3 {
			t.Errorf("%d calls, want 3 for 10 deletes of one worker", n)
		}
	})
}

// leavesOf returns n objects with an owner.
func leavesOf(owner string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("p/%d -> %s", i, owner))
	}
	return strings.Join(list, "; ")
}

// TestBatchWaitsForNothing: a lone write is no batch, and goes out at once.
func TestBatchWaitsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &batched{tap: newTap(t, "a; b -> a"), most: 100}
		r := collectOn(t, s, s.tap, ownergraph.Config{})
		r.idle()
		began := time.Now()
		s.delete(t, "a", ownergraph.Background)
		r.idle()
		if s.contains(t, ""); len(s.seen()) > 0 || s.count("delete") != 1 || time.Since(began) > 0 {
			t.Errorf("batches %q and %d deletes after %v, want one delete at once", s.seen(), s.count("delete"), time.Since(began))
		}
	})
}

var errLater = laterError{}

type laterError struct{}

func (laterError) Error() string             { return "deadlock" }
func (laterError) RetryAfter() time.Duration { return time.Second }

// TestBatchFails: a batch that fails as a whole says nothing about its objects, except that
// the store may name the time of the next try.
func TestBatchFails(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  func(ctx context.Context, do func() ([]error, error)) ([]error, error)
		unknown uint64
		reason  string
	}{
		{"lost", func(_ context.Context, do func() ([]error, error)) ([]error, error) {
			_, _ = do()
			return nil, errors.New("connection lost")
		}, 3, "the outcome of each write is unknown"},
		{"absent", func(context.Context, func() ([]error, error)) ([]error, error) {
			return nil, fmt.Errorf("batch: %w", ownergraph.ErrNotFound)
		}, 3, "the error of a batch proves no absence"},
		{"conflict", func(context.Context, func() ([]error, error)) ([]error, error) {
			return nil, ownergraph.ErrConflict
		}, 3, "the error of a batch is no answer about a write"},
		{"later", func(context.Context, func() ([]error, error)) ([]error, error) { return nil, errLater },
			0, "no write has begun"},
		{"short", func(_ context.Context, do func() ([]error, error)) ([]error, error) {
			results, err := do()
			return results[1:], err
		}, 3, "the results cannot be told apart"},
		{"long", func(_ context.Context, do func() ([]error, error)) ([]error, error) {
			results, err := do()
			return append(results, nil), err
		}, 3, "the results cannot be told apart"},
		{"timeout", func(ctx context.Context, _ func() ([]error, error)) ([]error, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 3, "the outcome of each write is unknown"},
		{"panic", func(context.Context, func() ([]error, error)) ([]error, error) { panic("nil map") },
			3, "the outcome of each write is unknown"},
		{"goroutine", func(context.Context, func() ([]error, error)) ([]error, error) {
			runtime.Goexit()
			return nil, nil
		}, 3, "the outcome of each write is unknown"},
		{"refused", func(context.Context, func() ([]error, error)) ([]error, error) {
			return nil, fmt.Errorf("batch: a trigger: %w", ownergraph.ErrRefused)
		}, 0, "the halves are tried again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &batched{tap: newTap(t, "a; "+leavesOf("a", 3)), most: 10}
				failed := false
				s.answer = func(ctx context.Context, _ []ownergraph.Write, do func() ([]error, error)) ([]error, error) {
					if failed {
						return do()
					}
					failed = true
					return c.answer(ctx, do)
				}
				r := collectOn(t, s, s.tap, ownergraph.Config{})
				r.idle()
				s.delete(t, "a", ownergraph.Background)
				if held := lines(r.idle()); held != "" {
					t.Errorf("held: %s: %s", held, c.reason)
				}
				s.contains(t, "")
				if got := r.Stats().Writes.Unknown; !failed || got != c.unknown {
					t.Errorf("%d writes of unknown outcome, want %d: %s", got, c.unknown, c.reason)
				}
				if c.name == "refused" && s.count("delete") != 1 {
					t.Errorf("%d writes were tried alone, want 1 of the halves: %s", s.count("delete"), c.reason)
				}
			})
		})
	}
}

// TestBatchResults: each write of a batch has a result of its own.
func TestBatchResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &batched{tap: newTap(t, "a; "+leavesOf("a", 4)), most: 10}
		refusals := 0
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" && key.Name == "2" {
				refusals++
				return ownergraph.ErrRefused
			}
			return do()
		}
		first := true
		s.answer = func(ctx context.Context, writes []ownergraph.Write, do func() ([]error, error)) ([]error, error) {
			if !first {
				return do()
			}
			first = false
			if _, err := s.Store.Label(ctx, keyOf(t, "p/1"), ownergraph.Precondition{}, map[string]string{"new": "version"}); err != nil {
				t.Error(err)
			}
			results, err := s.Store.Batch(ctx, slices.Concat(writes[:2], writes[3:]))
			return slices.Insert(results, 2, ownergraph.ErrRefused), err
		}
		r := collectOn(t, s, s.tap, ownergraph.Config{})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		if got, want := lines(r.idle()), "p/2: the store refused the write (a); last error: refused"; got != want {
			t.Errorf("held %q, want %q", got, want)
		}
		s.contains(t, "p/2 -> a")
		if w := r.Stats().Writes; w.Conflicts != 1 || w.Refused != 1 || w.Unknown != 0 || refusals != 1 || s.count("delete") != 2 {
			t.Errorf("%+v, %d refusals, %d deletes alone; want one conflict, one refusal, and both writes tried alone", w, refusals, s.count("delete"))
		}
	})
}
