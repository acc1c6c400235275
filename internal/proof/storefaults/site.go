package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// site is a real database with the faults that it can have. Several goroutines may read the
// objects at once. One goroutine uses the other methods.
type site interface {
	// fresh begins an empty database.
	fresh(ctx context.Context, seed uint64) error
	// target names the database, behind the proxy if there is one.
	target() target
	// objects and content read the database directly.
	objects(ctx context.Context) ([]graph.Object, error)
	content(ctx context.Context) (*judge.Content, error)
	faults() []fault
	// end ends what fresh began, and close ends the server too.
	end() error
	close() error
}

// fault is one sort of fault.
type fault struct {
	name string
	// begin begins the fault. The result ends it, and returns when the database serves
	// again.
	begin func(ctx context.Context, rnd *rand.Rand) (end func(context.Context) error, err error)
}

// stores are the names of the stores.
func stores() []string { return []string{"sqlite", "postgres", "etcd"} }

// newSite starts the database of a store. The disk has space for the history of rounds of
// that length.
func newSite(ctx context.Context, store string, lasts time.Duration) (site, error) {
	minutes := int64(lasts / time.Minute)
	switch store {
	case "sqlite":
		return newSQLiteSite((48 + 8*minutes) << 20)
	case "postgres":
		return newPostgresSite((200 + 24*minutes) << 20)
	case "etcd":
		return newEtcdSite(ctx)
	}
	return nil, fmt.Errorf("store %q: want one of %q or all", store, stores())
}

// only returns the faults of a name, or all if it is empty.
func only(list []fault, name string) ([]fault, error) {
	if name == "" {
		return list, nil
	}
	list = slices.DeleteFunc(slices.Clone(list), func(f fault) bool { return f.name != name })
	if len(list) == 0 {
		return nil, fmt.Errorf("fault %q: the store has no such fault", name)
	}
	return list, nil
}
