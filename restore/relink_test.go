package restore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// TestRelink: objects of an import name the former UIDs of their owners. The pause keeps them until their references have
// moved.
func TestRelink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, objects(t, "r"), false, ownergraph.Config{Record: "og"})
		ctx := context.Background()
		if _, _, err := restore.Relink(ctx, r.Collector, nil); !errors.Is(err, ownergraph.ErrInvalid) {
			t.Errorf("without a pause: %v", err)
		}
		if _, err := r.Pause(ctx, engine.Extent{All: true}); err != nil {
			t.Fatal(err)
		}
		former := graph.Key{Kind: "r", Name: "r", UID: "former"}
		for _, name := range []string{"a", "b"} {
			o := graph.Object{Key: graph.Key{Kind: "r", Name: name}, Owners: []graph.Owner{{Key: former, Block: true, OnDelete: graph.OnDeleteCascade}}}
			if _, err := r.s.Create(ctx, o); err != nil {
				t.Fatal(err)
			}
		}
		pass(time.Hour)
		moved, marked, err := restore.Relink(ctx, r.Collector, []graph.Relink{{From: former, To: r.key("r")}})
		if moved != 2 || len(marked) != 0 || err != nil {
			t.Errorf("moved %d, marked %v: %v", moved, marked, err)
		}
		if err := r.Resume(ctx, engine.Extent{All: true}); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		if got, want := r.shape(), "r/a@a -> r!:cascade; r/b@b -> r!:cascade; r"; got != want {
			t.Errorf("the store has %s, want %s", got, want)
		}
	})
}
