package finalizer_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// A store calls the rules inside its own transaction and carries out their outcome.
func ExampleDelete() {
	live, _ := graph.ParseObject("bucket/photos#7[example.org/empty]")

	out, _ := finalizer.Delete(live, graph.DeleteOptions{Propagation: graph.Foreground}, graph.Unset)
	fmt.Println(out.Effect, out.Object)

	for _, name := range out.Object.Finalizers {
		out, _ = finalizer.Patch(out.Object, graph.Precondition{}, graph.Change{DropFinalizer: name})
		fmt.Println(out.Effect, out.Object)
	}

	_, err := finalizer.Update(live, graph.Object{Key: live.Key, Version: "6"})
	fmt.Println(err)
	// Output:
	// stored bucket/photos#7~[example.org/empty,foreground]
	// stored bucket/photos#7~[foreground]
	// removed bucket/photos#7~
	// update bucket/photos: version: want "6", is "7": conflict
}

// A store makes the UID and the version. The rules make the other fields.
func ExampleCreate() {
	asked := graph.Object{
		Key:        graph.Key{Kind: "bucket", Name: "photos"},
		Finalizers: []string{"example.org/empty"},
	}
	out, _ := finalizer.Create(asked, graph.Limits{})
	live := out.Object
	live.UID, live.Version = "8d12", "1" // a store takes a random UID
	fmt.Println(out.Effect, live)

	out, _ = finalizer.Update(live, graph.Object{Key: live.Key, Version: "1", Finalizers: []string{"example.org/bill"}})
	fmt.Println(out.Effect, out.Object)

	asked.Finalizers = append(asked.Finalizers, "")
	_, err := finalizer.Create(asked, graph.Limits{})
	fmt.Println(err)
	// Output:
	// stored bucket/photos@8d12#1[example.org/empty]%1/0
	// stored bucket/photos@8d12#1[example.org/bill]%1/0
	// create: refused: validate bucket/photos: finalizers[1]: empty: invalid
}
