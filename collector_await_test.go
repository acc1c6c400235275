package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestAwait: Await returns when the object and all objects that are removed with it are
// gone.
func TestAwait(t *testing.T) {
	for _, c := range []struct {
		p      graph.Propagation
		left   string
		reason string
	}{
		{ownergraph.Background, "p/s/x", "three levels"},
		{ownergraph.Foreground, "p/s/x", "behind fences"},
		{ownergraph.Orphan, "p/s/b; p/s/c -> p/s/b!; p/s/x", "the dependents are not removed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "p/s/a; p/s/b -> p/s/a!; p/s/c -> p/s/b!; p/s/x")
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			done := make(chan error, 1)
			go func() { done <- r.Await(t.Context(), keyOf(t, "p/s/a")) }()
			pass(time.Second)
			s.delete(t, "p/s/a", c.p)
			if err := <-done; err != nil {
				t.Errorf("%v: %s", err, c.reason)
			}
			s.contains(t, c.left)
			if err := r.Await(t.Context(), ownergraph.Key{Kind: "p", Scope: "s", Name: "a"}); err != nil {
				t.Errorf("again: %v: %s", err, c.reason)
			}
		})
	}
}

// TestAwaitFence: Await waits for a fence, so it sees an object that was created below the
// root and whose event is late.
func TestAwaitFence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c/x")
		var late atomic.Int64
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			return do(ctx, func(ev ownergraph.Event) error {
				if ev.Of() == "c" && late.Load() > 0 {
					select {
					case <-time.After(time.Duration(late.Load())):
					case <-ctx.Done(): // the bubble ends
						return ctx.Err()
					}
				}
				return sink(ev)
			})
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		r.idle()
		late.Store(int64(time.Minute))
		s.create(t, "c/late -> a")
		before := s.count("fence")
		if err := r.Await(t.Context(), keyOf(t, "a")); err != nil {
			t.Fatal(err)
		}
		s.contains(t, "c/x")
		if s.count("fence") == before {
			t.Error("no fence has passed")
		}
	})
}

// TestAwaitSaysWhy: at the deadline Await names the rest, the cause and the time.
func TestAwaitSaysWhy(t *testing.T) {
	for _, c := range []struct {
		objects string
		do      func(t *testing.T, s *tap)
		want    string
		reason  string
	}{
		{"p/s/a; p/s/b[example.com/x] -> p/s/a!", func(t *testing.T, s *tap) { s.delete(t, "p/s/a", ownergraph.Foreground) },
			"p/s/b (finalizer example.com/x, 3 h), p/s/a (dependents hold it: p/s/b, 3 h)", "the cause comes first"},
		{"p/s/a", func(*testing.T, *tap) {}, "p/s/a (not deleted yet)", "the deletion has not begun"},
		{"p/s/a; p/s/b -> p/s/a", func(t *testing.T, s *tap) {
			s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
				if verb == "delete" {
					return errTest
				}
				return do()
			}
			s.delete(t, "p/s/a", ownergraph.Background)
		}, "p/s/b (writes to it fail: p/s/a; last error: " + errTest.Error() + ", 3 h)", "the store fails"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.objects)
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			key := keyOf(t, "p/s/a")
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour+time.Second)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- r.Await(ctx, key) }()
			synctest.Wait()
			c.do(t, s)
			err := <-done
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "await: still waiting for: "+c.want) {
				t.Errorf("%v, want %s: %s", err, c.want, c.reason)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		var objects []string
		for i := range 12 {
			objects = append(objects, fmt.Sprintf("p/s/b%d* -> p/s/a!", i))
		}
		s := newTap(t, "p/s/a; "+strings.Join(objects, "; "))
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "p/s/a", ownergraph.Foreground)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := r.Await(ctx, keyOf(t, "p/s/a"))
		if err == nil || strings.Count(err.Error(), "(finalizer foreign") != 8 || !strings.Contains(err.Error(), ", 5 more: ") {
			t.Errorf("%v, want 8 objects and the number of the others", err)
		}
	})
}

// TestAwaitErrors: wrong keys, unknown objects and the end of the collector are errors.
func TestAwaitErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a*; p/s/b")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		for _, c := range []struct {
			keys   []ownergraph.Key
			is     error
			reason string
		}{
			{nil, ownergraph.ErrInvalid, "no key"},
			{[]ownergraph.Key{{Kind: "p"}}, ownergraph.ErrInvalid, "no name"},
			{[]ownergraph.Key{keyOf(t, "p/s/a"), keyOf(t, "p/s/x")}, ownergraph.ErrNotFound, "the second is unknown"},
		} {
			if err := r.Await(t.Context(), c.keys...); !errors.Is(err, c.is) {
				t.Errorf("%v, want %v: %s", err, c.is, c.reason)
			}
		}
		done := make(chan error, 1)
		go func() { done <- r.Await(t.Context(), keyOf(t, "p/s/a"), keyOf(t, "p/s/b")) }()
		synctest.Wait()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("%v, want %v", err, ownergraph.ErrClosed)
		}
	})
}
