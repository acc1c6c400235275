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
	"github.com/ownergraph/ownergraph/finalizer"
)

func TestCollectorCascades(t *testing.T) {
	const tree = "rs/a; pod/b -> rs/a!; pod/c -> rs/a!; vol/d -> pod/b!; vol/e -> pod/b!; vol/f -> pod/c, rs/x; rs/x; rs/y"
	for _, c := range []struct {
		name   string
		p      ownergraph.Propagation
		want   string
		reason string
	}{
		{"background", ownergraph.Background, "rs/x; rs/y; vol/f -> rs/x", "all that a alone owned is gone; f keeps its other owner"},
		{"foreground", ownergraph.Foreground, "rs/x; rs/y; vol/f -> rs/x", "the same end, from the leaves on"},
		{"orphan", ownergraph.Orphan, "pod/b; pod/c; rs/x; rs/y; vol/d -> pod/b!; vol/e -> pod/b!; vol/f -> pod/c, rs/x", "the dependents stay, without the reference"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, tree)
				r := collect(t, s, ownergraph.Config{})
				if held := r.idle(); len(held) > 0 {
					t.Errorf("held at start: %s", lines(held))
				}
				before := s.shape()
				if n := s.count("patch") + s.count("delete"); n > 0 {
					t.Errorf("%d writes before there was anything to do: %s", n, before)
				}
				s.delete(t, "rs/a", c.p)
				if held := r.idle(); len(held) > 0 {
					t.Errorf("held: %s: %s", lines(held), c.reason)
				}
				s.holds(t, c.want)
				if err := r.stop(); err != nil {
					t.Errorf("Run: %v", err)
				}
			})
		})
	}
}

// TestCollectorStartsInTheMiddle begins with deletions that are under way and
// owners that have long been gone.
func TestCollectorStartsInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a~[foreground]; b -> a!; c -> gone; d -> c; e~[orphan]; f -> e; g -> gone, h; h")
		r := collect(t, s, ownergraph.Config{})
		if held := lines(r.idle()); held != `c: owner's kind not served (gone)` {
			t.Errorf("held: %s", held)
		}
		s.holds(t, "c -> gone; d -> c; f; g -> gone, h; h")
	})
}

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
		r := collect(t, s, ownergraph.Config{Workers: 5})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(3500 * time.Millisecond)
		if err := r.stop(); err != nil {
			t.Fatalf("Run: %v", err)
		}
		if st := r.Stats(); under != 0 || most != 5 || st.UnknownOutcomes != 5 {
			t.Errorf("%d deletes under way, at most %d, stats %+v; want 0, 5, and 5 unknown outcomes reported", under, most, st)
		}
		if n := len(s.Objects()); n != 100-15 {
			t.Errorf("%d objects are left, want 85: three rounds of five deletes", n)
		}
		pass(time.Hour)
		if n := len(s.Objects()); n != 85 {
			t.Errorf("%d objects are left an hour after the end, want 85", n)
		}
		s.call = nil
		second := collect(t, s, ownergraph.Config{})
		second.idle()
		s.holds(t, "")
	})
}

func TestCollectorRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := collect(t, newTap(t, "a"), ownergraph.Config{})
		r.idle()
		if err := r.Run(t.Context()); err != ownergraph.ErrRunning {
			t.Errorf("second Run: %v, want ErrRunning", err)
		}
		if err := r.stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
		if err := r.Run(t.Context()); err != ownergraph.ErrClosed {
			t.Errorf("Run after the end: %v, want ErrClosed", err)
		}
		if _, err := r.WaitIdle(t.Context()); err != ownergraph.ErrClosed {
			t.Errorf("WaitIdle after the end: %v, want ErrClosed", err)
		}
		if r.Stats().Objects != 1 || len(r.Kinds()) != 1 || len(r.Held(-1)) != 0 || len(r.Running()) != 0 {
			t.Error("figures are gone after the end")
		}
	})
}

// TestCollectorIdleIsQuiet lets a day pass over an idle collector.
func TestCollectorIdleIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c~*; d -> c")
		r := collect(t, s, ownergraph.Config{AuditEvery: time.Hour})
		r.idle()
		before, stats := s.count(""), r.Stats()
		pass(24*time.Hour + time.Minute)
		after := r.Stats()
		if n := s.count(""); n != before {
			t.Errorf("an idle collector made %d requests in a day", n-before)
		}
		if n := after.Audits - stats.Audits; n != 24 || after.AuditRepairs != 0 {
			t.Errorf("%d audits and %d repairs in a day, want 24 and 0", n, after.AuditRepairs)
		}
	})
}

func TestCollectorSlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, manyLeaves(40)+"; b; c -> b!")
		under := 0
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "delete" {
				s.mu.Lock()
				under++
				s.mu.Unlock()
				pass(10 * time.Second)
				s.mu.Lock()
				under--
				s.mu.Unlock()
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{Workers: 10})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		began := time.Now()
		pass(time.Second)
		synctest.Wait()
		if under != 10 {
			t.Errorf("%d deletes are under way, want 10", under)
		}
		r.idle()
		if d := time.Since(began); d != 40*time.Second {
			t.Errorf("40 deletes of 10 s, 10 at once, took %v", d)
		}
		s.holds(t, "b; c -> b!")
	})
}

// TestCollectorHangingStore has writes whose answers never come: some are
// carried out, some are not.
func TestCollectorHangingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> a; d -> b; e -> c")
		hangs := map[ownergraph.Kind]int{"b": 1, "c": 2, "d": 1, "e": 1}
		s.call = func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
			s.mu.Lock()
			hang := verb == "delete" && hangs[key.Kind] > 0
			hangs[key.Kind]--
			s.mu.Unlock()
			if hang && (key.Kind == "b" || key.Kind == "e") {
				_ = do()
			}
			if hang {
				<-ctx.Done()
				return ctx.Err()
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{CallTimeout: 5 * time.Second})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		if held := r.idle(); len(held) > 0 {
			t.Errorf("held: %s", lines(held))
		}
		s.holds(t, "")
		if st := r.Stats(); st.UnknownOutcomes == 0 {
			t.Errorf("no unknown outcome: %+v", st)
		}
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
		s.holds(t, "b -> a; e~[x]")
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

// manyLeaves returns an owner a and n dependents of kind leaf.
func manyLeaves(n int) string {
	var b strings.Builder
	b.WriteString("a")
	for i := range n {
		fmt.Fprintf(&b, "; leaf/%d -> a", i)
	}
	return b.String()
}
