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

// TestCollectorAsksForKinds: the Collector begins the watch anew after a refused set of
// kinds, more and more rarely. Deletions wait for a good set, and go on after it.
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
		s.contains(t, "a~[foreground]; b~[foreground] -> a!")
		good.Store(1)
		pass(10 * time.Minute)
		r.idle()
		s.contains(t, "")
	})
}
