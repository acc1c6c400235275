package finalizer

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Effect says what a write does to the live object.
type Effect uint8

const (
	// EffectUnset comes with an error: nothing is to be done.
	EffectUnset Effect = iota
	// Unchanged says that the live object stays as it is, its version too.
	Unchanged
	// Stored says that the outcome's object takes the live one's place. The
	// store gives it a new version.
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

// Outcome is what has to become of an object. It is a value that belongs to
// the caller and shares nothing with the arguments it was made from.
type Outcome struct {
	Effect Effect
	// Object is the live object as it is (Unchanged), as it has to be stored
	// (Stored), or as it was last (Removed). Its version is the live one's.
	Object graph.Object
}

// settle is the end of every write. An object that is marked, has no finalizer
// and no grace period left is removed, whichever write brought that about
// (proposal, both handlers).
func settle(live, next graph.Object) Outcome {
	switch {
	case next.Deleting && next.GraceSeconds == 0 && len(next.Finalizers) == 0:
		return Outcome{Removed, next}
	case next.EqualContent(live):
		return Outcome{Unchanged, next}
	}
	return Outcome{Stored, next}
}

// check compares a precondition with the live object (Kubernetes: UID and
// resource version of the preconditions, a conflict otherwise).
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
