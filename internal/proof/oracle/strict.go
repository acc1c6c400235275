package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Refused reports whether a store of level 3 refuses the action because of a reference
// (W4). An action that has no effect adds no reference.
//
//test:by TestStrictEnds
func (a Action) Refused(s State) bool {
	switch i := s.find(a.Object.Key); {
	case a.Verb == Create:
		if _, made := s.create(a.Object); !made {
			return false
		}
		return s.refuses(nil, a.Object.Owners)
	case !a.Verb.takesRef() || i < 0:
		return false
	default:
		return s.refuses(s.objects[i].Owners, a.change(s.objects[i].Object).Owners)
	}
}

// refuses reports whether one of the references is new, and its owner takes no dependent.
func (s State) refuses(had, refs []graph.Owner) bool {
	return slices.ContainsFunc(refs, func(r graph.Owner) bool {
		old := func(p graph.Owner) bool { return p.Same(r) && (p.Block || !r.Block) }
		return !r.Unresolved && !slices.ContainsFunc(had, old) && !s.takes(r.Key)
	})
}

// takes reports whether the object with this key may get a dependent.
func (s State) takes(key graph.Key) bool {
	i := s.find(key)
	return i >= 0 && !s.objects[i].Waiting() && !s.objects[i].Orphaning()
}
