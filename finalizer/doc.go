// Package finalizer says what must run before an object may vanish.
//
// Its first part is the part of a store that honours finalizers, as pure
// functions that any adapter can call inside its own transaction: Create,
// Update, Patch and Delete return what has to become of an object; the last three
// take the live one.
// They read no clock, keep nothing and share nothing with what they are given.
//
// The rules come from two sources, named in the comments as follows.
//
//   - "proposal" is the garbage collection proposal of Kubernetes, sections
//     "Deletion handler" and "Update handler".
//   - "Kubernetes" is what its API server does today, where that goes further:
//     which propagation wins, what a second deletion may change.
//
// Its second part is for those who clean up: a Handler does the work behind one
// finalizer, and a Registry finds it and runs it safely. When to run, how often
// to try again and who removes the finalizer afterwards is the engine's.
//
// Its third part is sweeps: a Sweep says what belongs to a holder, such as a
// tenant, and a Plan whose an object is and what is to be deleted next. They are
// pure as well; the engine carries them out (ownergraph.Config.Sweeps). A Selector
// says of labels, which a store has beside its objects, whether they match.
package finalizer
