package policy

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Action is the engine's next step for an object.
type Action uint8

const (
	// ActionUnset is no action.
	ActionUnset Action = iota
	// Keep: there is nothing to do for the object, and the engine asks for nothing. A change of
	// the object or of an owner brings the next decision.
	Keep
	// Wait: the decision needs something that Reason names, such as a fence or the end of a
	// dependent. The object stays until then.
	Wait
	// Verify: the engine reads the owners that Owners lists, then decides again.
	Verify
	// Trim: the engine drops the references that Owners lists, beside a solid owner. With the reason
	// OwnerReleases it drops references with graph.OnDeleteRelease, also beside none.
	Trim
	// Orphan: the engine drops the references that Owners lists, because an orphan deletion of an
	// owner keeps the object.
	Orphan
	// Unblock: the engine clears Block of the references that Owners lists.
	Unblock
	// Delete: the engine deletes the object with Propagation.
	Delete
	// Release: the engine drops Finalizer.
	Release
	// Attach: the engine adds Finalizer.
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

// Decision is the engine's next step for one object, with the reason. It is a value, and
// the receiver owns Owners.
type Decision struct {
	Action Action
	Reason Reason
	// Doubt is the doubt about an owner, with the reason OwnerUnknown.
	Doubt graph.Doubt
	// Owners lists references by their index, ascending. These are the references to
	// verify, drop or unblock, or those for which the decision waits. With CascadeOwnerGone and
	// CascadeOwnerWaits they are those that decide.
	Owners []int
	// Propagation, GraceSeconds and GraceAtMost go with Delete: see graph.DeleteOptions. Nil leaves
	// the grace period to the store.
	Propagation  graph.Propagation
	GraceAtMost  bool
	GraceSeconds *int64
	// Finalizer goes with Release and Attach.
	Finalizer string
	// BestEffort: the decision is not exact, because of the store's guarantees or of a
	// setting.
	BestEffort bool
}
