package finalizer

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Create returns the object that a store keeps of a user's new object. The outcome is
// always Stored.
//
//   - Key without its UID, Owners, Finalizers and ObservedGeneration are the writer's.
//   - UID, Version, Generation, Deleting and GraceSeconds are the store's. A value in one
//     of them is refused. Kubernetes clears them in silence.
//   - The object has generation 1. A store without generations sets it to 0.
//   - graph.Validate judges the object by the limits. So the finalizers are sound, and at
//     most one of them is for propagation.
//
// The outcome's object has no UID and no version yet, and the store gives it both. The
// UID must be random, so that no reference can name it in advance, and no store may use
// it again. The store judges whether the place is free, the kind is served and the scope
// exists.
//
// Errors: ErrRefused for a field of the store, and ErrRefused with ErrInvalid for an
// unsound object.
//
//test:by TestCreate TestCreateLaws
func Create(wanted graph.Object, limits graph.Limits) (Outcome, error) {
	if err := graph.Validate(wanted, limits); err != nil { // it comes first because it bounds the message below
		return Outcome{}, fmt.Errorf("create: %w: %w", graph.ErrRefused, err)
	}
	if field, cause := madeByStore(wanted); field != "" {
		name := strings.TrimSuffix(wanted.Key.String(), `@""`)
		return Outcome{}, fmt.Errorf("create %s: %s: %s: %w", name, field, cause, graph.ErrRefused)
	}
	next := wanted.Clone()
	next.Generation = 1
	return Outcome{Stored, next}, nil
}

// madeByStore returns the first field of a new object that only the store may fill, and
// the cause, "" if all are empty.
func madeByStore(o graph.Object) (field, cause string) {
	switch {
	case o.UID != "":
		return "uid", "the store makes it"
	case o.Version != "":
		return "version", "the store makes it"
	case o.Deleting:
		return "deleting", "only a deletion sets the mark"
	case o.GraceSeconds != 0:
		return "graceSeconds", "only a deletion sets it"
	case o.Generation != 0:
		return "generation", "the store makes it"
	}
	return "", ""
}
