package graph_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// A store may have objects from before it called Validate. Flaw finds those that the
// engine would hold as policy.ObjectFlawed.
func ExampleFlaw() {
	for _, text := range []string{"pod/shop/web -> rs/shop/web!", "pod/shop/db -> rs/shop/db@7^, rs/shop/db2@8^"} {
		o, _ := graph.ParseObject(text)
		fmt.Println(graph.Flaw(o, graph.Limits{}))
	}
	// Output:
	// <nil>
	// validate pod/shop/db: owners: 2 controllers: invalid
}
