package ownergraph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// forgetful returns a watch that forgets n reports that a kind has passed a fence, of
// fences that begin once it is armed.
func forgetful(kind ownergraph.Kind, n int) (watch func(context.Context, sinkFunc, watchFunc) error, arm func()) {
	armed := make(chan struct{})
	return func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			select {
			case <-armed:
				if ev.Type == graph.FencePassed && ev.Kind == kind && n > 0 {
					n--
					return nil
				}
			default:
			}
			return sink(ev)
		})
	}, func() { close(armed) }
}

// TestFenceLost has a store forget that a kind has passed a fence: the wait is logged,
// and Held, Stats and WaitIdle name the kind.
func TestFenceLost(t *testing.T) {
	for _, c := range []struct {
		kind, named ownergraph.Kind
		reason      string
	}{
		{"b", "b", "a kind"},
		{"", "the set of kinds", "the set of kinds, whose name is empty"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log := newTap(t, "a; b -> a!; c"), &journal{}
				watch, arm := forgetful(c.kind, 2)
				s.watch = watch
				r := collect(t, s, ownergraph.Config{Logger: log.logger()})
				r.idle()
				arm()
				s.delete(t, "a", ownergraph.Foreground)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				_, err := r.WaitIdle(ctx)
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "fence not passed by "+string(c.named)+" for 10s") {
					t.Errorf("WaitIdle: %v", err)
				}
				if st := r.Stats(); st.Fence.Open != 1 || !slices.Equal(st.Fence.Kinds, []ownergraph.Kind{c.kind}) || st.Fence.Lost != 0 {
					t.Errorf("before it is lost: %+v", st.Fence)
				}
				pass(25 * time.Second)
				if lines := log.lines("fence lost"); len(lines) != 1 || !strings.Contains(lines[0], string(c.named)) {
					t.Errorf("log: %q", lines)
				}
				held := r.Held(9)
				if len(held) != 2 || held[1].Reason != policy.FenceLost || !slices.Equal(held[1].Detail, []string{string(c.named)}) {
					t.Errorf("held: %s", lines(held))
				}
				if st := r.Stats(); st.LostFences != 1 || st.Fence.Lost != 1 {
					t.Errorf("%d fences were lost; %+v", st.LostFences, st.Fence)
				}
				r.idle() // the second fence is lost, too, and the third is not
				s.holds(t, "c")
				if st := r.Stats(); st.LostFences != 2 || st.Fence.Lost != 0 || st.Fence.Open != 0 || st.Held != 0 {
					t.Errorf("in the end: %+v", st)
				}
			})
		})
	}
}

// TestWaitIdleSaysWhy: the error of a WaitIdle says what it waited for.
func TestWaitIdleSaysWhy(t *testing.T) {
	down := func(ctx context.Context, _ sinkFunc, _ watchFunc) error { return errTest }
	mute := func(ctx context.Context, _ sinkFunc, _ watchFunc) error { <-ctx.Done(); return ctx.Err() }
	halting := func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			if ev.Type == graph.ListEnded && ev.Kind == "b" {
				return nil
			}
			return sink(ev)
		})
	}
	for _, c := range []struct {
		name   string
		watch  func(context.Context, sinkFunc, watchFunc) error
		want   string
		reason string
	}{
		{"down", down, "the watch is down (" + errTest.Error() + ")", "nothing is observed meanwhile"},
		{"mute", mute, "the watch has not said which kinds there are", "nothing is known"},
		{"halting", halting, "not listed: b", "a listing without an end proves nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a")
				s.watch = c.watch
				r := collect(t, s, ownergraph.Config{})
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				if _, err := r.WaitIdle(ctx); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("WaitIdle: %v; want %q: %s", err, c.want, c.reason)
				}
			})
		})
	}
}

// TestCollectorLogsKinds: kinds that become sick or recover are logged, once, those of
// one moment in one line.
func TestCollectorLogsKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newTap(t, "a; b; c"), &journal{}
		r := collect(t, s, ownergraph.Config{Logger: log.logger()})
		r.idle()
		says := func(text string, want ...string) {
			t.Helper()
			pass(2 * time.Second)
			if got := log.lines(text); len(got) != len(want) {
				t.Errorf("%q in %d lines, want %d: %q", text, len(got), len(want), got)
			} else {
				for i := range want {
					if !strings.Contains(got[i], want[i]) {
						t.Errorf("%s, want %s", got[i], want[i])
					}
				}
			}
		}
		if err := errors.Join(s.Sicken("a", "down"), s.Sicken("c", "down, too")); err != nil {
			t.Fatal(err)
		}
		says("kinds cannot be watched", `count=2 kinds="a: down, c: down, too"`)
		pass(time.Hour)
		if err := s.Recover("a"); err != nil {
			t.Fatal(err)
		}
		says("kinds are watched again", `count=1 kinds=a`)
		if err := s.RemoveKind("c"); err != nil {
			t.Fatal(err)
		}
		says("kinds are not served any more", `count=1 kinds=c`)
		says("kinds cannot be watched", `count=2`)
	})
}

// TestCollectorLogsUnlistedKinds: a watch that begins anew at once is one line. A kind
// that it does not list is another one.
func TestCollectorLogsUnlistedKinds(t *testing.T) {
	for _, c := range []struct {
		omits  ownergraph.Kind
		want   int
		reason string
	}{
		{"", 0, "all is listed again"},
		{"b", 1, "nobody else says that a kind is missing"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, log, end := newTap(t, "a; b"), &journal{}, make(chan struct{}, 1)
			begun := 0
			s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				begun++
				n := begun
				go func() {
					select {
					case <-end:
						cancel()
					case <-ctx.Done():
					}
				}()
				return do(ctx, func(ev ownergraph.Event) error {
					if n > 1 && ev.Type == graph.ListEnded && ev.Kind == c.omits {
						return nil
					}
					return sink(ev)
				})
			}
			r := collect(t, s, ownergraph.Config{Logger: log.logger()})
			r.idle()
			end <- struct{}{}
			pass(20 * time.Second)
			if got := log.lines("watch broke"); len(got) != 1 {
				t.Errorf("log: %q", got)
			}
			if got := log.lines("kinds cannot be watched"); len(got) != c.want || c.want > 0 && !strings.Contains(got[0], `count=1 kinds="b: watch: `) {
				t.Errorf("log: %q, want %d lines: %s", got, c.want, c.reason)
			}
		})
	}
}

// TestCollectorLogsStuck: that objects are stuck is logged, and that none is any more.
// What passes soon is not.
func TestCollectorLogsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log, refuses := newTap(t, "a; b -> a; c -> a"), &journal{}, true
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			s.mu.Lock()
			no := refuses && verb == "delete"
			s.mu.Unlock()
			if no {
				return ownergraph.ErrRefused
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{Logger: log.logger(), RefusedRetry: 5 * time.Second})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(9 * time.Second)
		if got := log.lines("stuck"); len(got) != 0 {
			t.Errorf("log: %q, and it may pass", got)
		}
		pass(time.Hour)
		if got := log.lines("stuck"); len(got) != 1 || !strings.Contains(got[0], "level=WARN") || !strings.Contains(got[0], "stuck=2 waiting=0 blocked=0") {
			t.Errorf("log: %q", got)
		}
		s.mu.Lock()
		refuses = false
		s.mu.Unlock()
		pass(time.Minute)
		if got := log.lines("stuck"); len(got) != 2 || !strings.Contains(got[1], "level=INFO") {
			t.Errorf("log: %q", got)
		}
		s.holds(t, "")
	})
}
