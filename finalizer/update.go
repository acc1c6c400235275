package finalizer

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Update returns the effect of replacing the live object by wanted.
//
//   - Owners, Finalizers and ObservedGeneration are the writer's. Those of wanted replace
//     the live ones.
//   - UID and Version are preconditions. An empty one demands nothing.
//   - Deleting, GraceSeconds and Generation are the store's. Zero stands for the live
//     value, so a writer need not know them, and can never clear the mark (Kubernetes).
//     Any value but zero and the live one is refused.
//   - A marked object gains no finalizer. Only a deletion adds a propagation finalizer
//     (proposal, "API changes"; Kubernetes).
//   - A marked object whose last finalizer goes is removed if its grace period is 0.
//     Otherwise it stays (proposal, update handler).
//
// A store checks an outcome that is Stored by graph.Validate. It does not check one that
// is Removed, so that a flawed object can go.
//
// Errors: ErrConflict for another UID or version. ErrRefused for a field of the store, a
// finalizer added too late, and other coordinates.
//
//test:by TestUpdate TestLaws
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
	return conclude(live, next), nil
}

// Patch returns the effect of applying change to the live object, by the rules of Update.
// The argument pre is the precondition.
//
// Errors: ErrConflict if pre is not met, and ErrRefused for a finalizer added too
// late.
//
//test:by TestPatch TestLaws
func Patch(live graph.Object, pre graph.Precondition, change graph.Change) (Outcome, error) {
	const verb = "patch"
	if err := check(verb, live, pre); err != nil {
		return Outcome{}, err
	}
	next := change.Apply(live)
	if err := checkFinalizers(verb, live, next); err != nil {
		return Outcome{}, err
	}
	return conclude(live, next), nil
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
