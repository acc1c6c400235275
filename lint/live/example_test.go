package live_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/ownergraph/ownergraph/lint/live"
)

// A running store has the findings of a dump.
func ExampleObserve() {
	objects, err := graph.Parse("pod/shop/web#1 -> set/shop/web")
	if err != nil {
		panic(err)
	}
	store, err := memory.New(memory.Config{
		Kinds:   []graph.KindInfo{{Kind: "pod", Scoped: true}, {Kind: "set", Scoped: true}},
		Objects: objects,
	})
	if err != nil {
		panic(err)
	}
	in, err := live.Observe(context.Background(), store)
	if err != nil {
		panic(err)
	}
	report, err := lint.Check(in, lint.Config{})
	if err != nil {
		panic(err)
	}
	fmt.Print(report)
	// Output:
	// OG001 error pod/shop/web: owners[0].uid: No object has the UID of the owner set/shop/web. Fate: the collector deletes this now.
}
