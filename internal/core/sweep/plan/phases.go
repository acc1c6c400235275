package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// PhaseOf returns the index of the first phase that takes the object. The index is
// len(phases) for an object that no phase takes.
func PhaseOf(phases []guard.Phase, o graph.Object) int {
	for i := range phases {
		if (*phase)(&phases[i]).takes(o) {
			return i
		}
	}
	return len(phases)
}

// MaxPhases bounds the phases of one guard.
const MaxPhases = 64

// CheckPhases returns the faults of the phases of a guard. Each error wraps
// graph.ErrInvalid and names the field. Every phase of a guard waits for the phases before
// it, so After on a later one says nothing new. The deletes of a guard's phases are those of
// ownership, so a phase cannot change their propagation or grace period.
//
//test:by TestCheckPhases
func CheckPhases(phases []guard.Phase) error {
	var errs []error
	bad := func(is bool, at, cause string) {
		if is {
			errs = append(errs, fmt.Errorf("%s: %s: %w", at, cause, graph.ErrInvalid))
		}
	}
	bad(len(phases) > MaxPhases, "Phases", fmt.Sprintf("%d, at most %d", len(phases), MaxPhases))
	for i := range phases {
		p, at := &phases[i], fmt.Sprintf("Phases[%d]", i)
		bad(slices.Contains(p.Kinds, ""), at+".Kinds", "an empty kind")
		bad(p.After && i == 0, at+".After", "no phase is before it")
		bad(p.Propagation != graph.Unset, at+".Propagation", "the phases of a guard have none")
		bad(p.GraceSeconds != nil, at+".GraceSeconds", "the phases of a guard have none")
		before := slices.IndexFunc(phases[:i], func(q guard.Phase) bool { return (*phase)(&q).covers((*phase)(p)) })
		bad(before >= 0, at, fmt.Sprintf("it matches nothing: Phases[%d] takes all of it", before))
	}
	return errors.Join(errs...)
}
