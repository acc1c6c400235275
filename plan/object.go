package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Outcome is the end of an object in a plan.
type Outcome uint8

const (
	// OutcomeUnset is no outcome.
	OutcomeUnset Outcome = iota
	// Removed: the object leaves the store.
	Removed
	// Orphaned: the object stays, and loses a reference to an owner that leaves it.
	Orphaned
	// Trimmed: the object stays by another owner, and loses a reference.
	Trimmed
	// Kept: the object stays as it is. Owners has the owners that keep it.
	Kept
	// Held: the object stays against its mark or against its owners. Reason has the cause. At the end
	// of a plan a blocked object is held, too, because an object that it waits for stays.
	Held
)

var outcomeNames = [...]string{"unset", "removed", "orphaned", "trimmed", "kept", "held"}

// String returns the outcome in lower case.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// Object is the forecast for one object. It is a value.
type Object struct {
	Key     graph.Key
	Outcome Outcome
	// Possible says that the outcome depends on the order of the writes (RULES, P3), or on
	// labels that the plan does not know (P4). It then is one of several, and the object may
	// also stay or go.
	Possible bool
	// Root says that the user deletes the object.
	Root bool
	// Reason is the engine's last reason about the object, and Doubt says more where it
	// is OwnerUnknown.
	Reason policy.Reason
	Doubt  graph.Doubt
	// Causes names the causes for which it is held: finalizers, dependents, owners or kinds. It is
	// sorted and has at most 8 entries.
	Causes []string
	// Owners are the owners that keep the object, at most 8, in order of the references.
	Owners []graph.Key
	// Holder is the holder whose sweep deletes the object, or the zero Key.
	Holder graph.Key
	// Container is the container whose actor deletes the object, or the zero Key.
	Container graph.Key
	// Wave is the wave of the object's last step, 0 without a step.
	Wave int
	// Phase is the phase of a guard's order in which the object is deleted, from 1. It is 0
	// without an order. Forward says that ownership moved the object to this phase from a
	// later one.
	Phase   int
	Forward bool
	// Edges are the references with a policy, as they are before the deletion: at most 8, in their order.
	Edges []Edge
	// Parent is the owner under which Text prints the object, or the zero Key.
	Parent graph.Key
}

// Edge is an owner reference with a policy. It is a value.
type Edge struct {
	Owner    graph.Key
	OnDelete graph.OnDelete
}

// Refusal is a deletion of the request that the store refuses, because objects refer to the target with
// graph.OnDeleteRestrict (RULES, E4). The plan goes on without that deletion. It is a value.
type Refusal struct {
	Target graph.Key
	// Dependents are the restricting objects that the error of the store names, by key. More counts
	// the others.
	Dependents []graph.Key
	More       int
}

// String returns the refusal in one line.
func (r *Refusal) String() string {
	list := names(r.Dependents)
	text := "the store refuses the deletion of " + name(r.Target) + ": " + strings.Join(list, ", ")
	if r.More > 0 {
		text += fmt.Sprintf(" and %d more", r.More)
	}
	return text + verb(len(list)+r.More, " restricts it", " restrict it")
}

// search returns the index of the object with the key.
func search(list []Object, k graph.Key) (int, bool) {
	return slices.BinarySearchFunc(list, k, func(o Object, k graph.Key) int { return o.Key.Compare(k) })
}
