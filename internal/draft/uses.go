package draft

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// uses is the set of the policies of the references from one part to another one. It is empty for
// references without a policy. An object with references of both sorts is flawed.
type uses uint8

const (
	usesCascade uses = 1 << iota
	usesRelease
	usesRestrict
)

// useOf returns the policy of a reference as a set. An unknown policy makes its object flawed, so its
// effect does not matter.
func useOf(r *graph.Owner) uses {
	switch r.OnDelete {
	case graph.OnDeleteCascade:
		return usesCascade
	case graph.OnDeleteRelease:
		return usesRelease
	case graph.OnDeleteRestrict:
		return usesRestrict
	}
	return 0
}

// counts reports whether the references are unset. Such owners keep the object together.
func (l link) counts() bool { return l.uses == 0 }

// cascades reports whether the end of the owner alone deletes the object.
func (l link) cascades() bool { return l.uses&usesCascade != 0 }

// deletes reports whether the end of the owner may delete the object.
func (l link) deletes() bool { return l.counts() || l.cascades() }

// restricts reports whether the object holds the deletion of the owner.
func (l link) restricts() bool { return l.uses&usesRestrict != 0 }

// loose is rule 8.
func (s *survey) loose(i int32) bool {
	return !s.goes[i] && slices.ContainsFunc(s.owners[i], func(l link) bool {
		return l.uses&usesRelease != 0 && !l.block && l.owner >= 0 && s.goes[l.owner] && s.foreground[l.owner] && s.held[l.owner]
	})
}

// MayEnd returns the possible parts that may go. Of the others only a reference is possible.
//
//test:by TestMayEnd
func MayEnd(q Question) []bool {
	_, ends := chances(q)
	return ends
}

// linkDeleted finds the dependents that the end of each part may delete, and those that it spares. It is the
// inverse of owners.
//
//test:by TestPossibleByPolicies
func (s *survey) linkDeleted() {
	s.deleted, s.spared = s.Dependents, make([][]int32, len(s.Parts))
	if !slices.ContainsFunc(s.Parts, hasPolicy) {
		return
	}
	s.deleted = make([][]int32, len(s.Parts))
	for i := range s.owners {
		for _, l := range s.owners[i] {
			switch {
			case l.owner < 0:
			case l.deletes():
				s.deleted[l.owner] = append(s.deleted[l.owner], int32(i))
			default:
				s.spared[l.owner] = append(s.spared[l.owner], int32(i))
			}
		}
	}
}

func hasPolicy(p excerpt.Part) bool {
	return slices.ContainsFunc(p.Object.Owners, func(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteUnset })
}
