package graph_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Tests and logs write objects in one line: kind, scope and name, then the version, the
// finalizers and the owner references.
func ExampleParse() {
	objects, err := graph.Parse("pod/shop/web-1#7[example.org/empty] -> set/shop/web!^; set/shop/web#3~")
	if err != nil {
		fmt.Println(err)
		return
	}
	pod, set := objects[0], objects[1]
	fmt.Println(pod.Owners[0].Same(graph.Owner{Key: set.Key}), pod.Owners[0].Block, set.Deleting)
	fmt.Println(graph.Format(objects))
	// Output:
	// true true true
	// pod/shop/web-1#7[example.org/empty] -> set/shop/web!^; set/shop/web#3~
}
