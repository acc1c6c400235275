package ownergraph_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// twice is a set of kinds that no engine takes.
func twice() graph.Event {
	return graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "b", Scoped: true}}}
}

// TestKindsLostAreAskedFor: after a set of kinds was refused the engine asks for another
// one, more and more rarely, and not once there is one. Kinds that have to be listed
// have their turns in between.
func TestKindsLostAreAskedFor(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	if err := s.e.Observe(s.now, twice()); err == nil {
		t.Fatal("a kind that is described twice was taken")
	}
	_ = s.e.Observe(s.now, graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "b", Name: "x", UID: "x"}}}) // without a version
	asked := map[graph.Kind]int{}
	count := func(c ownergraph.Call) error {
		asked[c.Kind]++
		return nil
	}
	s.lasts(time.Hour, count, nil)
	if asked[""] < 6 || asked["b"] < 6 || asked[""]+asked["b"] > 24 {
		t.Errorf("asked %v times in an hour, for the set of kinds and for one that is to be listed", asked)
	}
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}})
	s.list("b")
	clear(asked)
	if s.lasts(time.Hour, count, nil); len(asked) > 0 {
		t.Errorf("asked %v times though the set is known", asked)
	}
}

// TestCollectorAsksForKinds: a watch that says a set of kinds which is refused begins
// anew, and what has waited for the set goes on when it is taken; as long as it is not
// the watch begins anew more and more rarely.
func TestCollectorAsksForKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a!")
		var runs, good atomic.Int32
		s.watch = func(ctx context.Context, sink sinkFunc, do watchFunc) error {
			n := runs.Add(1)
			return do(ctx, func(ev ownergraph.Event) error {
				if ev.Type == graph.KindsKnown && good.Load() == 0 && n > 1 {
					ev = twice()
				}
				err := sink(ev)
				if ev.Type == graph.ListEnded && n == 1 && err == nil {
					err = sink(twice())
				}
				return err
			})
		}
		r := collect(t, s, ownergraph.Config{})
		pass(time.Hour)
		if n := runs.Load(); n < 5 || n > 25 {
			t.Errorf("the watch began %d times in an hour", n)
		}
		if err := s.Delete(t.Context(), graph.Key{Kind: "a", Name: "a"}, ownergraph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		s.holds(t, "a~[foreground]; b~[foreground] -> a!")
		good.Store(1)
		pass(10 * time.Minute)
		r.idle()
		s.holds(t, "")
	})
}
