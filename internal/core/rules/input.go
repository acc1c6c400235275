package rules

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// ReadState is what a read showed of an owner. It is no part of the graph.
type ReadState uint8

const (
	// ReadUnset: no read that counts has shown the owner.
	ReadUnset ReadState = iota
	// ReadSolid: it exists and does not wait.
	ReadSolid
	// ReadWaiting: it waits for its dependents.
	ReadWaiting
	// ReadOrphaning: it is being deleted and leaves its dependents.
	ReadOrphaning
)

var readStateNames = [...]string{"unset", "solid", "waiting", "orphaning"}

// String returns the state in lower case.
func (s ReadState) String() string {
	if int(s) < len(readStateNames) {
		return readStateNames[s]
	}
	return fmt.Sprintf("read state(%d)", uint8(s))
}

// OwnerFact is what is known of the owner that one reference names. It is a
// value.
type OwnerFact struct {
	// Self: the reference leads back to the object. It never counts.
	Self bool
	// Class and Doubt: what the graph says, and Dangling where a read proved
	// absence.
	Class observed.Class
	Doubt graph.Doubt
	// Unconfirmed: absence rests on a read alone, and the owner may still turn
	// out to live in another scope or under another name; a fence of its kind
	// settles that, so this is for stores that have fences.
	Unconfirmed bool
	// Remembered: it is absent, and this engine ended its orphaning.
	Remembered bool
	// Orphaning: it was observed orphaning. Unacknowledged: its controller is
	// given time to see that first. Overdue: it was given that time in vain.
	Orphaning, Unacknowledged, Overdue bool
	// Mark is since when its propagation mark has been observed without a gap,
	// 0 if nobody has observed one.
	Mark seq.Stamp
	// Changed is when its version, or its absence, became known.
	Changed seq.Stamp
	// Read is what the last read that still counts showed, and ReadBegan when that
	// read was handed out. SameVersion: it answered the version that the graph held
	// then and holds now.
	Read        ReadState
	ReadBegan   seq.Stamp
	SameVersion bool
}

// Input is all that a decision depends on. Decide keeps nothing of it.
type Input struct {
	// Object is the judged version, as the graph holds it or, with Retry, as
	// the read after a conflict answered it.
	Object graph.Object
	Retry  bool
	// Known is when that version became known.
	Known seq.Stamp
	// Flawed: the object breaks a rule of the model.
	Flawed bool
	// Owners has one entry for each of the object's owner references, in their
	// order. If their numbers differ, the object counts as flawed.
	Owners []OwnerFact
	// Referring and Blocking count the references of others to the object.
	Referring, Blocking int
	// Mark is since when the object's own propagation mark has been observed
	// without a gap.
	Mark seq.Stamp
	// Unacknowledged: its controller has not yet acknowledged the deletion,
	// and is given time to. Overdue: it was given that time in vain.
	Unacknowledged, Overdue bool
	// Ring lists the indexes of the references that stay inside a ring that a
	// fence has confirmed.
	Ring []int
	// Fence says how far fences are.
	Fence Fence
}

// Fence says how far fences are. It is a value.
type Fence struct {
	// Exact: the store has fences.
	Exact bool
	// Passed is when the newest fence that has passed began.
	Passed seq.Stamp
	// Released is the moment up to which marks may end without a fence: best
	// effort, because the store has none or a setting says so.
	Released seq.Stamp
	// Held: the fence under way waits for a kind that is sick.
	Held bool
}

// Settings are the choices that a user may make. The zero value is Kubernetes'
// reading, which it follows in all cases and Kubernetes in all but one.
type Settings struct {
	// Override lets the engine's own deletes replace a propagation finalizer
	// that the object carries already, as the collector proposal has it (step
	// 10 of its Deployment example). By default the object keeps it.
	Override bool
}
