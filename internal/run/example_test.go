package run_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
)

func ExampleRegistry() {
	registry, err := run.NewRegistry(map[string]finalizer.Handler{
		"example.org/empty": func(_ context.Context, o graph.Object) error {
			fmt.Println("emptying", o.Name)
			return nil
		},
		"example.org/bill": func(context.Context, graph.Object) error { panic("no printer") },
	})
	fmt.Println(registry.Names(), err)

	bucket, _ := graph.ParseObject("bucket/photos~[example.org/empty,example.org/bill]")
	for _, name := range bucket.Finalizers {
		fmt.Println(registry.Run(context.Background(), name, bucket))
	}
	// Output:
	// [example.org/bill example.org/empty] <nil>
	// emptying photos
	// <nil>
	// run finalizer "example.org/bill" of bucket/photos: handler panicked: no printer
}
