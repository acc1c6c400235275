// Package inside names the rights of this module that its users do not have. The proofs
// and the tests of the module open an engine or a store with a Key. A program outside of
// the module cannot import the package, and so it cannot make a Key.
package inside

import "time"

// Key opens the inside of an engine or a store.
type Key struct{ _ struct{} }

// Tuning has the times and bounds of an engine that no user has a reason to set. A zero
// field stands for the engine's own value.
type Tuning struct {
	// AwaitTimeout is the time for which a write waits for its event, and a contradiction
	// for the watch. Then the engine asks the store.
	AwaitTimeout time.Duration
	// RefusedRetry is the time before the engine tries a refused write again.
	RefusedRetry time.Duration
	// SelectPage bounds the objects of one page of a selection by label.
	SelectPage int
	// AbsentOwners bounds the remembered owners that are gone and have no dependent left.
	// OrphanedOwners bounds the remembered owners whose orphaning this engine ended. A
	// negative number remembers none.
	AbsentOwners, OrphanedOwners int
	// Misplaced bounds the dependents that are decided again at the end of an owner in another
	// scope or under another name. The audit decides the others.
	Misplaced int
	// Order is the seed of the order in which the engine decides many dependents. Engines with
	// different seeds meet seldom. Zero is the order of the graph.
	Order uint64
	// Archives says that the store keeps entries, so each deletion has its cause (graph.Cause).
	Archives bool
	// Named says that the functions of the settings name their panics already.
	Named bool
}
