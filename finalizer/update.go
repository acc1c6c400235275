package finalizer

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Update says what replacing the live object by wanted does.
//
//   - Owners, Finalizers and ObservedGeneration are the writer's: wanted's take
//     the place of the live ones.
//   - UID and Version are preconditions; empty demands nothing.
//   - Deleting, GraceSeconds and Generation are the store's. Zero stands for
//     the live value, so a writer need not know them, and can never clear the
//     mark (Kubernetes). Another value than the live one is refused.
//   - A marked object gains no finalizer, not even one for propagation: that
//     takes a deletion (proposal, "API changes"; Kubernetes).
//   - A marked object whose last finalizer goes is removed if its grace period
//     is 0, and stays otherwise (proposal, update handler).
//
// Errors: ErrConflict where UID or version differ, ErrRefused for a field of
// the store, a finalizer added too late, or other coordinates.
//
// A store judges the object of an outcome that is Stored by graph.Validate. It does
// not judge one that is Removed: what is flawed can go. Held by TestUpdate and
// TestLaws.
func Update(live, wanted graph.Object) (Outcome, error) {
	const verb = "update"
	if wanted.Place() != live.Place() {
		return Outcome{}, refuse(verb, live, "name", fmt.Sprintf("%s is another object", wanted.Key), graph.ErrRefused)
	}
	if err := check(verb, live, graph.Precondition{UID: wanted.UID, Version: wanted.Version}); err != nil {
		return Outcome{}, err
	}
	if err := checkOwned(verb, live, wanted); err != nil {
		return Outcome{}, err
	}
	next := wanted.Clone()
	next.Key, next.Version = live.Key, live.Version
	next.Deleting, next.GraceSeconds, next.Generation = live.Deleting, live.GraceSeconds, live.Generation
	if err := checkFinalizers(verb, live, next); err != nil {
		return Outcome{}, err
	}
	return settle(live, next), nil
}

// Patch says what applying change to the live object does: Update's rules,
// and pre as the precondition.
//
// Errors: ErrConflict where pre does not hold, ErrRefused for a finalizer added
// too late. Held by TestPatch and TestLaws.
func Patch(live graph.Object, pre graph.Precondition, change graph.Change) (Outcome, error) {
	const verb = "patch"
	if err := check(verb, live, pre); err != nil {
		return Outcome{}, err
	}
	next := change.Apply(live)
	if err := checkFinalizers(verb, live, next); err != nil {
		return Outcome{}, err
	}
	return settle(live, next), nil
}

// checkOwned refuses a write to the fields that only the store writes.
func checkOwned(verb string, live, wanted graph.Object) error {
	switch {
	case wanted.Deleting && !live.Deleting:
		return refuse(verb, live, "deleting", "only a deletion sets the mark", graph.ErrRefused)
	case wanted.GraceSeconds != 0 && wanted.GraceSeconds != live.GraceSeconds:
		return refuse(verb, live, "graceSeconds", "only a deletion sets it", graph.ErrRefused)
	case wanted.Generation != 0 && wanted.Generation != live.Generation:
		return refuse(verb, live, "generation", fmt.Sprintf("is %d and the store's", live.Generation), graph.ErrRefused)
	}
	return nil
}

func checkFinalizers(verb string, live, next graph.Object) error {
	if !live.Deleting {
		return nil
	}
	for _, f := range next.Finalizers {
		if !slices.Contains(live.Finalizers, f) {
			return refuse(verb, live, "finalizers", fmt.Sprintf("%q comes too late, the object is being deleted", f), graph.ErrRefused)
		}
	}
	return nil
}
