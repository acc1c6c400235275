package ownergraph_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
)

// TestCollectorsRunOneHandler: two collectors run a handler for one object at the same
// time. One collector does not.
func TestCollectorsRunOneHandler(t *testing.T) {
	for _, c := range []struct {
		collectors, atOnce int
		reason             string
	}{
		{1, 1, "a collector knows its own runs"},
		{2, 2, "and none of another collector's"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "a[x]")
			var mu sync.Mutex
			under, most := 0, 0
			add := func(n int) {
				mu.Lock()
				defer mu.Unlock()
				under += n
				most = max(most, under)
			}
			cfg := handlers(map[string]finalizer.Handler{"x": func(context.Context, ownergraph.Object) error {
				add(1)
				defer add(-1)
				pass(time.Second)
				return nil
			}})
			var all []*rig
			for range c.collectors {
				all = append(all, collect(t, s, cfg))
			}
			for _, r := range all {
				r.idle()
			}
			s.delete(t, "a", ownergraph.Background)
			for _, r := range all {
				r.idle()
			}
			if most != c.atOnce {
				t.Errorf("%d collectors: %d runs at once, want %d: %s", c.collectors, most, c.atOnce, c.reason)
			}
			s.holds(t, "")
		})
	}
}
