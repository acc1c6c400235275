package storetest

import "fmt"

// Promise is a promise that a store may do without: Config.Without lists those
// that it does not make. It stands there for each store that is right without it, and
// for each hook of Subject: what cannot be shown should not be claimed. What no
// store can do without has no Promise: conditional writes, fresh reads,
// ErrNotFound as proof, UIDs that never return, complete listings, order within
// a kind. Neither have the optional powers: a store that is no
// ownergraph.Lister owes no law of it, and one that is owes them all.
type Promise uint8

const (
	// PromiseUnset is no promise.
	PromiseUnset Promise = iota
	// ScopedKinds: the store serves kinds whose objects have a scope. Without
	// it, it has one flat space of names.
	ScopedKinds
	// SeveralKinds: the store serves more than one kind.
	SeveralKinds
	// GracePeriods: a deletion with a grace period marks an object that has no
	// finalizers. Without it, the engine never sees one, and needs none.
	GracePeriods
	// StillVersions: a write that changes nothing makes no new version. Without
	// it, what the engine repeats costs it one more look at the object.
	StillVersions
	// SingleReports: a watch reports a change once, outside of listings. Without
	// it, the engine judges again what it has judged.
	SingleReports
	// Compaction: watches survive that the store forgets its past. Shown by
	// Subject.Compact.
	Compaction
	// BrokenConnections: a watch that has lost its connection ends, or takes up
	// again without a gap. Shown by Subject.Break.
	BrokenConnections
	// Rewinds: the store says that its history went backwards. Shown by
	// Subject.Backup. Without it, an engine may take what a restore brought back
	// for absent: start it anew after each.
	Rewinds
	// SickKinds: one kind may be out of reach while others are not, and that is
	// told. Shown by Subject.Sicken.
	SickKinds
	// ChangingKinds: kinds may come and go while the store runs. Shown by
	// Subject.Vanish.
	ChangingKinds
	// Durability: what was committed is there when another process opens the
	// store. Shown by Subject.Restart.
	Durability
	// Labels: users label objects, where the store is an ownergraph.Selector.
	// Shown by Subject.Label.
	Labels
	// RaisedVersions: a restore gives every object another version than any that
	// it had. Without it, a delete that was judged before the restore and arrives
	// after it removes an object whose owner is back: end every engine before a
	// restore.
	RaisedVersions
	// UnforeseeableUIDs: nobody can tell the UID of the next object. Only a store
	// whose writers are all trusted may lack it, such as a fake for tests: a forged
	// reference to a UID that does not exist yet makes an engine delete dependents of
	// a live owner.
	UnforeseeableUIDs
	// SecondHandles: several processes may use the same data at once. Shown by
	// Subject.Second. Without it, one process has to serve all users and engines.
	SecondHandles
	// Outages: a database that fails as a whole is told from one that holds
	// nothing. Shown by Subject.Outage.
	Outages
	// FailedCommits: a commit that fails is told, as not done or as unknown. Shown
	// by Subject.FailCommits.
	FailedCommits
)

var promiseNames = [...]string{"PromiseUnset", "ScopedKinds", "SeveralKinds", "GracePeriods", "StillVersions",
	"SingleReports", "Compaction", "BrokenConnections", "Rewinds", "SickKinds", "ChangingKinds", "Durability", "Labels",
	"RaisedVersions", "UnforeseeableUIDs", "SecondHandles", "Outages", "FailedCommits"}

// String returns the promise's name in Go.
func (p Promise) String() string {
	if int(p) < len(promiseNames) {
		return promiseNames[p]
	}
	return fmt.Sprintf("Promise(%d)", uint8(p))
}

// MarshalText returns String.
func (p Promise) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
