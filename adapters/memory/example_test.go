package memory_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

var (
	_ ownergraph.Store  = (*memory.Store)(nil)
	_ ownergraph.Fencer = (*memory.Store)(nil)
	_ ownergraph.Lister = (*memory.Store)(nil)
)

func Example() {
	ctx := context.Background()
	store, err := memory.New(memory.Config{
		Kinds:     []graph.KindInfo{{Kind: "team"}, {Kind: "bucket", Scoped: true}},
		UIDPrefix: "uid-",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	team, _ := store.Create(ctx, graph.Object{Key: graph.Key{Kind: "team", Name: "red"}})
	bucket, _ := store.Create(ctx, graph.Object{
		Key:        graph.Key{Kind: "bucket", Scope: "prod", Name: "photos"},
		Owners:     []graph.Owner{team.ControllerRef()},
		Finalizers: []string{"example.org/empty"},
	})
	fmt.Println(bucket)

	// The finalizer holds it: the deletion marks it, and ends when that goes.
	_ = store.Delete(ctx, bucket.Key, graph.DeleteOptions{})
	marked, _ := store.Get(ctx, bucket.Key)
	fmt.Println(marked)
	_ = store.Patch(ctx, marked.Key, graph.Precondition{UID: marked.UID, Version: marked.Version},
		graph.Change{DropFinalizer: "example.org/empty"})
	_, err = store.Get(ctx, bucket.Key)
	fmt.Println(errors.Is(err, graph.ErrNotFound), err)
	// Output:
	// bucket/prod/photos@uid-2#2[example.org/empty]%1/0 -> team/red@uid-1!^
	// bucket/prod/photos@uid-2#3~[example.org/empty]%2/0 -> team/red@uid-1!^
	// true get bucket/prod/photos@uid-2: not found
}

func ExampleStore_Watch() {
	ctx, stop := context.WithCancel(context.Background())
	store, _ := memory.New(memory.Config{Kinds: []graph.KindInfo{{Kind: "team"}}, UIDPrefix: "uid-"})
	_, _ = store.Create(ctx, graph.Object{Key: graph.Key{Kind: "team", Name: "red"}})

	err := store.Watch(ctx, func(batch []graph.Event) error {
		for _, e := range batch {
			switch e.Type {
			case graph.Put:
				fmt.Println("put", e.Object)
				_ = store.Delete(ctx, e.Object.Key, graph.DeleteOptions{})
			case graph.Gone:
				fmt.Println("gone", e.Key)
				stop()
			case graph.KindsKnown, graph.ListBegun, graph.ListEnded:
				fmt.Println(e.Type)
			}
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// kinds-known
	// list-begun
	// put team/red@uid-1#1%1/0
	// list-ended
	// gone team/red@uid-1
	// context canceled
}
