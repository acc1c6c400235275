package explain

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Explanation explains one object at one moment. It is a value. Its receiver owns the
// slices. It is not safe for concurrent modification.
type Explanation struct {
	Key   graph.Key
	State State
	// Version and Deleting are those of the observed object.
	Version  graph.Version
	Deleting bool
	Decision Decision
	// Owners has the references of the object, in its order. OwnersCut counts the
	// references beyond the bound.
	Owners    []Owner
	OwnersCut int
	// Wait has the conditions for which the object waits. Cut counts the conditions that
	// the bound of the chain leaves out, as far as they are known.
	Wait []Condition
	Cut  int
	// Look is the time at which the engine decides the object again without an event. It is
	// the zero time if only an event leads to the next decision.
	Look time.Time
	// Changed is the time at which the last change of the object became known. For an object
	// that is gone it is the time at which the engine learned of its end.
	Changed time.Time
	// SweepsInScope has the finalizers of the sweeps of a holder that has a scope, sorted. Members
	// outside of the scope are not covered.
	SweepsInScope []string
	// Deletion is the end of an object that is gone. It is nil for other objects, and once
	// the history has forgotten the end.
	Deletion *Deletion
}

// Decision is the present decision of the engine. It is a value.
type Decision struct {
	Action policy.Action
	Reason policy.Reason
	// Doubt goes with the reason OwnerUnknown.
	Doubt       graph.Doubt
	Propagation graph.Propagation
	// Finalizer goes with the actions release and attach.
	Finalizer  string
	BestEffort bool
	// Barred is the reason for which no write may go out now, or unset.
	Barred policy.Reason
}

// Owner is one owner reference, as the engine judges it. It is a value.
type Owner struct {
	graph.Owner
	// Self says that the reference leads back to the object. It never counts.
	Self  bool
	Class Class
	// Doubt goes with the class Unknown.
	Doubt    graph.Doubt
	Evidence Evidence
	// At is the time of the evidence, as exact as the engine's record of moments.
	At time.Time
	// Elsewhere is the live object with the UID of the reference, if the reference has other
	// coordinates than this object. Otherwise it is the zero Key.
	//
	//test:by ownergraph.TestExplainElsewhere
	Elsewhere graph.Key
}

// Condition is one condition of a chain. It either ends the chain with End, or leads to the
// conditions For. It is a value.
type Condition struct {
	// Key is the object that waits, or the zero Key for the set of kinds.
	Key    graph.Key
	Reason policy.Reason
	// Doubt goes with the reason OwnerUnknown.
	Doubt graph.Doubt
	// End is the end of the chain. It is unset where For goes on.
	End End
	// Actor names the actor of the end: a finalizer, a kind, a part of this engine's work.
	Actor string
	// Text has the words of the store, of a handler, or of a kind's health. It names the parts
	// that a user has to look at, and the container that takes the object along.
	Text string
	// Since is the time from which the condition is met, and Next the time of the next try
	// or the end of a period. Each is the zero time where it is not known.
	Since, Next time.Time
	// Tries counts the failures so far.
	Tries int
	// Ring has the objects of a ring, in its order, with the end Ring. Then Actor names this
	// engine if it breaks the ring, and is empty for a ring that stays.
	Ring []graph.Key
	For  []Condition
}
