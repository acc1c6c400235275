package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
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
				s.holds(t, "")
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
