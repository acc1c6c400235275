package guard

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// ScopeSweep returns the sweep of scopes. Each object of the kind stands for the scope of
// its name, as a namespace does. Its deletion deletes every object in the scope. The
// kinds of the lists in first go first, each list after the end of the one before. All
// other kinds follow, and the object itself goes last.
//
// It is for stores in which no other client empties scopes. A store may itself guard its
// scopes with a finalizer that no client removes. Then the sweep must have that
// finalizer.
//
//test:by internal/proof/e2e.TestScopeSweep
func ScopeSweep(holder graph.Kind, finalizer string, first ...[]graph.Kind) Sweep {
	s := Sweep{Finalizer: finalizer, Holder: holder, Members: []Members{{By: ByScope}}}
	for i, kinds := range first {
		s.Phases = append(s.Phases, Phase{Name: fmt.Sprint(kinds), Kinds: kinds, After: i > 0})
	}
	if len(first) > 0 {
		s.Phases = append(s.Phases, Phase{Name: "everything else", After: true})
	}
	return s
}
