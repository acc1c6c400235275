package replica_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// A caller steps a State write by write, and clones it to try another write.
func Example() {
	state, _ := replica.New(replica.Config{Kinds: []graph.KindInfo{{Kind: "team"}}, UIDPrefix: "uid-"})
	red, _ := state.Create(graph.Object{Key: graph.Key{Kind: "team", Name: "red"}})

	other := state.Clone()
	marked, _ := other.Delete(red.Key(), graph.DeleteOptions{Propagation: graph.Orphan})
	fmt.Println(marked.Event().Type, marked.Object())
	removed, _ := state.Delete(red.Key(), graph.DeleteOptions{Propagation: graph.Background})
	fmt.Println(removed.Event().Type, removed.Key())

	fmt.Println(graph.Format(other.Objects()))
	fmt.Println(graph.Format(state.Objects()))
	// Output:
	// put team/red@uid-1#2~[orphan]%2/0
	// gone team/red@uid-1
	// team/red@uid-1#2~[orphan]%2/0
	//
}
