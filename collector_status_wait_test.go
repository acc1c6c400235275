package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

func TestWaitIdle(t *testing.T) {
	for _, c := range []struct {
		name, objects string
		cfg           ownergraph.Config
		call          func(verb string, key ownergraph.Key) error
		want, end     string
		reason        string
	}{
		{name: "nothing", want: "", reason: "an empty store is idle"},
		{name: "finalizers", objects: "a~*; b -> a", want: "a: finalizers hold it (foreign)", end: "a~*; b -> a",
			reason: "only a user removes the finalizer"},
		{name: "foreground", objects: "a~[foreground]; b* -> a!",
			want: "a: dependents hold it (b)\nb: finalizers hold it (foreign)", end: "a~[foreground]; b~* -> a!", reason: "each says whom it waits for"},
		{name: "unknown", objects: "a -> x/gone", want: "a: owner's kind not served (x/gone)", end: "a -> x/gone",
			reason: "a kind that is not served proves nothing"},
		{name: "observe only", objects: "a; b -> a/gone", cfg: ownergraph.Config{ObserveOnly: true},
			want: "b: observing only (a/gone)", end: "a; b -> a/gone", reason: "it names the write that it does not make"},
		{name: "level 0", objects: "a; b -> a/gone", cfg: ownergraph.Config{Level: ownergraph.Level0},
			want: "b: the store promises too little (a/gone)", end: "a; b -> a/gone", reason: "it refuses to delete"},
		{name: "refused", objects: "a; b -> a/gone", call: func(verb string, _ ownergraph.Key) error {
			if verb == "delete" {
				return fmt.Errorf("forbidden: %w", ownergraph.ErrRefused)
			}
			return nil
		}, want: "b: the store refused the write (a/gone); last error: forbidden: refused", end: "a; b -> a/gone", reason: "another try is of no use soon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, c.objects)
				s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
					if c.call != nil {
						if err := c.call(verb, key); err != nil {
							return err
						}
					}
					return do()
				}
				r := collect(t, s, c.cfg)
				if held := lines(r.idle()); held != c.want {
					t.Errorf("held:\n%s\nwant:\n%s\n%s", held, c.want, c.reason)
				}
				s.contains(t, c.end)
			})
		})
	}
}

// TestWaitIdleTries: calls fail in every way that passes by itself. WaitIdle does not return before
// they have succeeded.
func TestWaitIdleTries(t *testing.T) {
	for _, c := range []struct {
		name, verb string
		err        error
		reason     string
	}{
		{"read", "get", errTest, "an owner is read again"},
		{"read later", "get", later{}, "an owner is read when the store says so"},
		{"write", "delete", errTest, "the outcome is unknown, and read"},
		{"write later", "delete", later{}, "the store says when"},
		{"conflict", "delete", ownergraph.ErrConflict, "the object is read and judged again"},
		{"patch", "patch", errTest, "the outcome is unknown, and read"},
		{"fence", "fence", errTest, "another one is begun"},
		{"fence later", "fence", later{}, "another one is begun"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a/gone; c~[foreground]; d -> c!")
				fails := 5
				s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
					s.mu.Lock()
					fail := verb == c.verb && fails > 0
					if fail {
						fails--
					}
					s.mu.Unlock()
					if fail {
						return fmt.Errorf("try again: %w", c.err)
					}
					return do()
				}
				r := collect(t, s, ownergraph.Config{})
				if held := lines(r.idle()); held != "" {
					t.Errorf("held:\n%s", held)
				}
				s.contains(t, "a")
				if fails > 0 {
					t.Errorf("%d of 5 failures did not happen: %s", fails, c.reason)
				}
			})
		})
	}
}

// later is a transient error that says when to try again.
type later struct{}

func (later) Error() string { return "busy" }

func (later) RetryAfter() time.Duration { return 3 * time.Second }

// TestWaitIdleSeesLateEvents has a watch that is behind, a little and by more
// than any fence is given time at first.
func TestWaitIdleSeesLateEvents(t *testing.T) {
	for _, lag := range []time.Duration{20 * time.Second, 3 * time.Minute} {
		t.Run(lag.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a!; c; d -> c")
				s.watch = laggard(lag, "a", "b", "c", "d")
				r := collect(t, s, ownergraph.Config{})
				r.idle()
				s.delete(t, "c", ownergraph.Background)
				r.idle()
				s.contains(t, "a; b -> a!")
				s.delete(t, "a", ownergraph.Foreground)
				r.idle()
				s.contains(t, "")
				if n := s.count("fence"); n > 30 {
					t.Errorf("%d fences were begun", n)
				}
			})
		})
	}
}

// laggard delivers the events of some kinds later than the others.
func laggard(lag time.Duration, kinds ...ownergraph.Kind) func(context.Context, sinkFunc, watchFunc) error {
	type delayed struct {
		ev ownergraph.Event
		at time.Time
	}
	return func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		var mu sync.Mutex
		behind := make(chan delayed, 1000)
		locked := func(ev ownergraph.Event) error {
			mu.Lock()
			defer mu.Unlock()
			return sink(ev)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			for d := range behind {
				select {
				case <-ctx.Done():
				case <-time.After(time.Until(d.at)):
					_ = locked(d.ev)
				}
			}
		})
		defer wg.Wait()
		defer close(behind)
		return do(ctx, func(ev ownergraph.Event) error {
			if slices.Contains(kinds, ev.Of()) {
				behind <- delayed{ev, time.Now().Add(lag)}
				return nil
			}
			return locked(ev)
		})
	}
}

// TestWaitIdleAfterHandlers: a handler deletes an object of a kind whose events come late.
func TestWaitIdleAfterHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a[x]; b; c -> b")
		s.watch = laggard(20*time.Second, "b")
		r := collect(t, s, handlers(map[string]finalizer.Handler{"x": func(ctx context.Context, _ ownergraph.Object) error {
			pass(time.Minute / 2) // the fence of WaitIdle has passed
			return s.Store.Delete(ctx, ownergraph.Key{Kind: "b", Name: "b"}, ownergraph.DeleteOptions{})
		}}))
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		r.idle()
		s.contains(t, "")
	})
}

// TestWaitIdleSickKind does not wait for a kind that is sick, by the store's own
// word, and for nothing but it.
func TestWaitIdleSickKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; x; y -> x")
		if err := s.Inside(inside.Key{}).Sicken("x", "down"); err != nil {
			t.Fatal(err)
		}
		s.watch = laggard(20*time.Second, "b")
		r := collect(t, s, ownergraph.Config{})
		s.delete(t, "a", ownergraph.Background)
		if held := lines(r.idle()); held != "y: the owner's kind has to be listed (x)" {
			t.Errorf("held: %s", held)
		}
		s.contains(t, "x; y -> x")
	})
}

// TestWaitIdleWatchDown waits for a watch that is down.
func TestWaitIdleWatchDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newTap(t, "a; b -> a"), &breaker{}
		s.watch = b.watch
		r := collectOn(t, plain{s}, s, ownergraph.Config{})
		r.idle()
		b.set(true)
		synctest.Wait()
		s.delete(t, "a", ownergraph.Background)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if held, err := r.WaitIdle(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WaitIdle while the watch is down: %v, %v", held, err)
		}
		b.set(false)
		r.idle()
		s.contains(t, "")
	})
}

func TestWaitIdleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "delete" {
				<-ctx.Done()
				return ctx.Err()
			}
			return do()
		}
		c, err := ownergraph.New(s, ownergraph.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.WaitIdle(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WaitIdle without Run: %v", err)
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.WaitIdle(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 call under way") {
			t.Errorf("WaitIdle while a call hangs: %v", err)
		}
		result := make(chan error)
		go func() {
			_, err := r.WaitIdle(t.Context())
			result <- err
		}()
		synctest.Wait()
		_ = r.stop()
		if err := <-result; err != ownergraph.ErrClosed {
			t.Errorf("WaitIdle at the end of Run: %v, want ErrClosed", err)
		}
	})
}

// TestWaitIdleFenceTakenBack: a fence passes while a write is still under way. Then an event takes
// the fence back. WaitIdle asks for another fence.
func TestWaitIdleFenceTakenBack(t *testing.T) {
	for _, c := range []struct {
		name   string
		event  func(s *tap, say func(ownergraph.Event)) error
		reason string
	}{
		{"kind joins", func(s *tap, _ func(ownergraph.Event)) error {
			return s.Inside(inside.Key{}).AddKind(graph.KindInfo{Kind: "new"})
		}, "a definition is installed during a cascade"},
		{"rewind", func(_ *tap, say func(ownergraph.Event)) error {
			say(ownergraph.Event{Type: graph.Rewound, Reason: "restored", Epoch: "1"})
			return nil
		}, "a store is restored during a cascade"},
		{"refused set", func(s *tap, say func(ownergraph.Event)) error {
			say(ownergraph.Event{Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{}}})
			say(ownergraph.Event{Type: graph.KindsKnown, Kinds: []ownergraph.KindInfo{{Kind: "a"}, {Kind: "b"}}})
			return nil
		}, "a set of kinds is refused, and the next one is not"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, release := newTap(t, "a; b -> a"), make(chan struct{})
				var say func(ownergraph.Event)
				s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
					say = func(ev ownergraph.Event) { _ = sink(ev) }
					return do(ctx, sink)
				}
				s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
					if verb == "delete" {
						<-release
					}
					return do()
				}
				r := collect(t, s, ownergraph.Config{})
				r.idle()
				s.delete(t, "a", ownergraph.Background)
				ended := make(chan error, 1)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				go func() { _, err := r.WaitIdle(ctx); ended <- err }()
				synctest.Wait()
				if n := r.Stats().Fences.Passed; n != 2 || len(ended) > 0 {
					t.Fatalf("%d fences have passed, and %d waits are over, before the event", n, len(ended))
				}
				if err := c.event(s, say); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				close(release)
				if err := <-ended; err != nil {
					t.Errorf("%v: %s", err, c.reason)
				}
				s.contains(t, "")
			})
		})
	}
}

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

// TestFenceLost: a store forgets that a kind has passed a fence. The wait is logged, and Held,
// Stats and WaitIdle name the kind.
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
				if st := r.Stats(); st.Fences.Open != 1 || st.Fences.Lost != 0 {
					t.Errorf("before it is lost: %+v", st.Fences)
				}
				pass(25 * time.Second)
				if lines := log.lines("fence lost"); len(lines) != 1 || !strings.Contains(lines[0], string(c.named)) {
					t.Errorf("log: %q", lines)
				}
				held := r.Held(9)
				if len(held) != 2 || held[1].Reason != policy.FenceLost || !slices.Equal(held[1].Detail, []string{string(c.named)}) {
					t.Errorf("held: %s", lines(held))
				}
				if st := r.Stats(); st.Fences.Lost != 1 {
					t.Errorf("%d fences were lost; %+v", st.Fences.Lost, st.Fences)
				}
				r.idle() // the second fence is lost, too, and the third is not
				s.contains(t, "c")
				if st := r.Stats(); st.Fences.Lost != 2 || st.Fences.Open != 0 || st.Held() != 0 {
					t.Errorf("in the end: %+v", st)
				}
			})
		})
	}
}

// TestWaitIdleSaysWhy: the error of a WaitIdle gives the reason of the wait.
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

// TestWaitIdleOfManyHeld: many held objects are described in slices, and a few under the lock
// that ends the wait. All are reported, up to the bound.
func TestWaitIdleOfManyHeld(t *testing.T) {
	for _, c := range []struct {
		objects, want int
		reason        string
	}{{3, 3, "few"}, {40, 40, "more than one lock describes"}, {1100, 1000, "more than WaitIdle returns"}} {
		synctest.Test(t, func(t *testing.T) {
			var objects []string
			for i := range c.objects {
				objects = append(objects, fmt.Sprintf("a/%04d~*", i))
			}
			held := collect(t, newTap(t, strings.Join(objects, "; ")), ownergraph.Config{}).idle()
			if len(held) != c.want {
				t.Fatalf("%d objects, want %d: %s", len(held), c.want, c.reason)
			}
			for i, h := range held {
				if want := fmt.Sprintf("%04d", i); h.Key.Name != want {
					t.Fatalf("object %d is %s, want %s: %s", i, h.Key, want, c.reason)
				}
			}
		})
	}
}
