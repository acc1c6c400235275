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
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

// status returns the figures by status, and the held objects.
func (r *rig) status() string {
	s := r.Stats()
	return fmt.Sprintf("%d moving, %d queued, %d blocked, %d pending, %d stuck, %d held: %s",
		s.ByStatus.Of(engine.StatusMoving), s.ByStatus.Of(engine.StatusQueued), s.ByStatus.Of(engine.StatusBlocked), s.ByStatus.Of(engine.StatusPending), s.ByStatus.Of(engine.StatusStuck), s.Held(), strings.ReplaceAll(lines(r.Held(9)), "\n", ", "))
}

// TestHeldDuringDeletion has a deletion of 64 objects whose handler takes a while. While
// the engine works on an object, the object is not reported as held.
func TestHeldDuringDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b/keep")
		for i := range 64 {
			s.create(t, fmt.Sprintf("b/%d[x] -> a!", i))
		}
		var fails atomic.Bool
		r := collect(t, s, handlers(map[string]finalizer.Handler{"x": func(context.Context, ownergraph.Object) error {
			if pass(time.Second); fails.Load() {
				return errTest
			}
			return nil
		}}))
		expect := func(want, reason string) {
			t.Helper()
			synctest.Wait()
			if got := r.status(); !strings.HasPrefix(got, want) {
				t.Errorf("%s\nwant %s: %s", got, want, reason)
			}
		}
		r.idle()
		expect("0 moving, 0 queued, 0 blocked, 0 pending, 0 stuck, 0 held: ", "nothing is deleted")
		s.delete(t, "a", ownergraph.Foreground)
		pass(500 * time.Millisecond)
		expect("4 moving, 60 queued, 1 blocked, 0 pending, 0 stuck, 0 held: a: dependents hold it (", "four handlers run at once")
		pass(time.Second)
		expect("4 moving, 56 queued, 1 blocked, 0 pending, 0 stuck, 0 held: ", "the next four run")
		fails.Store(true)
		pass(500*time.Millisecond + 1)
		expect("4 moving, 56 queued, 1 blocked, 0 pending, 4 stuck, 4 held: ", "four have failed, and are tried again later")
		fails.Store(false)
		r.idle()
		expect("0 moving, 0 queued, 0 blocked, 0 pending, 0 stuck, 0 held: ", "all is gone")
		s.contains(t, "b/keep")
	})
}

// TestHeldSince: the time since which an object is held, and its last error, stay through
// tries that end the same way.
func TestHeldSince(t *testing.T) {
	for _, c := range []struct {
		name, objects string
		cfg           ownergraph.Config
		verb          string
		fails         func(n int) error
		status        engine.Status
		why           policy.Reason
		err           string
		reason        string
	}{
		{name: "refused", objects: "b -> a/gone; a", verb: "delete", status: engine.StatusStuck, why: policy.StoreRefused,
			fails: func(n int) error { return fmt.Errorf("no, for the %d. time: %w", n, ownergraph.ErrRefused) },
			err:   "no, for the 2. time: refused", reason: "each try is refused"},
		{name: "long text", objects: "b -> a/gone; a", verb: "delete", status: engine.StatusStuck, why: policy.StoreRefused,
			fails: func(int) error { return fmt.Errorf("%s: %w", strings.Repeat("é", 1000), ownergraph.ErrRefused) },
			err:   strings.Repeat("é", 256) + "...", reason: "the text of an error is bounded"},
		{name: "owner", objects: "b -> a/gone; a", verb: "get", status: engine.StatusStuck, why: policy.OwnerUnknown,
			fails: func(n int) error { return fmt.Errorf("may not read: %w", ownergraph.ErrRefused) },
			err:   "may not read: refused", reason: "the owner cannot be read"},
		{name: "write", objects: "b -> a/gone; a", verb: "delete", status: engine.StatusStuck, why: policy.WriteFails,
			fails: func(int) error { return errTest }, err: errTest.Error(), reason: "each try fails, and none is refused"},
		{name: "owner fails", objects: "b -> a/gone; a", verb: "get", status: engine.StatusStuck, why: policy.OwnerUnknown,
			fails: func(int) error { return errTest }, err: errTest.Error(), reason: "the owner is read again and again"},
		{name: "handler", objects: "b~[x]", status: engine.StatusStuck, why: policy.HandlerFailed,
			cfg: handlers(map[string]finalizer.Handler{"x": func(context.Context, ownergraph.Object) error { return errors.New("busy") }}),
			err: "busy", reason: "a handler is run again and again"},
		{name: "finalizer", objects: "b~*", status: engine.StatusPending, why: policy.NeedFinalizers, reason: "nothing has failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, n := newTap(t, c.objects), 0
				s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
					if verb == c.verb {
						n++
						return c.fails(n)
					}
					return do()
				}
				began := time.Now()
				r := collect(t, s, c.cfg)
				pass(6 * time.Minute)
				held := r.Held(9)
				if len(held) != 1 {
					t.Fatalf("held: %s: %s", lines(held), c.reason)
				}
				h := held[0]
				if h.Status != c.status || h.Reason != c.why || h.LastError != c.err || h.Since.Sub(began) > time.Second {
					t.Errorf("%s: %s since %v, last error %q: %s", h, h.Status, h.Since.Sub(began), h.LastError, c.reason)
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
		if err := errors.Join(s.Inside(inside.Key{}).Sicken("a", "down"), s.Inside(inside.Key{}).Sicken("c", "down, too")); err != nil {
			t.Fatal(err)
		}
		says("kinds cannot be watched", `count=2 kinds="a: down, c: down, too"`)
		pass(time.Hour)
		if err := s.Inside(inside.Key{}).Recover("a"); err != nil {
			t.Fatal(err)
		}
		says("kinds are watched again", `count=1 kinds=a`)
		if err := s.Inside(inside.Key{}).RemoveKind("c"); err != nil {
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
		{"b", 1, "no other line says that a kind is missing"},
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

// TestCollectorLogsStuck: one line of the log says that objects are stuck, and another one
// says that the last of them is free. A stuck object that is free soon makes no line.
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
		r := collect(t, s, probe.Tuned(ownergraph.Config{Logger: log.logger()}, inside.Tuning{RefusedRetry: 5 * time.Second}))
		r.idle()
		s.delete(t, "a", ownergraph.Background)
		pass(9 * time.Second)
		if got := log.lines("stuck"); len(got) != 0 {
			t.Errorf("log: %q, and it may pass", got)
		}
		pass(time.Hour)
		if got := log.lines("stuck"); len(got) != 1 || !strings.Contains(got[0], "level=WARN") || !strings.Contains(got[0], "stuck=2 pending=0 blocked=0") {
			t.Errorf("log: %q", got)
		}
		s.mu.Lock()
		refuses = false
		s.mu.Unlock()
		pass(time.Minute)
		if got := log.lines("stuck"); len(got) != 2 || !strings.Contains(got[1], "level=INFO") {
			t.Errorf("log: %q", got)
		}
		s.contains(t, "")
	})
}

// TestCollectorRoots: an object below a deleted one has its root, also before a delete. A live
// object is its own root. The kinds count their objects.
func TestCollectorRoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "r; m -> r; d* -> m; x/live; x/below -> x/live")
		c := collect(t, s, ownergraph.Config{})
		c.idle()
		key := func(place string) ownergraph.Key {
			for _, o := range s.Objects() {
				if o.Key.Kind+"/"+ownergraph.Kind(o.Key.Name) == ownergraph.Kind(place) {
					return o.Key
				}
			}
			t.Fatalf("no %s", place)
			return ownergraph.Key{}
		}
		root, below := key("r/r"), key("d/d")
		s.delete(t, "r", ownergraph.Background)
		c.idle()
		for _, row := range []struct {
			of     ownergraph.Key
			want   []ownergraph.Key
			reason string
		}{
			{below, []ownergraph.Key{root}, "its owner's owner was deleted"},
			{key("x/below"), []ownergraph.Key{key("x/below")}, "nothing above it is deleted"},
			{ownergraph.Key{Kind: "x", Name: "none", UID: "none"}, nil, "the engine does not know it"},
		} {
			many := slices.Repeat([]ownergraph.Key{row.of}, 100)
			got := c.Roots(many...)
			for _, r := range got {
				if !slices.Equal(r.Keys, row.want) {
					t.Errorf("the roots of %s are %v, want %v: %s", row.of, r.Keys, row.want, row.reason)
				}
			}
			if len(got) != len(many) {
				t.Errorf("%d answers for %d keys", len(got), len(many))
			}
		}
		for _, k := range c.Kinds() {
			if want := map[ownergraph.Kind]int{"d": 1, "x": 2}[k.Kind]; k.Objects != want {
				t.Errorf("%d objects of kind %s, want %d", k.Objects, k.Kind, want)
			}
		}
	})
}
