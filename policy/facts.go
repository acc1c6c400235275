package policy

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// ReadState is the state of an owner in the answer of a read. It is no part of the graph.
type ReadState uint8

const (
	// ReadUnset: no valid read has shown the owner.
	ReadUnset ReadState = iota
	// ReadSolid: the owner exists and does not wait.
	ReadSolid
	// ReadWaiting: the owner waits for its dependents.
	ReadWaiting
	// ReadOrphaning: the owner is being deleted and leaves its dependents.
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

// OwnerFacts is the known state of one reference's owner. It is a value. FactsOf sets the fields
// from Self to Orphaning. Its caller sets Mark and Changed, and Facts.AddRead the fields of a read.
type OwnerFacts struct {
	// Self: the reference leads back to the object. It never counts. Block: the reference
	// delays the owner's foreground deletion.
	Self, Block bool
	// Class is the owner's class in the graph, or Dangling if a read proved absence. Doubt
	// says why it is unknown.
	Class graph.Class
	Doubt graph.Doubt
	// OnDelete is the policy of the reference. An object whose policies do not act is flawed.
	OnDelete graph.OnDelete
	// Restricted: the owner is marked, and another object restricts it. So its mark counts for no
	// dependent, and its class is Solid (RULES, E4).
	Restricted bool
	// Unconfirmed: a read alone proves the absence, and the owner may still live in
	// another scope or under another name. A fence of its kind confirms the absence. This
	// is for stores with fences.
	Unconfirmed bool
	// Remembered: the owner is absent, and this engine completed its orphan deletion.
	Remembered bool
	// Elsewhere: the reference has the UID of an object that orphans, and other coordinates.
	// The facts below are those of that object. The class is that of the coordinates, so the
	// owner stays unknown until the reference is dropped.
	Elsewhere bool
	// Orphaning: the owner was observed orphaning. Unacknowledged: its controller still
	// has time to acknowledge that. Overdue: that time has passed in vain.
	Orphaning, Unacknowledged, Overdue bool
	// Mark is the moment since which the owner's propagation mark has been observed
	// without a gap, 0 if no mark was observed.
	Mark Moment
	// Changed is the moment at which the owner's version, or its absence, became known. It is 0 if
	// neither is known.
	Changed Moment
	// Read is the state in the last valid read, and ReadBegan is the moment at which that
	// read was handed out. SameVersion: the read answered the version that the graph had
	// then and has now.
	Read        ReadState
	ReadBegan   Moment
	SameVersion bool
}

// Facts is the whole input of a decision. It has the facts that a decision needs of the
// object, and no text of it. Decide keeps nothing of it, and changes nothing in it. FactsOf
// returns the facts that a graph shows, and names those that its caller adds.
type Facts struct {
	// Retry: the decision is on the version that a read after a conflict has returned. Without
	// Retry it is on the version in the graph.
	Retry bool
	// Known is the moment at which the observer learned that version.
	Known Moment
	// Deleting: the object is marked. Finalizers: it has at least one finalizer. Propagation is
	// the propagation of its propagation finalizer.
	Deleting, Finalizers bool
	Propagation          graph.Propagation
	// Withheld: the object is marked, and its mark counts for no dependent because of a guard or a
	// protection (RULES, G3). It is false if another object's restriction alone withholds the mark.
	Withheld bool
	// Flawed: the object breaks a rule of the model. Unreadable: the store could not read it.
	Flawed, Unreadable bool
	// Protected: the object may not be deleted, by graph.FinalizerProtect or by a rule of the
	// caller (RULES, G1). The engine leaves it unset, because its guards judge the decision.
	Protected bool
	// Restricted: an unmarked object refers to the object with graph.OnDeleteRestrict (RULES, E4).
	Restricted bool
	// References is the number of the object's owner references. Owners has one entry for
	// each, in their order. With another number of entries the object counts as flawed.
	References int
	Owners     []OwnerFacts
	// Several: the object has more than one owner by its unset references. Self-references do not
	// count, and two references to one owner count once.
	Several bool
	// Referring and Blocking count the references of other objects to the object. Elsewhere
	// counts the references with its UID and another place. They delay only the end of an orphan
	// deletion of the object.
	Referring, Blocking, Elsewhere int
	// Mark is the moment since which the object's own propagation mark has been observed
	// without a gap.
	Mark Moment
	// Unacknowledged: the object's controller still has time to acknowledge the deletion.
	// Overdue: that time has passed in vain.
	Unacknowledged, Overdue bool
	// Ring lists the indexes of the references inside a ring that a fence has confirmed, ascending.
	// See AddRing.
	Ring []int
	// Fence is the state of the engine's fences.
	Fence Fence
}

// Fence is the state of the engine's fences. It is a value.
type Fence struct {
	// Exact: the store has fences.
	Exact bool
	// Passed is the moment at which the newest passed fence began: a moment from before its call.
	// A fence has passed when the watch has reported its token for each watched kind and for the
	// set of kinds, behind all earlier events (RULES, R7).
	Passed Moment
	// Released is the moment up to which marks may end without a fence. That is best
	// effort, because the store has no fences or a setting releases them. It stays 0 until every
	// kind is listed and well.
	Released Moment
	// Blocked: the fence under way waits for a sick kind.
	Blocked bool
}

// Settings are the choices of a user. With the zero value, the decisions are those of the
// Kubernetes garbage collector.
type Settings struct {
	// Override lets the engine's own deletes replace a propagation finalizer that the
	// object carries, as the collector proposal does (step 10 of its Deployment example).
	// By default the object keeps its finalizer.
	Override bool
}
