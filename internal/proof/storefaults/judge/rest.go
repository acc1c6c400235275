package judge

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// Waiting returns the objects that wait for a step of a collector, or of a handler. It is
// empty for a database at rest. The hold finalizers of users count too, so users remove them before.
//
//test:by TestWaiting
func Waiting(objects []graph.Object) (out []string) {
	live := map[graph.Key]bool{}
	for _, o := range objects {
		live[o.Key] = true
	}
	for _, o := range objects {
		gone := func(r graph.Owner) bool { return !r.Unresolved && !live[r.Key] }
		switch {
		case o.Deleting:
			out = append(out, fmt.Sprintf("%s is marked and still there", o))
		case isGarbage(o, gone):
			out = append(out, fmt.Sprintf("%s is there, and the owners are gone that its end follows", o))
		}
	}
	if len(out) == 0 && !oracle.Quiet(oracle.NewState(objects), oracle.Config{Restarts: true, Policies: true}) {
		out = append(out, "a collector has a step left")
	}
	return out
}
