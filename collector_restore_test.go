package ownergraph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
)

// TestCollectorRestoreInFlight: an owner goes, the delete of its dependent is on its
// way, and a restore brings the owner back before it arrives. The version that it is
// conditioned on is void then, and both objects stay.
func TestCollectorRestoreInFlight(t *testing.T) {
	for _, tc := range []struct {
		name  string
		store func(*tap) ownergraph.Store
	}{
		{"level 2", func(s *tap) ownergraph.Store { return s }},
		{"level 1", func(s *tap) ownergraph.Store { return plain{s} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a")
				arrives := make(chan struct{})
				s.call = func(ctx context.Context, verb string, _ ownergraph.Key, do func() error) error {
					if verb == "delete" {
						select {
						case <-arrives:
						case <-ctx.Done(): // the time of the call is over, and it is carried out all the same
						}
					}
					return do()
				}
				before := s.Snapshot()
				r := collectOn(t, tc.store(s), s, ownergraph.Config{})
				r.idle()
				s.delete(t, "a", ownergraph.Background)
				synctest.Wait()
				if n := s.count("delete"); n != 1 {
					t.Fatalf("%d deletes are on their way, want one", n)
				}
				if err := s.Restore(before); err != nil {
					t.Fatal(err)
				}
				close(arrives)
				r.idle()
				pass(time.Hour)
				s.holds(t, "a; b -> a")
				if st := r.Stats(); st.Conflicts != 1 || st.Gone != 1 {
					t.Errorf("%d conflicts and %d gone, want one conflict, and the owner that had gone", st.Conflicts, st.Gone)
				}
			})
		})
	}
}
