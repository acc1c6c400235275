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
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestCollectorExplain: a running collector explains a finalizer that a dead webhook keeps,
// with the words of the store, an object that is gone, and the sweep of a holder. It makes
// no call for that.
func TestCollectorExplain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a!")
		s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
			if verb == "patch" && key.Kind == "a" {
				return fmt.Errorf(`failed calling webhook "gate.example.com": connection refused: %w`, ownergraph.ErrRefused)
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "a", graph.Foreground)
		r.idle()
		calls := s.count("")
		for _, c := range []struct{ kind, want, reason string }{
			{"a", `exists release DependentsGone; a: StoreRefused store [failed calling webhook "gate.example.com": connection refused: refused]; stuck`,
				"the store refuses the removal of the finalizer, in its own words"},
			{"b", "gone unset Unset; resting", "it was deleted"},
		} {
			x, err := r.Explain(t.Context(), graph.Key{Kind: graph.Kind(c.kind), Name: c.kind})
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(&x); got != c.want {
				t.Errorf("got\n%s\nwant\n%s\n%s", got, c.want, c.reason)
			}
		}
		x, _ := r.Explain(t.Context(), keyOf(t, "a"))
		if want := `a/a has to lose the finalizer foregroundDeletion: nothing blocks it any more. It is stuck. ` +
			`Who has to act: the store (failed calling webhook "gate.example.com": connection refused: refused).`; x.Sentence() != want {
			t.Errorf("sentence %q, want %q", x.Sentence(), want)
		}
		if n := s.count(""); n != calls {
			t.Errorf("%d calls for explanations", n-calls)
		}
	})
}

// TestCollectorExplainSweep: the chain of a holder leads to the member that a finalizer
// holds.
func TestCollectorExplainSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "tenant/t; pod/t/a[x]; pod/t/b")
		r := collect(t, s, ownergraph.Config{Sweeps: []guard.Sweep{guard.ScopeSweep("tenant", "x.io/sweep")}})
		r.idle()
		s.delete(t, "tenant/t", graph.Background)
		r.idle()
		x, err := r.Explain(t.Context(), keyOf(t, "tenant/t"))
		if err != nil {
			t.Fatal(err)
		}
		const want = "exists wait NeedMembers; a: NeedFinalizers controller [x]; pending"
		if got := summary(&x); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// TestCollectorExplainGrace: the engine rests, and a grace period has ended long ago. The
// store or the agent has still to remove the object (RULES, X3).
func TestCollectorExplainGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		grace := int64(30)
		if err := s.Store.Delete(t.Context(), keyOf(t, "a"), graph.DeleteOptions{GraceSeconds: &grace}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			wait   time.Duration
			pace   explain.Pace
			end    explain.End
			reason string
		}{
			{10 * time.Second, explain.Moving, explain.Time, "the period runs"},
			{9 * time.Minute, explain.Stuck, explain.Store, "it is over since minutes"},
		} {
			pass(c.wait)
			x, err := r.Explain(t.Context(), keyOf(t, "a"))
			if pace, next := x.Pace(); err != nil || pace != c.pace || next.End != c.end {
				t.Errorf("%s by %s, error %v, want %s by %s: %s", pace, next.End, err, c.pace, c.end, c.reason)
			}
		}
	})
}

// TestCollectorExplainErrors: an ended context, an unknown key and an ambiguous one are
// errors. A collector that has not begun knows nothing.
func TestCollectorExplainErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a")
		c, err := ownergraph.New(s, ownergraph.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Explain(t.Context(), keyOf(t, "a")); !errors.Is(err, ownergraph.ErrNotFound) {
			t.Errorf("before Run: error %v", err)
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(errTest)
		for _, c := range []struct {
			ctx    context.Context
			key    graph.Key
			want   error
			reason string
		}{
			{ended, graph.Key{Kind: "a", Name: "a"}, errTest, "the context has ended"},
			{t.Context(), graph.Key{Kind: "a", Name: "b"}, ownergraph.ErrNotFound, "no object has the name"},
			{t.Context(), graph.Key{Name: "b"}, ownergraph.ErrInvalid, "the key has no kind"},
			{nil, graph.Key{Kind: "a", Name: "a"}, ownergraph.ErrInvalid, "there is no context"},
		} {
			if _, err := r.Explain(c.ctx, c.key); !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "explain ") {
				t.Errorf("%v: error %v, want %v: %s", c.key, err, c.want, c.reason)
			}
		}
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		x, err := r.Explain(t.Context(), graph.Key{Kind: "a", Name: "a"})
		if err != nil || x.State != explain.Exists {
			t.Errorf("after the end: %s, error %v", x.State, err)
		}
	})
}

// TestCollectorExplainMany: the search by name goes through all nodes, in slices.
func TestCollectorExplainMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a/last")
		for i := range 9000 {
			o := graph.Object{Key: graph.Key{Kind: "a", Name: fmt.Sprint(i)}}
			if _, err := s.Create(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		for _, name := range []string{"last", "0", "8999"} {
			if _, err := r.Explain(t.Context(), graph.Key{Kind: "a", Name: name}); err != nil {
				t.Errorf("%v", err)
			}
		}
		pass(time.Second)
	})
}
