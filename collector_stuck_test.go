package ownergraph_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
)

// TestStuckNames: what was decided and not begun is not stuck.
func TestStuckNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, eight)
		release := make(chan struct{})
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "delete" {
				<-release
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{Workers: 1})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		synctest.Wait()
		err := r.stop()
		close(release)
		if err == nil || strings.Count(err.Error(), "delete p/") != 1 {
			t.Errorf("%v; want the one delete that hangs", err)
		}
	})
}

// TestStuckNamesAfterPanic: nor is what was decided when the engine panicked.
func TestStuckNamesAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> x/gone; x/1")
		release := make(chan struct{})
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "get" {
				<-release
			}
			return do()
		}
		c, err := ownergraph.New(s, ownergraph.Config{OnDecision: func(d ownergraph.DecisionEvent) {
			if d.Action.Writes() {
				panic("made by the test")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		result := make(chan error, 1)
		go func() { result <- c.Run(t.Context()) }()
		synctest.Wait()
		s.delete(t, "a", ownergraph.Background)
		err = <-result
		close(release)
		if err == nil || strings.Contains(err.Error(), "delete b") {
			t.Errorf("%v: the delete of b was never made", err)
		}
	})
}

// fatal is an error whose text ends the goroutine, once, as that of a test would that
// calls FailNow.
type fatal struct{ once *atomic.Bool }

func (f fatal) Error() string {
	if f.once.CompareAndSwap(false, true) {
		runtime.Goexit()
	}
	return "fatal"
}

// TestErrorEndsGoroutine: a worker that its store's error has ended is given nothing
// more to do.
func TestErrorEndsGoroutine(t *testing.T) {
	for _, workers := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, eight)
			var once, gone atomic.Bool
			s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
				if verb == "delete" && once.CompareAndSwap(false, true) {
					return fatal{&gone}
				}
				if verb == "delete" {
					pass(time.Millisecond)
				}
				return do()
			}
			r := collect(t, s, ownergraph.Config{Workers: workers})
			r.idle()
			s.delete(t, "a", ownergraph.Background)
			r.idle()
			s.holds(t, "")
		})
	}
}
