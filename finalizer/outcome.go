package finalizer

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Effect is the effect of a write on the live object.
type Effect uint8

const (
	// EffectUnset comes with an error. The store does nothing.
	EffectUnset Effect = iota
	// Unchanged says that the live object stays as it is, with its version.
	Unchanged
	// Stored says that the outcome's object replaces the live one. The store gives it a
	// new version.
	Stored
	// Removed says that the object leaves the store.
	Removed
)

var effectNames = [...]string{"unset", "unchanged", "stored", "removed"}

// String returns the effect's name in lower case.
func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return fmt.Sprintf("effect(%d)", uint8(e))
}

// Outcome is the result of a write. It is a value that belongs to the caller and shares
// nothing with the arguments.
type Outcome struct {
	Effect Effect
	// Object is the live object as it is (Unchanged), the object to be stored (Stored),
	// or the last state of the object (Removed). Its version is the live one's.
	Object graph.Object
}

// conclude is the end of every write. It removes a marked object without finalizers and
// without a grace period, after any kind of write (proposal, both handlers).
func conclude(live, next graph.Object) Outcome {
	switch {
	case next.Deleting && next.GraceSeconds == 0 && len(next.Finalizers) == 0:
		return Outcome{Removed, next}
	case next.EqualContent(live):
		return Outcome{Unchanged, next}
	}
	return Outcome{Stored, next}
}

// check compares a precondition with the live object (Kubernetes: UID and resource
// version of the preconditions, a conflict otherwise).
func check(verb string, live graph.Object, p graph.Precondition) error {
	switch {
	case p.Holds(live):
		return nil
	case p.UID != "" && p.UID != live.UID:
		return refuse(verb, live, "uid", fmt.Sprintf("want %q, is %q", p.UID, live.UID), graph.ErrConflict)
	}
	return refuse(verb, live, "version", fmt.Sprintf("want %q, is %q", p.Version, live.Version), graph.ErrConflict)
}

func refuse(verb string, o graph.Object, field, cause string, kind error) error {
	return fmt.Errorf("%s %s: %s: %s: %w", verb, o.Key, field, cause, kind)
}
