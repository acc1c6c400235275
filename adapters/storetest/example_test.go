package storetest_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
)

// hasty is a store with a bug: it deletes an object that has changed since the
// engine judged it.
type hasty struct{ *memory.Store }

func (h hasty) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	opts.Precondition.Version = ""
	return h.Store.Delete(ctx, key, opts)
}

// open returns an empty store for one law, which is also the client of its users.
func open(tb storetest.TB) *memory.Store {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{
		{Kind: "team"}, {Kind: "bucket", Scoped: true}, {Kind: "photo", Scoped: true},
	}})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return store
}

// In a test, storetest.Test(t, config) does this in ten lines. Without names the
// promises that this store cannot show, since it has no hooks.
func Example() {
	config := storetest.Config{
		New: func(tb storetest.TB) storetest.Subject {
			store := open(tb)
			return storetest.Subject{Store: hasty{store}, Client: store}
		},
		Without: []storetest.Promise{
			storetest.Compaction, storetest.BrokenConnections, storetest.Rewinds, storetest.SickKinds, storetest.ChangingKinds, storetest.Durability,
			storetest.Labels, storetest.SecondHandles, storetest.Outages, storetest.FailedCommits,
		},
	}
	for _, r := range storetest.Judge(context.Background(), config).Of(storetest.Broken) {
		fmt.Println(r.Law)
		fmt.Println(r.Why)
	}

	config.New = func(tb storetest.TB) storetest.Subject { // repaired
		store := open(tb)
		return storetest.Subject{Store: store, Client: store}
	}
	fmt.Println(storetest.Check(context.Background(), config))
	// Output:
	// delete/version-precondition
	// the engine deletes an object that has just been given an owner
	// <nil>
}
