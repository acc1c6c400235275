package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Refused reports whether a store of level 3 refuses the action, because of a reference that it
// adds (W4) or because it deletes a restricted object (W5). An action that has no effect adds no
// reference.
//
//test:by TestStrictEnds TestPolicies
func (a Action) Refused(s State) bool {
	switch i := s.find(a.Object.Key); {
	case a.Verb == Create:
		if _, made := s.create(a.Object); !made {
			return false
		}
		return s.refuses(nil, a.Object.Owners)
	case i < 0:
		return false
	case a.Verb == Foreground, a.Verb == Background, a.Verb == Orphan:
		return s.stops(s.objects[i].Object, Config{Strict: true})
	case !a.Verb.takesRef():
		return false
	default:
		return s.refuses(s.objects[i].Owners, a.change(s.objects[i].Object).Owners)
	}
}

// refuses reports whether one of the references is new, and its owner takes no dependent.
func (s State) refuses(had, refs []graph.Owner) bool {
	return slices.ContainsFunc(refs, func(r graph.Owner) bool {
		old := func(p graph.Owner) bool { return p.Same(r) && (p.Block || !r.Block) && p.OnDelete == r.OnDelete }
		return !r.Unresolved && !slices.ContainsFunc(had, old) && !s.takes(r)
	})
}

// takes reports whether the object that the reference names may get it.
func (s State) takes(r graph.Owner) bool {
	i := s.find(r.Key)
	if i < 0 || r.OnDelete == graph.OnDeleteRestrict && s.objects[i].Deleting {
		return false
	}
	return !s.objects[i].Waiting() && !s.objects[i].Orphaning()
}
