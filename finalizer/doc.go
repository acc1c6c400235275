// Package finalizer has the work that a store and its users do before an object may go.
// It has two parts.
//
// # The rules of a store
//
// The first part is for a store that honours finalizers. An adapter calls these pure
// functions inside its own transaction. [Create], [Update], [Patch] and [Delete] return
// the new state of an object. The last three take the live object. They read no clock,
// keep nothing, and share nothing with their arguments.
//
// The rules come from two sources. The comments name them:
//
//   - "proposal" is the garbage collection proposal of Kubernetes, sections "Deletion
//     handler" and "Update handler".
//   - "Kubernetes" is the present behaviour of its API server, where that goes further: the
//     propagation that wins, and the effects of a second deletion.
//
// # Handlers
//
// The second part is for cleanup. A [Handler] does the work behind one finalizer. The
// engine chooses the time of a run, the time of the next attempt, and removes the
// finalizer afterwards.
package finalizer
