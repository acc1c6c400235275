package script

import (
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// remove lets another client take a finalizer off an object. Approvals do so with the hold of
// a guard.
func (r *runner) remove(arg string) error {
	key, name, ok := strings.Cut(arg, " ")
	k, err := graph.ParseKey(key)
	if err != nil || !ok {
		return errUsage
	}
	if name == "hold" {
		name = graph.FinalizerHold
	}
	r.note(oracle.Action{Verb: oracle.Touch, Object: graph.Object{Key: k}})
	if !r.w.Drop(k, name) {
		r.printf("unchanged")
	}
	return nil
}
