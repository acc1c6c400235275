package main

import (
	"context"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// TestKit runs the conformance kit on the store, as you can in your own CI. Without
// lists the promises that the store does not make.
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

// client is a user of the store.
type client struct{ s *Store }

func (c client) Create(_ context.Context, o graph.Object) (graph.Object, error) { return c.s.add(o) }

func (c client) Update(_ context.Context, o graph.Object) (graph.Object, error) {
	return c.s.Update(graph.Object{Key: o.Key, Version: o.Version, Owners: o.Owners, Finalizers: o.Finalizers})
}

func (c client) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	return c.s.Delete(ctx, key, opts)
}
