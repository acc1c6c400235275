package ownergraph_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
)

// TestFollowOrphan: the progress of an orphan deletion is the number of references that have gone. Its
// dependents stay, so they are no members.
func TestFollowOrphan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := "p/s/a; p/s/c -> p/s/b0"
		for i := range 10 {
			objects += fmt.Sprintf("; p/s/b%d -> p/s/a", i)
		}
		s := newTap(t, objects)
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "patch" {
				pass(time.Second)
			}
			return do()
		}
		r := collect(t, s, ownergraph.Config{Workers: 1})
		r.idle()
		outcome := r.follows(keyOf(t, "p/s/a"))
		s.delete(t, "p/s/a", ownergraph.Orphan)
		f := outcome()
		f.want(t, "1 known, 1 gone, 0 left, 0 held, done true", "the dependents stay")
		between := 0
		for i, p := range f.all {
			switch {
			case !p.Begun:
			case p.Known != 1 || p.References != 10 || p.Held > 0 || p.Dropped < f.all[max(i-1, 0)].Dropped:
				t.Errorf("progress %d is %+v, want 1 known of 10 references", i, p)
			case p.Dropped > 0 && p.Dropped < 10:
				between++
			}
		}
		if last := f.all[len(f.all)-1]; last.Dropped != 10 || between < 3 {
			t.Errorf("%d reports with some references dropped, and the last one is %+v", between, last)
		}
	})
}
