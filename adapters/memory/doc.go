// Package memory is the reference Store. It keeps all objects in memory, and has level 2 or,
// with Config.Strict, level 3. It is the embedded default and the store of this module's tests. It is also the shortest
// example of a complete Store.
//
// # Promises
//
//   - The store makes each UID from 130 random bits. It never makes a UID twice.
//   - One counter makes all versions. So versions are decimal numbers that compare across
//     kinds, and a version names one state for ever. A removal takes a version too.
//   - Deletions, finalizers and grace periods follow package finalizer. The store runs no
//     timer. An agent ends a grace period with a second deletion of grace 0.
//   - An object has no grace period of its own, so DeleteOptions.GraceAtMost changes nothing.
//   - The store shares no memory with its callers.
//   - Records (ownergraph.Records) are beside the objects, and are lost with the store.
//   - A write never waits for a watch. A watch that falls behind the log gets a new listing
//     of every kind.
//
// # Labels
//
// Labels are stored beside an object and are not a part of it. Label sets the labels and
// gives the object a new version. Select finds objects by their labels. The labels go when
// the object is removed.
//
// # Owner references
//
// The store keeps a reference as the writer gave it, except for its scope. If the owner's
// kind is scoped and the reference has no scope, the owner is in the dependent's scope. If
// the dependent is global, the reference is Unresolved. A reference to a kind that is not
// served is Unresolved too. The store resolves a reference when it writes the reference,
// and never again.
//
// With Config.Strict the store also judges a reference when it writes the reference. It
// judges it in the same step as the write, under one lock.
//
// # Groups
//
// A [Group] divides the work among collectors of one process (package group), for tests and
// examples. It keeps leases only, and is no part of a Store.
package memory
