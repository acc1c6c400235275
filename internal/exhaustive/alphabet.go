package exhaustive

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
)

// alphabet returns what a user may do to the store as it is: delete each object
// in three ways, also one that is marked; strip a propagation finalizer; add a
// plain or blocking reference to any of the named objects, or to any that
// lives; drop a reference; create an object that is gone again, under the same
// name.
func alphabet(s *world.Store, start []graph.Object) []oracle.Action {
	var out []oracle.Action
	add := func(v oracle.Verb, k graph.Key, owners ...graph.Owner) {
		out = append(out, oracle.Action{Verb: v, Object: graph.Object{Key: k, Owners: owners}})
	}
	for i, first := range start {
		o, err := s.Get(first.Key)
		if err != nil {
			add(oracle.Recreate, first.Key)
			continue
		}
		for _, v := range [...]oracle.Verb{oracle.Background, oracle.Foreground, oracle.Orphan} {
			add(v, o.Key)
		}
		if o.Deleting && o.Propagation() != graph.Unset {
			add(oracle.Strip, o.Key)
		}
		for j, other := range start {
			if i == j {
				continue
			}
			for _, k := range incarnations(s, other.Key) {
				r := graph.Owner{Key: k}
				if slices.ContainsFunc(o.Owners, r.Same) {
					add(oracle.DropRef, o.Key, r)
					continue
				}
				add(oracle.AddRef, o.Key, r)
				r.Block = true
				add(oracle.AddRef, o.Key, r)
			}
		}
	}
	return out
}

// incarnations returns the keys of a name that a reference may be made to: of
// the first incarnation, which may be gone, and of the one that lives.
func incarnations(s *world.Store, first graph.Key) []graph.Key {
	if o, err := s.Get(first); err == nil && o.Key != first {
		return []graph.Key{first, o.Key}
	}
	return []graph.Key{first}
}
