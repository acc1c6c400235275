// Package memory is the reference Store: in memory, complete, of level 2. It is
// the embedded default, the store of this module's tests, and the shortest
// answer to what a Store has to do.
//
// It has two faces. A Store is what programs use: safe for concurrent use, with
// watches. A State holds the same server rules and nothing else, no lock, no
// goroutine, no clock: tests and exhaustive checkers step it one write at a
// time and clone it at will. A Store is a mutex, a State and a log.
//
// # What it promises
//
//   - The store makes UIDs at random, 130 bits each, and never makes one twice, also
//     after Restore. Held by TestUIDs, TestStateAgainstModel and TestRestore.
//   - One counter makes all versions, so versions are decimal numbers that
//     compare across kinds, and one version names one state for ever, also
//     after Restore, which raises every version. A removal takes a version too.
//     Held by TestStateAgainstModel and TestRestoreRaisesEveryVersion.
//   - Deletions, finalizers and grace periods follow package finalizer. No timer
//     runs: an agent ends a grace period by deleting again with grace 0. Held
//     by TestWrites and TestStateAgainstModel.
//   - Nothing that goes in or comes out shares memory with the store. Held by
//     TestStateAliasesNothing and TestStoreAliasesNothing.
//   - A write never waits for a watch. A watch that falls behind the log gets a
//     new listing of every kind. Held by TestReadersNeverWait,
//     TestWatchFallsBehind and TestWatchLaws.
//
// # Labels
//
// Labels stand beside an object, not in it: Label sets them, which gives the object
// another version, and Select finds objects by them. They go when the object is
// removed, and a snapshot has them. Held by TestLabel and TestSelect.
//
// # Owner references
//
// References are stored as the writer gave them, but for their scope. Where a
// reference has none and its kind is scoped, the owner is in the dependent's
// own scope; if the dependent is global, the reference is Unresolved, and so is
// one to a kind that is not served. The store decides that when it writes the
// reference and does not come back to it. Held by TestResolve.
//
// # Kinds out of service
//
// A sick kind is out of reach for the engine: Get, Patch and Delete answer
// ErrSick, and a watch reports KindSick and then nothing of the kind. Create and
// Update go on, as other writers do, which is why a sick kind holds a fence.
// Held by TestSick and TestFenceOfSickKind.
package memory
