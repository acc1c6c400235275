package storetest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
)

// hasty is a store of one's own, with a bug: it deletes what has changed since
// it was judged.
type hasty struct{ *memory.Store }

func (h hasty) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	opts.Precondition.Version = ""
	return h.Store.Delete(ctx, key, opts)
}

// open returns an empty store for one law, and what its users do.
func open(tb storetest.TB) *memory.Store {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{
		{Kind: "team"}, {Kind: "bucket", Scoped: true}, {Kind: "photo", Scoped: true},
	}})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return store
}

// In a test it is storetest.Test(t, config): ten lines. Without names what this
// store does not show, since it has no hooks.
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
	err := storetest.Check(context.Background(), config)

	var failure *storetest.Failure
	if errors.As(err, &failure) {
		for _, r := range failure.Report.Of(storetest.Broken) {
			fmt.Println(r.Law)
			fmt.Println(r.Why)
		}
	}

	config.New = func(tb storetest.TB) storetest.Subject { // mended
		store := open(tb)
		return storetest.Subject{Store: store, Client: store}
	}
	fmt.Println(storetest.Check(context.Background(), config))
	// Output:
	// delete/version-precondition
	// an object that has just been given an owner is deleted for not having one
	// <nil>
}
