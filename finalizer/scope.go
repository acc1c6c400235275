package finalizer

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// ScopeSweep returns the sweep of scopes: each object of the kind stands for the
// scope of its name, as a namespace does. When it is deleted, everything in the
// scope is, first of the kinds that first names, each list of them when the ones
// before are gone, and then of all others; the object goes last. Held by
// TestScopeSweep of adapters/memory, and on a real server by that of internal/e2e.
//
// It is for stores that nobody else empties scopes in. Where the store itself
// guards its scopes with a finalizer that nobody takes off, that one is to be named.
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
