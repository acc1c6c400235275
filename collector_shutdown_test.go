package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
)

func TestCollectorShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, manyLeaves(100))
		under, most := 0, 0
		s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb != "delete" {
				return do()
			}
			s.mu.Lock()
			under++
			most = max(most, under)
			s.mu.Unlock()
			defer func() { s.mu.Lock(); under--; s.mu.Unlock() }()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
				return do()
			}
		}
		r := collect(t, s, ownergraph.Config{Workers: 4})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(3500 * time.Millisecond)
		if err := r.stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		if st := r.Stats(); under != 0 || most != 4 || st.Writes.Unknown != 4 {
			t.Errorf("%d deletes under way, at most %d, stats %+v; want 0, 4, and 4 unknown outcomes reported", under, most, st)
		}
		if n := len(s.Objects()); n != 100-12 {
			t.Errorf("%d objects are left, want 88: three rounds of four deletes", n)
		}
		pass(time.Hour)
		if n := len(s.Objects()); n != 88 {
			t.Errorf("%d objects are left an hour after the end, want 88", n)
		}
		s.call = nil
		second := collect(t, s, ownergraph.Config{})
		second.idle()
		s.contains(t, "")
	})
}

// TestCollectorStuck has a store that ignores its context.
func TestCollectorStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> a; e~[x]")
		release := make(chan struct{})
		defer close(release)
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" && key.Kind == "b" {
				<-release
			}
			return do()
		}
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			err := do(ctx, sink)
			<-release
			return err
		}
		hang := func(context.Context, ownergraph.Object) error { <-release; return nil }
		r := collect(t, s, ownergraph.Config{
			CallTimeout: 20 * time.Second, HandlerTimeout: 30 * time.Second, Handlers: map[string]finalizer.Handler{"x": hang},
		})
		synctest.Wait()
		s.delete(t, "a", ownergraph.Background)
		pass(5 * time.Second)
		s.contains(t, "b -> a; e~[x]")
		began := time.Now()
		err := r.stop()
		if !errors.Is(err, ownergraph.ErrStuck) || fmt.Sprint(err) != `stop collector: delete b, handle "x" of e, watch: does not return` {
			t.Errorf("Run: %v", err)
		}
		if d := time.Since(began); d != 10*time.Second {
			t.Errorf("Run waited for %v, want ShutdownTimeout", d)
		}
	})
}

// TestCollectorShutdownTimeout has a handler that ignores its context. Run returns
// after ShutdownTimeout at most, and drops the later result of the handler.
func TestCollectorShutdownTimeout(t *testing.T) {
	for _, c := range []struct {
		timeout, takes, want time.Duration
		stuck                bool
		reason               string
	}{
		{0, 8 * time.Second, 8 * time.Second, false, "by default a handler has 10 s to return"},
		{0, time.Minute, 10 * time.Second, true, "one that takes longer is left behind"},
		{2 * time.Second, 8 * time.Second, 2 * time.Second, true, "a setting says how long"},
		{20 * time.Second, 8 * time.Second, 8 * time.Second, false, "no longer than it takes"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log := newTap(t, "a~[x]"), &journal{}
				cfg := handlers(map[string]finalizer.Handler{"x": func(context.Context, ownergraph.Object) error {
					pass(c.takes)
					return errors.New("too late")
				}})
				cfg.ShutdownTimeout, cfg.Logger = c.timeout, log.logger()
				r := collect(t, s, cfg)
				synctest.Wait()
				began := time.Now()
				err := r.stop()
				if d := time.Since(began); d != c.want {
					t.Errorf("Run returned after %v, want %v", d, c.want)
				}
				if errors.Is(err, ownergraph.ErrStuck) != c.stuck || c.stuck && fmt.Sprint(err) != `stop collector: handle "x" of a: does not return` {
					t.Errorf("Run: %v", err)
				}
				pass(c.takes)
				if st := r.Stats(); st.FailedHandlers != 0 {
					t.Errorf("%d failed runs: the result of one that is left behind is dropped", st.FailedHandlers)
				}
				if warned := log.lines("level=WARN"); len(warned) > 0 {
					t.Errorf("a shutdown is no warning: %q", warned)
				}
			})
		})
	}
}

// TestCollectorShutdownIsNoWarning: every call is under way as Run ends, and each ends with its
// context.
func TestCollectorShutdownIsNoWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newTap(t, "a~[x]; b~[foreground]; c -> c/gone"), &journal{}
		s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "watch" {
				return do()
			}
			<-ctx.Done()
			return ctx.Err()
		}
		cfg := handlers(map[string]finalizer.Handler{"x": func(ctx context.Context, _ ownergraph.Object) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		cfg.Logger = log.logger()
		r := collect(t, s, cfg)
		synctest.Wait()
		if st := r.Stats(); st.InFlight != 3 {
			t.Fatalf("%d calls under way, want a handler, a fence and a read", st.InFlight)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if warned := log.lines("level=WARN"); len(warned) > 0 {
			t.Errorf("a shutdown is no warning: %q", warned)
		}
	})
}

// TestStuckNames: a call that no worker has begun is not stuck.
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

// TestStuckNamesAfterPanic: a call that was decided when the engine panicked is not stuck.
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
		c, err := ownergraph.New(s, ownergraph.Config{OnDecision: func(d engine.DecisionEvent) {
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

// TestCollectorPrefetchAtTheEnd: no worker begins a prefetched call after the end of Run.
func TestCollectorPrefetchAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := gated(t, map[string]gate{"delete": newGate()})
		r := collect(t, s, ownergraph.Config{Workers: 3})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		synctest.Wait()
		if err := r.stop(); err != nil || s.count("delete") != 3 {
			t.Errorf("run: %v after %d deletes, want nil after 3", err, s.count("delete"))
		}
		if got := r.Stats(); got.InFlight != 0 || got.Calls.Of(engine.CallDelete) != 3 {
			t.Errorf("after the end %d calls under way, %d deletes counted, want 0 and 3", got.InFlight, got.Calls.Of(engine.CallDelete))
		}
	})
}
