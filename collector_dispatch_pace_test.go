package ownergraph_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
)

// counted is a store whose deletes take some time. It counts those under way.
type counted struct {
	*tap
	under, most int // under the lock of the tap
}

func newCounted(t *testing.T, objects string, takes func(n int) time.Duration) *counted {
	s := &counted{tap: newTap(t, objects)}
	n := 0
	s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
		if verb != "delete" {
			return do()
		}
		s.mu.Lock()
		n++
		wait := takes(n)
		s.under++
		s.most = max(s.most, s.under)
		s.mu.Unlock()
		defer func() { s.mu.Lock(); s.under--; s.mu.Unlock() }()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
			return do()
		}
	}
	return s
}

// TestCollectorAdapts: the number of calls at once follows the store, up to the bound. After
// the work a few goroutines stay.
func TestCollectorAdapts(t *testing.T) {
	for _, c := range []struct {
		reason      string
		workers     int
		takes       time.Duration
		least, most int // calls at once
		within      time.Duration
	}{
		{"a remote store gets up to 256 at once", 0, time.Millisecond, 128, 256, 60 * time.Millisecond},
		{"the bound applies", 10, time.Millisecond, 10, 10, 500 * time.Millisecond},
		{"a store that answers at once gets a few", 0, 0, 1, 8, time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newCounted(t, manyLeaves(4000), func(int) time.Duration { return c.takes })
			r := collect(t, s.tap, ownergraph.Config{Workers: c.workers})
			r.idle()
			began, goroutines := time.Now(), runtime.NumGoroutine()
			s.delete(t, "a", ownergraph.Background)
			r.idle()
			if s.most < c.least || s.most > c.most {
				t.Errorf("%s: %d deletes at once, want %d to %d", c.reason, s.most, c.least, c.most)
			}
			if d := time.Since(began); d > c.within {
				t.Errorf("%s: 4,000 deletes took %v, want %v at most", c.reason, d, c.within)
			}
			synctest.Wait()
			if n := runtime.NumGoroutine() - goroutines; n > 10 {
				t.Errorf("%s: %d goroutines stay, want a few", c.reason, n)
			}
		})
	}
}

// TestCollectorUnstalls: the first calls of all hang, and the other calls do not wait for
// their timeout.
func TestCollectorUnstalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCounted(t, manyLeaves(100), func(n int) time.Duration {
			if n <= 4 {
				return time.Hour
			}
			return time.Millisecond
		})
		r := collect(t, s.tap, ownergraph.Config{})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(1200 * time.Millisecond)
		if n := len(s.Objects()); n != 4 {
			t.Errorf("%d objects are left after a second, want the four whose deletes hang", n)
		}
	})
}
