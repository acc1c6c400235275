package ownergraph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
)

// TestCollectorPanics: each method of a store panics, or ends its goroutine, once. That costs a
// try.
func TestCollectorPanics(t *testing.T) {
	for _, c := range []struct {
		name, verb string
		panic      func()
		log        string
		reason     string
	}{
		{"get", "get", func() { panic("nil map") }, `call="read a@gone" panic="nil map"`, "the owner is read again"},
		{"delete", "delete", func() { panic("nil map") }, `call="delete b" panic="nil map"`, "the outcome is unknown"},
		{"patch", "patch", func() { panic("nil map") }, `call="patch c" panic="nil map"`, "the outcome is unknown"},
		{"fence", "fence", func() { panic("nil map") }, `call=fence panic="nil map"`, "another fence is begun"},
		{"watch", "watch", func() { panic("nil map") }, `call=watch panic="nil map"`, "the watch begins anew"},
		{"goroutine", "delete", runtime.Goexit, "", "a call without an answer is one of unknown outcome"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a@gone; c~[foreground]; d -> c!; e -> a@gone; f -> a@gone")
				done := false
				s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
					s.mu.Lock()
					first := verb == c.verb && !done && (verb != "delete" || key.Kind == "b")
					done = done || first
					s.mu.Unlock()
					if first {
						c.panic()
					}
					return do()
				}
				var log bytes.Buffer
				r := collect(t, s, ownergraph.Config{Workers: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				if held := lines(r.idle()); held != "" {
					t.Errorf("held: %s", held)
				}
				s.contains(t, "a")
				if err := r.stop(); err != nil {
					t.Errorf("Run: %v", err)
				}
				writes := c.verb == "delete" || c.verb == "patch"
				if n := r.Stats().Writes.Unknown; writes != (n == 1) {
					t.Errorf("%d writes of unknown outcome", n)
				}
				if !done || !strings.Contains(log.String(), c.log) {
					t.Errorf("log %s, want %s: %s", log.String(), c.log, c.reason)
				}
			})
		})
	}
}

// handlers returns the Config of handlers by the name of their finalizer.
func handlers(m map[string]finalizer.Handler) ownergraph.Config {
	return ownergraph.Config{Handlers: m, HandlerTimeout: time.Minute}
}

func TestCollectorHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a[x]; b[x] -> a!; c[y] -> a!; d*")
		var ran []string
		cfg := handlers(map[string]finalizer.Handler{"x": func(_ context.Context, o ownergraph.Object) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			ran = append(ran, o.Name)
			o.Finalizers[0] = "changed" // its own copy
			return nil
		}})
		r := collect(t, s, cfg)
		r.idle()
		s.delete(t, "a", ownergraph.Foreground)
		want := "a: dependents hold it (c)\nc: finalizers hold it (y)"
		if held := lines(r.idle()); held != want {
			t.Errorf("held:\n%s\nwant:\n%s", held, want)
		}
		s.finish(t, "c", "y")
		r.idle()
		s.contains(t, "d*")
		if fmt.Sprint(ran) != "[a b]" && fmt.Sprint(ran) != "[b a]" {
			t.Errorf("handlers ran for %v, want a and b once each", ran)
		}
	})
}

// TestCollectorHandlerHangs has handlers that do not end before their time, and
// ignore it: nothing else waits for them.
func TestCollectorHandlerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, manyLeaves(50)+"; b/1~[x]; b/2~[x, z]; b/3~[x]; c~[y]; d -> c")
		tries := 0
		r := collect(t, s, handlers(map[string]finalizer.Handler{
			"x": func(ctx context.Context, _ ownergraph.Object) error {
				s.mu.Lock()
				tries++
				s.mu.Unlock()
				<-ctx.Done()
				return ctx.Err()
			},
			"y": func(context.Context, ownergraph.Object) error { return nil },
		}))
		pass(time.Second)
		s.delete(t, "a", ownergraph.Background)
		pass(time.Second)
		s.finish(t, "b/2", "z") // a new version, which is decided beside the run
		pass(time.Second)
		s.contains(t, "b/1~[x]; b/2~[x]; b/3~[x]")
		if got := len(r.Running()); got != 3 || r.Running()[0].Finalizer != "x" || r.Running()[0].Key != keyOf(t, "b/1") {
			t.Errorf("running: %+v", r.Running())
		}
		pass(time.Minute - 2500*time.Millisecond)
		want := `b/1: a finalizer's handler failed (x: no answer within 1m0s)`
		if held := r.Held(1); lines(held) != want {
			t.Errorf("held: %s\nwant: %s", lines(held), want)
		}
		pass(10 * time.Minute)
		s.mu.Lock()
		n := tries
		s.mu.Unlock()
		if n < 6 || n > 40 {
			t.Errorf("%d tries of three handlers in ten minutes, a minute each", n)
		}
		began := time.Now()
		if err := r.stop(); err != nil || time.Since(began) > 0 {
			t.Errorf("Run: %v after %v: the handlers' contexts end with it", err, time.Since(began))
		}
	})
}

// TestCollectorHandlerFails: a handler fails, then panics, then succeeds.
func TestCollectorHandlerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a[x]; b -> a")
		tries := 0
		cfg := handlers(map[string]finalizer.Handler{"x": func(context.Context, ownergraph.Object) error {
			switch tries++; tries {
			case 1:
				return errors.New("the disk is busy")
			case 2:
				panic("nil map")
			}
			return nil
		}})
		var log bytes.Buffer
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		r := collect(t, s, cfg)
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		for _, want := range []string{
			`a: a finalizer's handler failed (x: the disk is busy)`,
			`a: a finalizer's handler failed (x: handler panicked: nil map)`,
		} {
			if held := lines(r.idle()); held != want {
				t.Errorf("held: %s\nwant: %s", held, want)
			}
			pass(1500 * time.Millisecond)
		}
		pass(time.Second)
		s.contains(t, "")
		_ = r.stop() // it no longer logs
		if line := `msg="handler failed" reason=HandlerFailed finalizer=x key=a err="the disk is busy"`; !strings.Contains(log.String(), line) {
			t.Errorf("logged:\n%s\nwant %s: the finalizer is named once", log.String(), line)
		}
		if st := r.Stats(); st.FailedHandlers != 2 || st.Calls.Of(engine.CallHandle) != 3 {
			t.Errorf("%d failed runs of %d, want 2 of 3", st.FailedHandlers, st.Calls.Of(engine.CallHandle))
		}
	})
}

// TestCollectorsRunOneHandler: two collectors run a handler for one object at the same
// time. One collector does not.
func TestCollectorsRunOneHandler(t *testing.T) {
	for _, c := range []struct {
		collectors, atOnce int
		reason             string
	}{
		{1, 1, "a collector knows its own runs"},
		{2, 2, "and none of another collector's"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a[x]")
			var mu sync.Mutex
			under, most := 0, 0
			add := func(n int) {
				mu.Lock()
				defer mu.Unlock()
				under += n
				most = max(most, under)
			}
			cfg := handlers(map[string]finalizer.Handler{"x": func(context.Context, ownergraph.Object) error {
				add(1)
				defer add(-1)
				pass(time.Second)
				return nil
			}})
			var all []*rig
			for range c.collectors {
				all = append(all, collect(t, s, cfg))
			}
			for _, r := range all {
				r.idle()
			}
			s.delete(t, "a", ownergraph.Background)
			for _, r := range all {
				r.idle()
			}
			if most != c.atOnce {
				t.Errorf("%d collectors: %d runs at once, want %d: %s", c.collectors, most, c.atOnce, c.reason)
			}
			s.contains(t, "")
		})
	}
}

// fatal is an error whose text ends the goroutine once, as FailNow of a test does.
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
			s.contains(t, "")
		})
	}
}
