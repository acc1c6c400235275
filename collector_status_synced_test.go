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
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// synced waits for a minute of the test's time.
func synced(c *ownergraph.Collector) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return c.Synced(ctx)
}

// deafTo drops the events of a kind, and keeps the set of kinds.
func deafTo(kinds ...ownergraph.Kind) func(context.Context, sinkFunc, watchFunc) error {
	return func(ctx context.Context, sink sinkFunc, do watchFunc) error {
		return do(ctx, func(ev ownergraph.Event) error {
			for _, k := range kinds {
				if ev.Of() == k {
					return nil
				}
			}
			return sink(ev)
		})
	}
}

// TestSynced: Synced waits for these kinds, and its error names them.
func TestSynced(t *testing.T) {
	many := make([]ownergraph.Kind, 11)
	lines := make([]string, len(many))
	for i := range many {
		lines[i] = fmt.Sprintf("k%02d", i)
		many[i] = ownergraph.Kind(lines[i])
	}
	for _, tc := range []struct {
		name, objects string
		cfg           ownergraph.Config
		set           func(*tap)
		plain         bool
		want          string // of the error, without its cause
		reason        string
	}{
		{name: "nothing", reason: "a store without kinds has nothing to list"},
		{name: "listed", objects: "a; b -> a", reason: "every kind is listed"},
		{name: "level 1", objects: "a; b -> a", plain: true, reason: "no fence is needed"},
		{name: "held", objects: "a~*; b -> x/gone", reason: "to be synced is not to be idle"},
		{name: "mute", objects: "a; b; c", set: func(s *tap) { s.watch = deafTo("c", "b") },
			want: "kinds that are not listed: b, c", reason: "both are waited for, by name"},
		{name: "sick", objects: "a; b", set: func(s *tap) { _ = s.Inside(inside.Key{}).Sicken("b", "no disk") },
			want: "kinds that are not listed: b (no disk)", reason: "a sick kind is not listed, and says why"},
		{name: "ignored", objects: "a; b", cfg: ownergraph.Config{Ignore: []ownergraph.Kind{"b"}}, set: func(s *tap) { s.watch = deafTo("b") },
			reason: "a kind that takes no part is not waited for"},
		{name: "many", objects: strings.Join(lines, "; "), set: func(s *tap) { s.watch = deafTo(many...) },
			want: "kinds that are not listed: k00, k01, k02, k03, k04, k05, k06, k07 and 3 more", reason: "the error is bounded"},
		{name: "long", objects: "a; " + strings.Repeat("b", 300), set: func(s *tap) {
			_ = s.Inside(inside.Key{}).Sicken(ownergraph.Kind(strings.Repeat("b", 300)), strings.Repeat("c", 300))
		},
			want: "kinds that are not listed: " + strings.Repeat("b", 200) + " (" + strings.Repeat("c", 200) + ")", reason: "the error is bounded"},
		{name: "silent", objects: "a", set: func(s *tap) {
			s.watch = func(ctx context.Context, _ sinkFunc, _ watchFunc) error { <-ctx.Done(); return ctx.Err() }
		}, want: "the watch has not told the kinds", reason: "nothing is known at all"},
		{name: "broken", objects: "a", set: func(s *tap) {
			s.watch = func(context.Context, sinkFunc, watchFunc) error { return errTest }
		}, want: "the watch is down", reason: "nothing is known at all"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, tc.objects)
				if tc.set != nil {
					tc.set(s)
				}
				store := ownergraph.Store(s)
				if tc.plain {
					store = plain{s}
				}
				r := collectOn(t, store, s, tc.cfg)
				for _, when := range []string{"at once", "at rest"} {
					began := time.Now()
					err := synced(r.Collector)
					switch {
					case tc.want == "" && (err != nil || time.Since(began) > 0):
						t.Errorf("%s: Synced after %v: %v: %s", when, time.Since(began), err, tc.reason)
					case tc.want != "" && (err == nil || err.Error() != "wait until synced: "+tc.want+": context deadline exceeded" ||
						!errors.Is(err, context.DeadlineExceeded)):
						t.Errorf("%s: Synced: %v, want %s: %s", when, err, tc.want, tc.reason)
					}
					synctest.Wait()
				}
				if n := s.count("fence"); n > 0 && tc.name != "held" {
					t.Errorf("%d fences were begun: a readiness probe makes no request", n)
				}
			})
		})
	}
}

// TestSyncedAgain: Synced waits for a kind that joins, and for one that is sick for a
// while. After a restore, and after a watch that broke, it waits for every kind.
func TestSyncedAgain(t *testing.T) {
	const late = 20 * time.Second
	for _, tc := range []struct {
		name   string
		upset  func(*tap, *breaker) error
		mend   func(*tap, *breaker) error
		want   string // how Synced fails in between
		reason string
	}{
		{"joins", func(s *tap, _ *breaker) error {
			return errors.Join(s.Inside(inside.Key{}).AddKind(graph.KindInfo{Kind: "c"}), s.Inside(inside.Key{}).Sicken("c", "new"))
		},
			func(s *tap, _ *breaker) error { return s.Inside(inside.Key{}).Recover("c") }, "kinds that are not listed: c (new)", "it may have dependents"},
		{"sick", func(s *tap, _ *breaker) error { return s.Inside(inside.Key{}).Sicken("b", "no disk") },
			func(s *tap, _ *breaker) error { return s.Inside(inside.Key{}).Recover("b") }, "kinds that are not listed: b (no disk)", "its objects are unknown now"},
		{"restored", func(s *tap, _ *breaker) error {
			return errors.Join(s.Inside(inside.Key{}).Sicken("b", "no disk"), s.Inside(inside.Key{}).Restore(s.Inside(inside.Key{}).Snapshot()))
		},
			func(s *tap, _ *breaker) error { return s.Inside(inside.Key{}).Recover("b") }, "kinds that are not listed: b (no disk)", "the former listing is void"},
		{"watch of nothing", func(s *tap, b *breaker) error {
			err := errors.Join(s.Inside(inside.Key{}).RemoveKind("a"), s.Inside(inside.Key{}).RemoveKind("b"))
			synctest.Wait() // the watch has reported it
			b.set(true)
			return err
		},
			func(_ *tap, b *breaker) error { b.set(false); return nil }, "the watch is down", "kinds may have joined"},
		{"watch", func(_ *tap, b *breaker) error { b.set(true); return nil },
			func(_ *tap, b *breaker) error { b.set(false); return nil }, "the watch is down", "events go unseen"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, b := newTap(t, "a; b -> a"), &breaker{}
				s.watch = b.watch
				r := collect(t, s, ownergraph.Config{})
				if err := synced(r.Collector); err != nil {
					t.Fatal(err)
				}
				if err := tc.upset(s, b); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if err := synced(r.Collector); err == nil || !strings.HasPrefix(err.Error(), "wait until synced: "+tc.want) {
					t.Errorf("Synced: %v, want %s: %s", err, tc.want, tc.reason)
				}
				go func() {
					pass(late)
					if err := tc.mend(s, b); err != nil {
						t.Error(err)
					}
				}()
				began := time.Now()
				if err := synced(r.Collector); err != nil || time.Since(began) < late {
					t.Errorf("Synced after %v: %v: %s", time.Since(began), err, tc.reason)
				}
			})
		})
	}
}

// TestSyncedLate: Synced returns with the end of the last listing, not before, to
// each of several callers, of which one called before Run.
func TestSyncedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b; c")
		s.watch = laggard(20*time.Second, "c")
		c, err := ownergraph.New(s, ownergraph.Config{})
		if err != nil {
			t.Fatal(err)
		}
		began, results := time.Now(), make(chan time.Duration, 3)
		for range cap(results) {
			go func() {
				if err := synced(c); err != nil {
					t.Error(err)
				}
				results <- time.Since(began)
			}()
		}
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		for range cap(results) {
			if took := <-results; took != 20*time.Second {
				t.Errorf("Synced returned after %v, want 20s: that is when the last kind was listed", took)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := c.Synced(t.Context()); err != ownergraph.ErrClosed {
			t.Errorf("Synced after Run: %v, want ErrClosed", err)
		}
	})
}

// TestSyncedEnds: the end of Run, and of the context, end it.
func TestSyncedEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b")
		s.watch = deafTo("b")
		r := collect(t, s, ownergraph.Config{})
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errTest)
		if err := r.Synced(ctx); !errors.Is(err, errTest) {
			t.Errorf("Synced with a context that has ended: %v, want its cause", err)
		}
		result := make(chan error)
		go func() { result <- r.Synced(context.Background()) }()
		synctest.Wait()
		_ = r.stop()
		if err := <-result; err != ownergraph.ErrClosed {
			t.Errorf("Synced at the end of Run: %v, want ErrClosed", err)
		}
	})
	c, err := ownergraph.New(newTap(t, "a"), ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Synced(ctx); err == nil || err.Error() != "wait until synced: Run has not begun: context canceled" {
		t.Errorf("Synced without Run: %v", err)
	}
}

// A service is ready when its collector has listed every kind.
func ExampleCollector_Synced() {
	store, _ := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "team"}, {Kind: "repo"}}})
	collector, _ := ownergraph.New(store, ownergraph.Config{})
	ctx, stop := context.WithCancel(context.Background())
	soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	fmt.Println(collector.Synced(soon)) // Run has not begun
	cancel()

	ended := make(chan error)
	go func() { ended <- collector.Run(ctx) }()
	fmt.Println(collector.Synced(ctx))

	stop()
	<-ended
	// Output:
	// wait until synced: Run has not begun: context deadline exceeded
	// <nil>
}
