package ownergraph_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestVerdictExpires: the store refuses the write of a verdict for an hour, and objects come
// below the root. The guard judges anew before the next write.
func TestVerdictExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		three := 3
		var refuses atomic.Bool
		s := newTap(t, "a; n/0 -> a")
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "patch" && refuses.Load() {
				return fmt.Errorf("no: %w", ownergraph.ErrRefused)
			}
			return do()
		}
		r := collect(t, s, guarding(guard.Guard{Names: []string{"a"}, Above: &three}))
		r.idle()
		refuses.Store(true)
		s.delete(t, "a", graph.Background)
		pass(time.Hour)
		for i := range 3 {
			s.create(t, fmt.Sprintf("n/%d -> a", i+1))
		}
		pass(time.Hour)
		refuses.Store(false)
		pass(time.Hour)
		if n := len(s.Objects()); n != 5 {
			t.Errorf("%d objects are left of 5: four end, and the limit is 3", n)
		}
	})
}

// TestVerdictOfFormerHistory: between the verdict and its write the store is restored, objects
// come, and a user marks the root again. The write meets a conflict, and the guard judges anew.
func TestVerdictOfFormerHistory(t *testing.T) {
	for range 20 { // with the read of the conflict before the watch, and after it
		synctest.Test(t, func(t *testing.T) {
			two := 2
			s := newTap(t, "a; b -> a; c -> b; n/q")
			r := collect(t, s, guarding(guard.Guard{Names: []string{"a"}, Above: &two}))
			r.idle()
			before := s.Inside(inside.Key{}).Snapshot()
			restored := false
			s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
				if verb == "patch" && key.Name == "a" && !restored {
					restored = true
					if err := s.Inside(inside.Key{}).Restore(before); err != nil {
						t.Error(err)
					}
					s.create(t, "n/0 -> a")
					s.delete(t, "a", graph.Background)
				}
				return do()
			}
			s.delete(t, "a", graph.Background)
			pass(time.Hour)
			if n := len(s.Objects()); !restored || n != 5 {
				t.Errorf("%d objects are left of 5: three end, and the limit is 2", n)
			}
		})
	}
}
