package restore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// TestIgnoredKinds: a collector does not see the objects of the kind n, which Config.Ignore has. The restore asks the store for
// them: a reference to a living one stays, and an object of the kind comes back once.
func TestIgnoredKinds(t *testing.T) {
	for _, c := range []struct{ store, deleted, want, reason string }{
		{"n/n; m/m; k/k -> n/n, m/m", "k", "k -> n, m; m; n", "the owner lives, and the other one may go first"},
		{"n/n; k/k -> n/n:cascade", "k", "k -> n:cascade; n", "the only owner lives, so no root is refused"},
		{"n/n; k/k -> n/n", "n", "k -> n; n", "a living object moves its reference to the object that is back"},
		{"n/n", "n", "n", "the root is of the kind"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, objects(t, c.store), false, ownergraph.Config{Ignore: []graph.Kind{"n"}})
			r.delete(c.deleted, graph.Background)
			pass(time.Hour)
			for n := range 2 {
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				out, err := restore.Run(ctx, r.Collector, r.request(c.deleted), nil)
				if stop(); err != nil || out.Created != 1-n || len(out.Restored) != 1 {
					t.Errorf("%s: restore %d: %+v, %v", c.reason, n, out, err)
				}
			}
			pass(time.Hour)
			if got := r.shape(); got != c.want {
				t.Errorf("%s: the store has %s, want %s", c.reason, got, c.want)
			}
		})
	}
}

// TestIgnoredGone: a restore tells a living object of an ignored kind from one that has ended.
func TestIgnoredGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, objects(t, "n/n; k/k -> n/n:cascade"), false, ownergraph.Config{Ignore: []graph.Kind{"n"}})
		r.delete("k", graph.Background)
		r.delete("n", graph.Background)
		_, err := r.restore("k")
		var refused *archive.RefusedError
		if !errors.As(err, &refused) || refused.Refused[0].Why != archive.CascadeMissing {
			t.Errorf("the restore of k: %v, want it refused without its owner", err)
		}
		if _, err := r.restore("n", "k"); err != nil {
			t.Error(err)
		}
		if got, want := r.shape(), "k -> n:cascade; n"; got != want {
			t.Errorf("the store has %s, want %s", got, want)
		}
	})
}
