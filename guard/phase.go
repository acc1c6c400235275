package guard

import "github.com/ownergraph/ownergraph/graph"

// Phase is a part of a sweep or of a guarded cascade. Its objects go together.
type Phase struct {
	// Name is the name of the phase in reports.
	Name string
	// Kinds, KindIs and Where, if set, select the objects of the phase. An object meets
	// all that are set.
	Kinds  []graph.Kind
	KindIs func(k graph.Kind) bool
	Where  func(o graph.Object) bool
	// After lets the phase of a sweep begin only after the end of all members of the phases
	// before. A new member of an earlier phase makes it wait again. In a Guard each phase
	// waits so.
	After bool
	// Propagation and GraceSeconds go with the deletions of the phase. Unset leaves the
	// propagation to the object and its kind. Nil leaves the grace period to the store.
	Propagation  graph.Propagation
	GraceSeconds *int64
}
