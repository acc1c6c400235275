// Package replica has the server rules of the reference store, without its
// watches. A State has kinds, objects and labels. Each write is one atomic step
// and returns a Commit.
//
// A State has no lock, no goroutine and no clock. A caller steps it one write at a
// time and clones it in constant time. adapters/memory wraps a State in a lock and a
// change log.
//
// # Owner references
//
// A reference is stored as the writer gave it, except for its scope. If the owner's
// kind is scoped and the reference has no scope, the owner is in the dependent's
// scope. If the dependent is global, the reference is Unresolved. A reference to a
// kind that is not served is Unresolved too. The state resolves a reference when it
// writes the reference, and never again.
package replica
