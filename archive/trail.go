package archive

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Trail has the words that a store keeps beside a marked object, for the entry of that object. The zero Trail is that of an
// unmarked one. It is a value, and shares the list of finalizers with the object that was marked.
type Trail struct {
	// Explicit: a deletion without the word of an engine has reached the object.
	Explicit bool
	// Orphaning: the object has left its dependents behind.
	Orphaning bool
	// Cause is the word of the engine whose deletion came last.
	Cause graph.Cause
	// Finalizers are those that the object had before its mark.
	Finalizers []string
}

// Deleted returns the trail after a deletion that the store has accepted, also if it has changed nothing. The
// object is that before the deletion. A nil cause is a deletion by a user, and it makes the entry explicit for good
// (RULES, A1).
//
//test:by TestTrail
func (t Trail) Deleted(before graph.Object, cause *graph.Cause) Trail {
	if !before.Deleting {
		t.Finalizers = before.Finalizers
	}
	if cause == nil {
		t.Explicit = true
	} else {
		t.Cause = *cause
	}
	return t
}

// Changed returns the trail after any other write of a marked object, or after the write that removed it. The objects
// are those before and after the write. An orphan deletion is over once its finalizer has gone off by such a write. A
// deletion with another propagation only takes it back.
//
//test:by TestTrail
func (t Trail) Changed(before, after graph.Object) Trail {
	t.Orphaning = t.Orphaning || before.Deleting && before.HasFinalizer(graph.FinalizerOrphan) && !after.HasFinalizer(graph.FinalizerOrphan)
	return t
}

// Entry returns the entry of an object that a write removed. The object is the last one, before that write has taken
// the finalizers off.
func (t Trail) Entry(last graph.Object) Entry {
	o := last.Clone()
	o.Finalizers = slices.Clone(t.Finalizers)
	return Entry{Object: o, Explicit: t.Explicit, Orphaning: t.Orphaning, Cause: t.Cause}
}
