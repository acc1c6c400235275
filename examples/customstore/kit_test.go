package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// TestKit holds the store to the conformance kit, as anybody's store can be held
// in its own CI. What the store does not promise stands in Lacks.
func TestKit(t *testing.T) {
	storetest.Test(t, storetest.Config{
		New: func(storetest.TB) storetest.Subject {
			s := NewStore("Team", "Repo", "Page")
			return storetest.Subject{Store: s, Client: client{s}}
		},
		Lacks: []storetest.Promise{storetest.ScopedKinds, storetest.Compaction, storetest.Breaks, storetest.SickKinds,
			storetest.ChangingKinds, storetest.Durability},
	})
}

// client does what users of the store do.
type client struct{ s *Store }

func (c client) Create(_ context.Context, o graph.Object) (graph.Object, error) { return c.s.add(o) }

func (c client) Update(_ context.Context, o graph.Object) (graph.Object, error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	live, ok := c.s.objects[o.Kind][o.Place()]
	if !ok {
		return graph.Object{}, fmt.Errorf("update %s: %w", o.Key, graph.ErrNotFound)
	}
	wanted := live.Clone()
	wanted.UID, wanted.Version, wanted.Owners, wanted.Finalizers = o.UID, o.Version, o.Owners, o.Finalizers
	out, err := finalizer.Update(live, wanted.Clone())
	switch out.Effect {
	case finalizer.Stored:
		c.s.commit(out)
		return c.s.objects[o.Kind][o.Place()].Clone(), err
	case finalizer.Removed:
		c.s.commit(out)
	}
	return out.Object.Clone(), err
}

func (c client) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	return c.s.Delete(ctx, key, opts)
}
