package guard

import "github.com/ownergraph/ownergraph/graph"

// Protection selects objects that the engine does not delete. An object meets all conditions
// that are set, and a Protection without a condition is an error. The functions must be pure:
// the same answer for the same object, always. It is data apart from them.
//
// It binds the deletes of the engine. Another actor that deletes the content of a protected
// container is not bound: see Guard.
type Protection struct {
	// Name is the name of the rule in reports. Empty stands for its position.
	Name string
	// Kinds, Scopes and Names, if set, list the kinds, scopes and names of the objects. The
	// scope "" is that of global objects.
	Kinds  []graph.Kind
	Scopes []string
	Names  []string
	// Selector, if set, is a condition on the labels: "keep,tier!=test". See ParseSelector.
	// Labels are no part of an object, so the store has to select by labels.
	Selector string
	// Where, if set, is a further condition.
	Where func(o graph.Object) bool
}
