package policy

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Action is what a decision asks for.
type Action uint8

const (
	// ActionUnset is no action.
	ActionUnset Action = iota
	// Keep: nothing to do until something changes.
	Keep
	// Wait: nothing to do until what Reason names has happened.
	Wait
	// Verify: read the owners that Owners lists, then decide again.
	Verify
	// Trim: drop the references that Owners lists, beside a solid owner.
	Trim
	// Orphan: drop the references that Owners lists: an owner leaves the object.
	Orphan
	// Unblock: clear Block of the references that Owners lists.
	Unblock
	// Delete the object with Propagation.
	Delete
	// Release: drop Finalizer.
	Release
	// Attach: add Finalizer.
	Attach
)

var actionNames = [...]string{"unset", "keep", "wait", "verify", "trim", "orphan", "unblock", "delete", "release", "attach"}

// String returns the action in lower case.
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("action(%d)", uint8(a))
}

// Writes reports whether the action changes the store.
func (a Action) Writes() bool { return Trim <= a && a <= Attach }

// Decision is what should happen to one object now, and why. It is a value;
// the receiver owns Owners.
type Decision struct {
	Action Action
	Reason Reason
	// Doubt says more where Reason is OwnerUnknown.
	Doubt graph.Doubt
	// Owners lists references by their index, ascending: those to verify, drop
	// or unblock, or those that the decision waits for.
	Owners []int
	// Propagation and GraceSeconds go with Delete; nil leaves the grace period
	// to the store.
	Propagation  graph.Propagation
	GraceSeconds *int64
	// Finalizer goes with Release and Attach.
	Finalizer string
	// BestEffort: the store's guarantees, or a setting, do not make it exact.
	BestEffort bool
}
