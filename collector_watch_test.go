package ownergraph_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// breaker is a watch that the test can break and keep down.
type breaker struct {
	mu     sync.Mutex
	down   bool
	cut    context.CancelFunc
	starts []time.Time
}

func (b *breaker) watch(ctx context.Context, sink sinkFunc, do watchFunc) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.mu.Lock()
	b.starts, b.cut = append(b.starts, time.Now()), cancel
	down := b.down
	b.mu.Unlock()
	if !down {
		_ = do(ctx, sink)
	}
	return errTest
}

func (b *breaker) set(down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = down
	b.cut()
}

func TestCollectorWatchBreaks(t *testing.T) {
	for _, c := range []struct {
		name, end string
		hide      func(*tap) ownergraph.Store
		p         graph.Propagation
		reason    string
	}{
		{"level 2", "", func(s *tap) ownergraph.Store { return s }, ownergraph.Foreground, "fences wait for the new listing"},
		{"level 1", "", func(s *tap) ownergraph.Store { return plain{s} }, ownergraph.Foreground, "best effort waits for it too"},
		{"orphan", "b; b/c -> b", func(s *tap) ownergraph.Store { return plain{s} }, ownergraph.Orphan, "c came while the watch was down"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, b := newTap(t, "a; b -> a!"), &breaker{}
				s.watch = b.watch
				r := collectOn(t, c.hide(s), s, ownergraph.Config{})
				r.idle()
				b.set(true)
				synctest.Wait()
				s.delete(t, "a", c.p)
				s.create(t, "b/c -> b")
				pass(time.Hour)
				want := "[{a true watch: made by the test} {b true watch: made by the test}]"
				if got := health(r.Kinds()[:2]); got != want {
					t.Errorf("kinds %s, want %s", got, want)
				}
				if n := s.count("delete") + s.count("patch"); n > 0 {
					t.Errorf("%d writes while nothing was watched", n)
				}
				b.set(false)
				if held := r.idle(); len(held) > 0 {
					t.Errorf("held: %s: %s", lines(held), c.reason)
				}
				if got := strings.ReplaceAll(s.shape(), "@new-1", ""); got != c.end {
					t.Errorf("the store has %q, want %q: %s", got, c.end, c.reason)
				}
				for _, k := range r.Kinds() {
					if k.Sick != "" || !k.Listed {
						t.Errorf("kind %+v after the watch is back", k)
					}
				}
			})
		})
	}
}

// TestCollectorWatchBackoff counts how often a watch that is down is tried.
func TestCollectorWatchBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newTap(t, "a"), &breaker{}
		s.watch = b.watch
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		pass(2 * time.Minute)
		b.set(true)
		pass(10 * time.Minute)
		b.mu.Lock()
		defer b.mu.Unlock()
		longest := 500 * time.Millisecond // the first pause is between the run that lasted and the first try
		for i := 2; i < len(b.starts); i++ {
			gap := b.starts[i].Sub(b.starts[i-1])
			if gap < longest/2 || gap > longest {
				t.Errorf("pause %d lasted %v, want %v to %v", i-1, gap, longest/2, longest)
			}
			longest = min(2*longest, 30*time.Second)
		}
		if n := len(b.starts); n < 25 || n > 50 {
			t.Errorf("the watch began %d times in ten minutes", n)
		}
	})
}

// TestCollectorWatchBackoffEnds: a watch was down for long, and then ran for long. Its
// next pause is short again.
func TestCollectorWatchBackoffEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newTap(t, "a"), &breaker{}
		s.watch = b.watch
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		b.set(true)
		pass(10 * time.Minute)
		b.set(false)
		r.idle()
		pass(2 * time.Minute)
		b.set(false)
		began := time.Now()
		r.idle()
		if d := time.Since(began); d > 250*time.Millisecond {
			t.Errorf("the watch was down for %v", d)
		}
	})
}

// TestCollectorFencesWaitForWatch: the watch breaks at the moment of a fence. No fence is
// asked for while the watch is down, since the watch could not report it. No setting lets
// a deletion end then.
func TestCollectorFencesWaitForWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := newTap(t, "a~[foreground]; b"), &breaker{}
		s.watch = b.watch
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "fence" {
				b.set(true)
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{FenceWait: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if held, err := r.WaitIdle(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("idle while the watch is down: %s, %v", lines(held), err)
		}
		if n := s.count("fence"); n != 1 {
			t.Errorf("%d fences, want 1", n)
		}
		s.contains(t, "a~[foreground]; b")
		s.call = nil
		b.set(false)
		r.idle()
		s.contains(t, "b")
	})
}

// TestCollectorFenceWait: a setting releases the objects that wait for a sick kind, to the
// second.
func TestCollectorFenceWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a~[foreground]; b; x")
		if err := s.Inside(inside.Key{}).Sicken("x", "down"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r := collect(t, s, ownergraph.Config{FenceWait: time.Minute})
		if held := lines(r.idle()); held != "a: a sick kind holds the fence (x: down)" {
			t.Errorf("held: %s", held)
		}
		pass(59*time.Second - time.Since(began)) // WaitIdle's own fence may have had to wait for one under way
		s.contains(t, "a~[foreground]; b; x")
		pass(time.Second)
		synctest.Wait()
		s.contains(t, "b; x")
		if n := r.Stats().Writes.BestEffort; n != 1 {
			t.Errorf("%d writes were best effort, want 1", n)
		}
	})
}

// TestCollectorLateSink has a watch that goes on talking after it has ended.
func TestCollectorLateSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		var sinks []sinkFunc
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			sinks = append(sinks, sink)
			if len(sinks) == 1 {
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				_ = do(ctx, sink)
				return nil
			}
			return do(ctx, sink)
		}
		r := collect(t, s, ownergraph.Config{})
		pass(time.Minute)
		synctest.Wait()
		if got := r.Kinds()[0].Sick; got != "watch: ended without an error" {
			t.Errorf("reason %q", got)
		}
		r.idle()
		events := r.Stats().Events
		if err := sinks[0](ownergraph.Event{Type: graph.Gone, Key: keyOf(t, "a")}); err == nil {
			t.Error("the sink of a watch that is over takes events")
		}
		r.idle()
		s.contains(t, "a; b -> a")
		if now := r.Stats().Events; now-events > 4 { // the fence of idle
			t.Errorf("%d events came through", now-events)
		}
	})
}

// TestCollectorForeignFences: a store reports the fences of all collectors to each of them.
// A report of a token that the collector did not get passes nothing.
func TestCollectorForeignFences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a!")
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			return do(ctx, func(ev ownergraph.Event) error {
				if ev.Type == graph.FencePassed {
					ev.Fence += 1 << 40 // of another collector
				}
				return sink(ev)
			})
		}
		r := collect(t, s, ownergraph.Config{})
		s.delete(t, "a", ownergraph.Foreground)
		pass(10 * time.Second)
		if st := r.Stats(); st.Fences.Passed != 0 || st.Fences.Open != 3 {
			t.Errorf("%d fences have passed, and %d kinds are missing, want 0 and 3", st.Fences.Passed, st.Fences.Open)
		}
		s.contains(t, "a~[foreground]; b -> a!")
	})
}

// TestCollectorFenceReturnsLate: the watch may report a fence before Fence returns its
// token. The fence passes when it returns. If the call fails instead, another one begins.
func TestCollectorFenceReturnsLate(t *testing.T) {
	for _, c := range []struct {
		err    error
		fences int
		reason string
	}{
		{nil, 1, "the reports came before"},
		{errors.New("no answer"), 2, "no token names the fence that has passed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a; b -> a!")
			r := collect(t, s, ownergraph.Config{})
			r.idle()
			before := s.count("fence")
			s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
				err := do()
				if verb == "fence" {
					pass(time.Second) // the watch reports it
					if s.count("fence") == before+1 {
						return c.err
					}
				}
				return err
			}
			s.delete(t, "a", ownergraph.Foreground)
			r.idle()
			s.contains(t, "")
			if n := s.count("fence") - before; n < c.fences {
				t.Errorf("%d fences, want at least %d: %s", n, c.fences, c.reason)
			}
			if st := r.Stats(); st.Fences.Lost != 0 {
				t.Errorf("%d fences were lost: %s", st.Fences.Lost, c.reason)
			}
		})
	}
}

// slip is the error of a store that wraps a nil pointer by mistake.
type slip struct{ text string }

func (s *slip) Error() string { return s.text }

// TestCollectorWatchErrorPanics: the text of the watch's error is the store's code,
// and a panic there is an error of that watch.
func TestCollectorWatchErrorPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a")
		runs := 0
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			if runs++; runs > 1 {
				return do(ctx, sink)
			}
			ctx, stop := context.WithTimeout(ctx, time.Second)
			defer stop()
			_ = do(ctx, sink)
			return (*slip)(nil)
		}
		r := collect(t, s, ownergraph.Config{})
		pass(10 * time.Second)
		r.idle()
		if err := r.stop(); err != nil || runs != 2 {
			t.Errorf("Run: %v, after %d watches", err, runs)
		}
	})
}
