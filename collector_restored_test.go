package ownergraph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
)

// TestRestoredPlainStore: a store without optional powers that was restored once
// announces that with every watch. A sweep on it ends all the same, and the watch is not
// restarted again and again (R5).
func TestRestoredPlainStore(t *testing.T) {
	for _, c := range []struct {
		before bool
		reason string
	}{
		{true, "the collector begins after the restore, and has nothing to take back"},
		{false, "it observes the restore, and takes it once"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "holder/x#1; member/1#2 -> holder/x; member/2#3 -> holder/x")
			restore := func() {
				if err := s.Restore(s.Snapshot()); err != nil {
					t.Fatal(err)
				}
			}
			if c.before {
				restore()
			}
			r := collectOn(t, plain{s}, s, ownergraph.Config{Sweeps: []finalizer.Sweep{{
				Finalizer: "x.io/sweep", Holder: "holder", Members: []finalizer.Members{{By: finalizer.ByOwner}},
			}}})
			<-time.After(time.Minute)
			if !c.before {
				restore()
				<-time.After(time.Minute)
			}
			key := ownergraph.Key{Kind: "holder", Name: "x"}
			if err := s.Store.Delete(context.Background(), key, ownergraph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			<-time.After(24 * time.Hour)
			if left := s.Objects(); len(left) > 0 {
				t.Errorf("%v are left after a day: %s", left, c.reason)
			}
			if n := s.count("watch"); n > 40 {
				t.Errorf("%d watches in a day: %s", n, c.reason)
			}
			_ = r.stop()
		})
	}
}
