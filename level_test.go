package ownergraph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// TestCollectorAtLevel3: on a store of level 3 an owner in a foreground or orphan deletion
// gets no dependent, and goes when those are done that it has.
func TestCollectorAtLevel3(t *testing.T) {
	for _, tc := range []struct {
		how  graph.Propagation
		left int
	}{{ownergraph.Foreground, 0}, {ownergraph.Orphan, 1}} {
		objects, err := graph.Parse("owner[x.io/user]; dependent[x.io/user] -> owner!")
		if err != nil {
			t.Fatal(err)
		}
		store, err := memory.New(memory.Config{Objects: objects, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		c, err := ownergraph.New(store, ownergraph.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		owner := objects[0]
		if owner.Kind != "owner" {
			owner = objects[1]
		}
		late := graph.Object{Key: graph.Key{Kind: "dependent", Name: "late"}, Owners: []graph.Owner{{Key: owner.Key}}}
		if err := store.Delete(t.Context(), owner.Key, graph.DeleteOptions{Propagation: tc.how}); err != nil {
			t.Fatal(err)
		}
		// The owner is marked: the user's finalizer of the dependent, or its own, holds it.
		if _, err := store.Create(t.Context(), late); tc.how == ownergraph.Foreground && !errors.Is(err, ownergraph.ErrRefused) {
			t.Errorf("%s: create a dependent after the mark: %v, want ErrRefused", tc.how, err)
		}
		for _, o := range objects {
			err := store.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{DropFinalizer: "x.io/user"})
			if err != nil && !errors.Is(err, ownergraph.ErrNotFound) {
				t.Fatal(err)
			}
		}
		if _, err := c.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := store.Objects(); len(left) != tc.left {
			t.Errorf("%s: %s is left, want %d objects", tc.how, graph.Format(left), tc.left)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
