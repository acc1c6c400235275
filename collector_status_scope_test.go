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
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// idleIn is idle for one scope, for at most a minute of the test's time.
func (r *rig) idleIn(scope string) []engine.Held {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	held, err := r.WaitIdleIn(ctx, scope)
	if err != nil {
		r.t.Fatalf("%v; stats %+v", err, r.Stats())
	}
	return held
}

// slowly makes every write to an object of a scope take an hour.
func slowly(scope string) func(context.Context, string, ownergraph.Key, func() error) error {
	return func(ctx context.Context, verb string, key ownergraph.Key, do func() error) error {
		if key.Scope == scope && (verb == "delete" || verb == "patch") {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Hour):
			}
		}
		return do()
	}
}

// TestWaitIdleIn has cascades in two scopes, of which one takes for ever. The other
// scope is idle when its own cascade is over, and not before.
func TestWaitIdleIn(t *testing.T) {
	const in = "p/s/a; p/s/b -> p/s/a!; p/s/c -> p/s/b!"
	for _, c := range []struct {
		p      graph.Propagation
		left   string
		reason string
	}{
		{ownergraph.Background, "", "three levels"},
		{ownergraph.Foreground, "", "behind a fence"},
		{ownergraph.Orphan, "p/s/b; p/s/c -> p/s/b!", "the dependents stay"},
	} {
		synctest.Test(t, func(t *testing.T) {
			const other = "p/other/d -> p/other/gone"
			s := newTap(t, in+"; "+other)
			s.call = slowly("other")
			r := collect(t, s, ownergraph.Config{})
			r.idleIn("s")
			s.delete(t, "p/s/a", c.p)
			if held := r.idleIn("s"); len(held) != 0 {
				t.Errorf("held %v: %s", held, c.reason)
			}
			s.contains(t, strings.Trim(other+"; "+c.left, "; "))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := r.WaitIdleIn(ctx, "other"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `scope "other"`) {
				t.Errorf("the other scope: %v", err)
			}
		})
	}
}

// TestWaitIdleInHeld: WaitIdleIn returns no held object of another scope.
func TestWaitIdleInHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a~*; p/other/b~*; n/c~*; p/s/d -> p/s/gone?")
		r := collect(t, s, ownergraph.Config{})
		for scope, want := range map[string]string{
			"s":     "p/s/a: finalizers hold it (foreign)\np/s/d: owner's scope not resolvable (p/s/gone?)",
			"other": "p/other/b: finalizers hold it (foreign)",
			"":      "n/c: finalizers hold it (foreign)",
			"none":  "",
		} {
			if got := lines(r.idleIn(scope)); got != want {
				t.Errorf("scope %q: held %q, want %q", scope, got, want)
			}
		}
	})
}

// TestWaitIdleInCountsAll: a scope is not idle while an object of it waits for a worker of its
// handler, or for a selection of the protected objects. Both end without a user.
func TestWaitIdleInCountsAll(t *testing.T) {
	hour := func(ctx context.Context, _ graph.Object) error {
		return spend(ctx, time.Hour)
	}
	for _, c := range []struct {
		objects string
		cfg     ownergraph.Config
		reason  string
	}{
		{"p/other/a[x.io/h]; p/s/b[x.io/h]",
			ownergraph.Config{HandlerWorkers: 1, HandlerTimeout: 2 * time.Hour, Handlers: map[string]finalizer.Handler{"x.io/h": hour}},
			"the handler of the other scope has the only worker"},
		{"p/other/a; p/s/b; p/s/c -> p/s/b",
			protecting(guard.Protection{Kinds: []graph.Kind{"p"}, Scopes: []string{"s"}, Selector: "keep=yes"}),
			"a selection has to tell that c is not protected"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.objects)
			s.call = func(ctx context.Context, verb string, _ ownergraph.Key, make func() error) error {
				if verb == "select" {
					if err := spend(ctx, time.Hour); err != nil {
						return err
					}
				}
				return make()
			}
			c.cfg.CallTimeout = 2 * time.Hour
			r := collect(t, s, c.cfg)
			pass(2 * time.Hour)
			s.delete(t, "p/other/a", ownergraph.Background)
			s.delete(t, "p/s/b", ownergraph.Background)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if held, err := r.WaitIdleIn(ctx, "s"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("idle with %s left, error %v, held %v: %s", s.shape(), err, held, c.reason)
			}
			pass(3 * time.Hour)
			if held := r.idleIn("s"); len(held) > 0 || len(s.Objects()) > 0 {
				t.Errorf("held %v, left %s: %s", held, s.shape(), c.reason)
			}
		})
	}
}

// spend takes a time, unless the context ends first.
func spend(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// TestWaitIdleInSeesLateEvents has a watch that is behind. A commit before the call
// counts.
func TestWaitIdleInSeesLateEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a; p/s/b -> p/s/a!; p/other/d -> p/other/gone")
		s.call = slowly("other")
		s.watch = laggard(10*time.Second, "p")
		r := collect(t, s, ownergraph.Config{})
		r.idleIn("s")
		s.delete(t, "p/s/a", ownergraph.Foreground)
		r.idleIn("s")
		s.contains(t, "p/other/d -> p/other/gone")
	})
}

// TestWaitIdleInOfMuchWork: the scope waits for all of its work, also if other scopes have
// more work under way than one look considers.
func TestWaitIdleInOfMuchWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var objects []string
		for i := range 3000 {
			objects = append(objects, fmt.Sprintf("p/other/%d -> p/other/gone", i))
		}
		s := newTap(t, "p/s/a; "+strings.Join(objects, "; "))
		s.call = func(_ context.Context, _ string, _ ownergraph.Key, do func() error) error {
			pass(time.Millisecond)
			return do()
		}
		r := collect(t, s, ownergraph.Config{Workers: 2})
		if held := r.idleIn("s"); len(held) != 0 {
			t.Errorf("held %v", held)
		}
	})
}

func TestWaitIdleInEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "p/s/a -> p/s/gone")
		s.call = slowly("s")
		r := collect(t, s, ownergraph.Config{})
		time.AfterFunc(time.Second, func() { _ = r.stop() })
		if _, err := r.WaitIdleIn(t.Context(), "s"); !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.WaitIdleIn(ctx, "s"); !errors.Is(err, context.Canceled) && !errors.Is(err, ownergraph.ErrClosed) {
			t.Errorf("after both ends: %v", err)
		}
	})
}
