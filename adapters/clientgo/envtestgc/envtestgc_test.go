package envtestgc

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, at := serve(t)
		r := &rig{server: s, T: t}
		gone := graph.Object{Key: graph.Key{Kind: "ConfigMap", Scope: "default", Name: "gone", UID: "never"}}
		r.create("garbage", nil, gone)
		r.create("kept", nil)
		gc, err := Start(at, Config{})
		if err != nil {
			t.Fatal(err)
		}
		r.want("kept") // Start collects the garbage of before
		if got := gc.engine.Stats(); got.Objects != 1 {
			t.Errorf("%d objects are known, want 1", got.Objects)
		}
		if err := gc.Stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestStartFails(t *testing.T) {
	for _, c := range []struct {
		server *rest.Config
		config Config
		is     error
		says   string
		reason string
	}{
		{&rest.Config{Host: "http://127.0.0.1:1"}, Config{}, nil, "connect", "a missing server is reported at once, not after a minute"},
		{nil, Config{}, ownergraph.ErrInvalid, "rest config", "nil is a mistake of the caller"},
		{&rest.Config{}, Config{Ready: -1}, ownergraph.ErrInvalid, "Ready", "a negative time"},
		{&rest.Config{}, Config{Keep: -1}, ownergraph.ErrInvalid, "Keep", "a negative number"},
		{&rest.Config{}, Config{Store: clientgo.Config{PageSize: -1}}, ownergraph.ErrInvalid, "PageSize", "the store's config is judged too"},
		{&rest.Config{}, Config{Engine: ownergraph.Config{Workers: -1}}, ownergraph.ErrInvalid, "Workers", "and the engine's"},
	} {
		if c.is != nil && c.server != nil {
			c.server = nil
			_, c.server = serve(t)
		}
		gc, err := Start(c.server, c.config)
		switch {
		case err == nil:
			t.Errorf("started: %s", c.reason)
			_ = gc.Stop()
		case c.is != nil && !errors.Is(err, c.is), !strings.Contains(err.Error(), c.says), !strings.HasPrefix(err.Error(), "start collector: "):
			t.Errorf("error %v, want %q: %s", err, c.says, c.reason)
		}
	}
}

// TestStartIsLate: a server answers and sends no listing in time.
func TestStartIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, at := serve(t)
		s.hangs = true
		_, err := Start(at, Config{Ready: 10 * time.Second})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want that it was not ready in time", err)
		}
	})
}

func TestStop(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		for range 2 {
			if err := r.gc.Stop(); err != nil {
				r.Error(err)
			}
		}
		if err := r.gc.WaitIdle(r.Context()); !errors.Is(err, ownergraph.ErrClosed) {
			r.Errorf("after Stop WaitIdle says %v", err)
		}
	})
}

// TestStopAfterEnd: a collector that ended by itself returns its error at each Stop.
func TestStopAfterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, at := serve(t)
		r := &rig{server: s, T: t}
		gc, err := Start(at, Config{Engine: ownergraph.Config{OnDecision: func(engine.DecisionEvent) { panic("made by the test") }}})
		if err != nil {
			t.Fatal(err)
		}
		r.create("garbage", nil, graph.Object{Key: graph.Key{Kind: "ConfigMap", Scope: "default", Name: "gone", UID: "never"}})
		if err := gc.WaitIdle(t.Context()); !errors.Is(err, ownergraph.ErrClosed) || !errors.Is(err, ownergraph.ErrBroken) {
			t.Errorf("WaitIdle says %v", err)
		}
		for range 2 {
			if err := gc.Stop(); !errors.Is(err, ownergraph.ErrBroken) {
				t.Errorf("Stop says %v", err)
			}
		}
	})
}

func TestWaitIdle(t *testing.T) {
	for _, c := range []struct {
		propagation graph.Propagation
		left        string
		reason      string
	}{
		{graph.Background, "", "three levels, all of them"},
		{graph.Foreground, "", "the owner goes last"},
		{graph.Unset, "", "background is the default"},
	} {
		bubble(t, Config{}, func(r *rig) {
			a := r.create("a", nil)
			b := r.create("b", nil, a)
			r.create("c", nil, b)
			r.delete(a, c.propagation)
			ctx, cancel := r.soon()
			defer cancel()
			if err := r.gc.WaitIdle(ctx); err != nil {
				r.Error(err, c.reason)
			}
			r.want(c.left)
		})
	}
}

// TestWaitIdleWaitsForOperator: the operator under test removes its finalizer after a
// while.
func TestWaitIdleWaitsForOperator(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		a := r.create("a", nil)
		b := r.create("b", []string{"example.org/cleanup"}, a)
		r.create("c", nil, b)
		r.delete(a, graph.Background)
		time.AfterFunc(time.Second, func() { r.drop(b, "example.org/cleanup") })
		ctx, cancel := r.soon()
		defer cancel()
		if err := r.gc.WaitIdle(ctx); err != nil {
			r.Error(err)
		}
		r.want("")
	})
}

func TestWaitIdleNamesCause(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		a := r.create("a", nil)
		b := r.create("b", []string{"example.org/cleanup"}, a)
		r.delete(a, graph.Foreground)
		ctx, cancel := r.soon()
		defer cancel()
		err := r.gc.WaitIdle(ctx)
		var held *HeldError
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &held) || len(held.Held) != 2 {
			r.Fatalf("error %v, want the two that are held", err)
		}
		const want = `the cascade has not ended: context deadline exceeded
held:
  ConfigMap/default/a: dependents hold it (ConfigMap/default/b)
  ConfigMap/default/b: finalizers hold it (example.org/cleanup)`
		if got := err.Error(); got != want {
			r.Errorf("error\n%s\nwant\n%s", got, want)
		}
		if h := held.Held; h[0].Key != a.Key || h[1].Key != b.Key || !slices.Equal(h[0].Detail, []string{b.Key.String()}) { // the text has no UIDs
			r.Errorf("held %+v, want %s, which waits for %s", h, a.Key, b.Key)
		}
		go func() { // WaitIdle ends with the collector, too
			_ = r.gc.Stop()
		}()
		if err := r.gc.WaitIdle(context.Background()); !errors.Is(err, ownergraph.ErrClosed) {
			r.Errorf("after Stop: %v", err)
		}
		r.drop(b, "example.org/cleanup")
	})
}

// TestWaitIdleGrace: only a kubelet ends a grace period.
func TestWaitIdleGrace(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		a := r.create("a", nil)
		grace := int64(30)
		opts := graph.DeleteOptions{GraceSeconds: &grace}
		if _, err := r.write(func(m *replica.State) (replica.Commit, error) { return m.Delete(a.Key, opts) }); err != nil {
			r.Fatal(err)
		}
		ctx, cancel := r.soon()
		defer cancel()
		if err := r.gc.WaitIdle(ctx); err != nil || len(r.gc.Held()) != 1 {
			r.Errorf("held %v, error %v, want that it is held and not waited for", r.gc.Held(), err)
		}
	})
}

// TestWaitIdleUnhandled: WaitIdle does not wait for finalizers of absent controllers,
// or for bad owner references.
func TestWaitIdleUnhandled(t *testing.T) {
	for _, c := range []struct {
		unhandled []string
		finalizer string
		owner     graph.Key
		held      int
		reason    string
	}{
		{nil, "kubernetes.io/pvc-protection", graph.Key{}, 1, "kube-controller-manager would take it off"},
		{[]string{"example.org/x"}, "example.org/x", graph.Key{}, 1, "a setting of the test"},
		{nil, clientgo.NamespaceFinalizer, graph.Key{}, 1, "no controller empties namespaces here"},
		{nil, "", graph.Key{Kind: "Widget", Name: "w", UID: "w"}, 1, "the owner's kind is not served"},
	} {
		bubble(t, Config{Unhandled: c.unhandled}, func(r *rig) {
			var finalizers []string
			var owners []graph.Object
			if c.finalizer != "" {
				finalizers = []string{c.finalizer}
			}
			if c.owner.Name != "" {
				owners = []graph.Object{{Key: c.owner}}
			}
			a := r.create("a", finalizers, owners...)
			if c.finalizer != "" {
				r.delete(a, graph.Background)
			}
			ctx, cancel := r.soon()
			defer cancel()
			if err := r.gc.WaitIdle(ctx); err != nil {
				r.Errorf("%v: %s", err, c.reason)
			}
			if got := r.gc.Held(); len(got) != c.held {
				r.Errorf("held %v, want %d: %s", got, c.held, c.reason)
			}
		})
	}
}

func TestHooksAreKept(t *testing.T) {
	var decisions int
	var log strings.Builder
	c := Config{Keep: 1, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	c.Engine.OnDecision = func(engine.DecisionEvent) { decisions++ }
	bubble(t, c, func(r *rig) {
		a := r.create("a", nil)
		r.create("b", nil, a)
		r.delete(a, graph.Foreground)
		if err := r.gc.WaitIdle(r.Context()); err != nil {
			r.Fatal(err)
		}
		if got := r.gc.journal.since(0); len(got) != 1 || !strings.Contains(got[0], "release ConfigMap/default/a@uid-1 (foregroundDeletion)") {
			r.Errorf("the latest line is %q", got)
		}
	})
	if decisions == 0 || !strings.Contains(log.String(), "reason=OwnersWaiting") {
		t.Errorf("%d decisions were seen, the logger has\n%s", decisions, &log)
	}
}
