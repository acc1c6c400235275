package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// TestLostWriteIsTheLast: a server goes down during a write, and nothing shows that to the watch.
// Its standby may lack the deletion of the owner. No write follows before an observation that
// began after the loss (R5). Writes that a worker could begin at once are judged anew, too.
func TestLostWriteIsTheLast(t *testing.T) {
	for _, c := range []struct {
		name       string
		most, late int // batches that a lock breaks off before
		reason     string
	}{
		{"write", 1, 0, "other writes are prefetched"},
		{"batch", 64, 0, "other batches are prefetched"},
		{"part", 64, 1, "the other half of the batch is left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newGoingDown(t, c.most, c.late)
				r := collectOn(t, s.batched, s.tap, ownergraph.Config{Workers: 1})
				r.idle()
				s.delete(t, "a", ownergraph.Background)
				pass(10 * time.Minute)
				s.contains(t, "")
				if w := r.Stats().Writes; s.lost == 0 || w.Unknown != uint64(s.lost) || w.Refused+w.Conflicts > 0 {
					t.Errorf("%+v after a lost call for %d writes: %s", w, s.lost, c.reason)
				}
			})
		})
	}
}

// goingDown is a store whose server goes down for 10 s in the first batch of leaves that no lock
// breaks off. Reads, fences and the watch hang meanwhile.
type goingDown struct {
	*batched
	t    *testing.T
	late int
	down atomic.Bool
	up   chan struct{}
	lost int // the writes of the lost call
}

func newGoingDown(t *testing.T, most, late int) *goingDown {
	s := &goingDown{batched: &batched{tap: newTap(t, "a; "+leavesOf("a", 60)), most: most}, t: t, late: late, up: make(chan struct{})}
	s.batched.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error { s.observes(); return sink(ev) })
	}
	s.batched.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
		switch {
		case verb == "delete" && (s.down.Load() || most == 1):
			return s.writes(1, do)
		case verb == "get", verb == "fence", verb == "list":
			s.observes()
		}
		return do()
	}
	s.batched.answer = func(_ context.Context, w []ownergraph.Write, do func() ([]error, error)) (list []error, err error) {
		err = s.writes(len(w), func() error { list, err = do(); return err })
		return list, err
	}
	return s
}

func (s *goingDown) observes() {
	if s.down.Load() {
		<-s.up
	}
}

// writes makes a call for n writes.
func (s *goingDown) writes(n int, do func() error) error {
	pass(time.Second)
	switch {
	case s.down.Load():
		s.t.Errorf("a call for %d writes before an observation", n)
	case s.late > 0:
		s.late--
		return fmt.Errorf("batch: %w", undoneLate{})
	case s.lost == 0:
		s.lost = n
		s.down.Store(true)
		time.AfterFunc(10*time.Second, func() { s.down.Store(false); close(s.up) })
		return errors.New("connection lost")
	}
	return do()
}

// TestBatchRewind: the store goes back to a backup in which the owner lives, the watch shows that,
// and the store then refuses the batch. No part of the batch goes out, since its writes were
// judged before the rewind.
func TestBatchRewind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &batched{tap: newTap(t, "a; "+leavesOf("a", 40)), most: 64}
		before := s.Inside(inside.Key{}).Snapshot()
		s.answer = func(_ context.Context, w []ownergraph.Write, do func() ([]error, error)) ([]error, error) {
			if n := len(s.seen()); n > 1 {
				t.Errorf("batch of %d after the rewind", len(w))
				return do()
			}
			if err := s.Inside(inside.Key{}).Restore(before); err != nil {
				t.Error(err)
			}
			pass(10 * time.Second)
			return nil, ownergraph.ErrRefused
		}
		deletes := 0 // alone, before the batch
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" {
				if deletes++; len(s.seen()) > 0 {
					t.Errorf("delete %s after the rewind", key)
				}
			}
			return do()
		}
		r := collectOn(t, s, s.tap, ownergraph.Config{Workers: 1})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		if held := lines(r.idle()); held != "" || len(s.seen()) == 0 {
			t.Errorf("held %q, batches %q", held, s.seen())
		}
		if x := r.Stats(); x.Rewinds != 1 || x.Writes.Refused+x.Writes.Unknown+x.Writes.Conflicts > 0 {
			t.Errorf("%d rewinds, %+v; want one, and no failed write", x.Rewinds, x.Writes)
		}
		if n := len(s.Objects()); n != 41 {
			t.Errorf("%d objects after the restore, want 41", n)
		}
	})
}

// TestBatchPause: users lock a third of the rows, and the store breaks the calls off that wait for
// them. A pause ends the division of a batch after the call under way, and the rest of the batch
// waits for the end of the pause.
func TestBatchPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &batched{tap: newTap(t, "a; "+leavesOf("a", 60)), most: 64}
		var locked []string
		for i := range 20 {
			locked = append(locked, fmt.Sprint(3*i))
		}
		replace := s.failing(func(context.Context) error {
			pass(10 * time.Second)
			return fmt.Errorf("batch: %w", undoneLate{})
		}, locked...)
		r := collectOn(t, s, s.tap, ownergraph.Config{Workers: 1})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(time.Second)
		for range 20 { // pauses begin in calls of all sizes
			before := len(s.seen()) + s.count("delete")
			began := time.Now()
			r.pauses(everything)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("the pause took %v, want at most one call", took)
			}
			if n := len(s.seen()) + s.count("delete") - before; n > 0 {
				t.Errorf("%d calls began after the pause", n)
			}
			r.resumes(everything)
			pass(21 * time.Second)
		}
		replace()
		pass(10 * time.Minute)
		s.contains(t, "")
		if w := r.Stats().Writes; w.Unknown+w.Refused+w.Conflicts > 0 {
			t.Errorf("%+v: a write that is given back is no failure", w)
		}
	})
}

// TestBatchLocked: users lock a third of the rows for an hour. The other rows go, the locked ones
// are held, and the store has few calls. One worker has to find each locked row by a call.
func TestBatchLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 300
		s := &batched{tap: newTap(t, "a; "+leavesOf("a", n)), most: 64}
		var locked, left []string
		for i := 0; i < n; i += 3 {
			locked = append(locked, fmt.Sprint(i))
			left = append(left, fmt.Sprintf("p/%d -> a", i))
		}
		slices.Sort(left)
		replace := s.failing(func(context.Context) error {
			pass(time.Second)
			return fmt.Errorf("batch: %w", undoneLate{})
		}, locked...)
		r := collectOn(t, s, s.tap, ownergraph.Config{Workers: 1})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(time.Hour)
		s.contains(t, strings.Join(left, "; "))
		for _, h := range r.Held(n) {
			if h.Reason != policy.WriteFails {
				t.Errorf("held %s, want the locked rows", h)
			}
		}
		if calls := len(s.seen()) + s.count("delete"); calls > 40*n {
			t.Errorf("%d calls in an hour", calls)
		}
		replace()
		pass(time.Hour)
		s.contains(t, "")
	})
}
