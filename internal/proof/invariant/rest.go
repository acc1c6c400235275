package invariant

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// Rest returns the breach of a store at rest. The breach is a holder without a
// guard, an empty holder that stays, or a member that could go. Excused members
// are held for another reason.
func (s *Sweeps) Rest(excused func(o graph.Object) bool) error {
	for _, p := range s.plans {
		for _, h := range s.all {
			if !p.IsHolder(h) || p.Fit(h) != nil || h.Orphaning() || excused(h) {
				continue
			}
			if bad := s.rests(p, h, excused); bad != nil {
				return bad
			}
		}
	}
	return nil
}

func (s *Sweeps) rests(p *plan.Plan, h graph.Object, excused func(o graph.Object) bool) *Breach {
	guarded := h.HasFinalizer(p.Sweep().Finalizer)
	left, n := make([]int, p.Phases()), 0
	for _, o := range s.all {
		if s.member(p, h, o) {
			left[p.PhaseOf(o)]++
			n++
		}
	}
	switch {
	case !h.Deleting && !guarded:
		return &Breach{Rule: "L12", Object: h.Key, text: "%[1]s lives and is not guarded"}
	case !h.Deleting || !guarded:
		return nil
	case n == 0:
		return &Breach{Rule: "L12", Object: h.Key, text: "%[1]s has no members and is not released"}
	}
	stays := func(o graph.Object) bool {
		return o.Deleting || p.PhaseOf(o) >= p.Open(left) || excused(o) || s.contested(h, o, s.all) || s.kept(p, h, o)
	}
	for _, o := range s.all {
		if s.member(p, h, o) && !stays(o) && !s.hides(p, h, o, stays) {
			return &Breach{Rule: "L12", Object: o.Key, Other: h.Key, text: "%[1]s remains of %[2]s, and is not held"}
		}
	}
	return nil
}

// kept reports whether a member by owner references alone may have another owner.
// The graph decides whether that owner exists.
func (s *Sweeps) kept(p *plan.Plan, h, o graph.Object) bool {
	others := func(r graph.Owner) bool { return r.Key != h.Key && !self(&o, &r) }
	return s.owned(p, h, o) && slices.ContainsFunc(o.Owners, others)
}

// hides reports whether the engine may not know of a member yet. Labels alone make
// it a member, and other members stay. The engine selects by labels when the others
// are gone.
func (s *Sweeps) hides(p *plan.Plan, h, o graph.Object, stays func(o graph.Object) bool) bool {
	return !memberAlways(p, h, o) && slices.ContainsFunc(s.all, func(x graph.Object) bool { return s.member(p, h, x) && stays(x) })
}
