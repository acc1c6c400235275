package main

import (
	"context"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// TestKit holds the store to the conformance kit, as anybody's store can be held
// in its own CI. What the store does not promise stands in Without.
func TestKit(t *testing.T) {
	storetest.Test(t, storetest.Config{
		New: func(storetest.TB) storetest.Subject {
			s := NewStore("Team", "Repo", "Page")
			return storetest.Subject{Store: s, Client: client{s}}
		},
		Without: []storetest.Promise{storetest.ScopedKinds, storetest.Compaction, storetest.BrokenConnections, storetest.SickKinds,
			storetest.ChangingKinds, storetest.Durability, storetest.SecondHandles, storetest.Outages, storetest.FailedCommits},
	})
}

// client does what users of the store do.
type client struct{ s *Store }

func (c client) Create(_ context.Context, o graph.Object) (graph.Object, error) { return c.s.add(o) }

func (c client) Update(_ context.Context, o graph.Object) (graph.Object, error) {
	return c.s.Update(graph.Object{Key: o.Key, Version: o.Version, Owners: o.Owners, Finalizers: o.Finalizers})
}

func (c client) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	return c.s.Delete(ctx, key, opts)
}
