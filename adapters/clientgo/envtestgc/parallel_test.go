package envtestgc

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// createIn is create in another namespace.
func (r *rig) createIn(namespace, name string, finalizers []string, owners ...graph.Object) graph.Object {
	r.Helper()
	o := graph.Object{Key: graph.Key{Kind: "ConfigMap", Scope: namespace, Name: name}, Finalizers: finalizers}
	for _, owner := range owners {
		o.Owners = append(o.Owners, graph.Owner{Key: owner.Key, Block: true})
	}
	out, err := r.write(func(m *replica.State) (replica.Commit, error) { return m.Create(o) })
	if err != nil {
		r.Fatal(err)
	}
	return out
}

// TestWaitIdleIn: the operator of one test takes a minute. A test in another namespace
// does not wait for it.
func TestWaitIdleIn(t *testing.T) {
	for _, p := range []graph.Propagation{graph.Background, graph.Foreground} {
		bubble(t, Config{}, func(r *rig) {
			slow := r.createIn("one", "slow", []string{"example.org/cleanup"})
			r.delete(slow, graph.Background)
			a := r.createIn("two", "a", nil)
			r.createIn("two", "b", nil, a)
			r.delete(a, p)
			time.AfterFunc(time.Minute, func() { r.drop(slow, "example.org/cleanup") })
			ctx, cancel := r.soon()
			defer cancel()
			if err := r.gc.WaitIdleIn(ctx, "two"); err != nil {
				r.Error(err)
			}
			r.want("slow")
			if err := r.gc.WaitIdle(ctx); !errors.Is(err, context.DeadlineExceeded) {
				r.Errorf("WaitIdle says %v, and the other test is not over", err)
			}
			if err := r.gc.WaitIdleIn(r.Context(), "one"); err != nil {
				r.Error(err)
			}
			r.want("")
		})
	}
}

func TestWaitIdleInNamesCause(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		held := []graph.Object{r.createIn("one", "a", []string{"example.org/x"}), r.createIn("two", "b", []string{"example.org/x"})}
		for _, o := range held {
			r.delete(o, graph.Background)
		}
		ctx, cancel := r.soon()
		defer cancel()
		const want = `the cascade has not ended: context deadline exceeded
held:
  ConfigMap/two/b: finalizers hold it (example.org/x)`
		err := r.gc.WaitIdleIn(ctx, "two")
		if err == nil || err.Error() != want {
			r.Errorf("error\n%v\nwant\n%s", err, want)
		}
		var of *HeldError
		if !errors.As(err, &of) || len(of.Held) != 1 || of.Held[0].Key != held[1].Key { // the text has no UIDs
			r.Errorf("error %#v, want one of %s", err, held[1].Key)
		}
	})
}

// TestParallel: two parallel tests share one collector, each in its own namespace.
func TestParallel(t *testing.T) {
	s, at := serve(t)
	gc, err := Start(at, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := gc.Stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("with an operator", func(t *testing.T) {
		t.Parallel()
		r := &rig{server: s, T: t, gc: gc}
		a := r.createIn("first", "a", nil)
		b := r.createIn("first", "b", []string{"example.org/cleanup"}, a)
		r.delete(a, graph.Foreground)
		time.AfterFunc(100*time.Millisecond, func() { r.drop(b, "example.org/cleanup") }) // the operator under test
		if err := gc.WaitIdleIn(t.Context(), "first"); err != nil {
			t.Error(err)
		}
	})
	t.Run("with a cascade", func(t *testing.T) {
		t.Parallel()
		r := &rig{server: s, T: t, gc: gc}
		a := r.createIn("second", "a", nil)
		r.createIn("second", "b", nil, a)
		r.delete(a, graph.Foreground)
		if err := gc.WaitIdleIn(t.Context(), "second"); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if left := (&rig{server: s, T: t}).names(); left != "" {
			t.Errorf("the server has %q", left)
		}
	})
}
