package storetest

import "fmt"

// Promise is a promise that not every store makes. Config.Without lists the missing
// ones. There is a Promise for each duty that a correct store may lack, and for
// each hook of Subject. The other duties have no Promise, because every store has
// them: conditional writes, fresh reads, ErrNotFound as proof, UIDs that never
// return, complete listings, order within a kind. The optional powers have no
// Promise either. A store that is no ownergraph.Lister owes none of its laws, and a
// Lister owes them all.
type Promise uint8

const (
	// PromiseUnset is no promise.
	PromiseUnset Promise = iota
	// ScopedKinds: the store serves kinds whose objects have a scope. Without it,
	// the store has one flat space of names.
	ScopedKinds
	// SeveralKinds: the store serves more than one kind.
	SeveralKinds
	// GracePeriods: a deletion with a grace period marks an object that has no
	// finalizers. Only Config.PropagateGrace of a collector needs grace periods. A store whose
	// KeepsGrace returns true (ownergraph.Gracer) makes this promise.
	GracePeriods
	// StillVersions: a write that changes nothing makes no new version. Without it,
	// a repeated write costs the engine one more decision.
	StillVersions
	// SingleReports: a watch reports a change once, outside of listings. Without
	// it, the engine repeats some decisions.
	SingleReports
	// Compaction: watches survive the deletion of the store's log. Subject.Compact
	// shows it.
	Compaction
	// BrokenConnections: a watch that has lost its connection ends, or continues
	// without a gap. Subject.Break shows it.
	BrokenConnections
	// Rewinds: the store announces that its history went backwards. Subject.Backup
	// shows it. Without it, an engine may take a restored object for absent, so
	// restart every engine after a restore.
	Rewinds
	// SickKinds: one kind may be out of reach while others are in reach, and the
	// watch reports that. Subject.Sicken shows it.
	SickKinds
	// ChangingKinds: kinds may come and go while the store runs. Subject.Vanish
	// shows it.
	ChangingKinds
	// Durability: a commit is there when another process opens the store.
	// Subject.Restart shows it.
	Durability
	// Labels: users label objects, in a store that is an ownergraph.LabelSelector.
	// Subject.Label shows it.
	Labels
	// RaisedVersions: a restore gives every object another version than any that it
	// had. Without it, a delete that was judged before the restore may arrive after
	// it. Such a delete removes an object whose owner is back, so end every engine
	// before a restore.
	RaisedVersions
	// UnforeseeableUIDs: no user can foresee the UID of the next object. Only a
	// store with trusted writers may lack it, such as a fake for tests. A user who
	// forges a reference to a future UID makes an engine delete dependents of a
	// live owner.
	UnforeseeableUIDs
	// SecondHandles: several processes may use the same data at once.
	// Subject.Second shows it. Without it, one process has to serve all users and
	// engines.
	SecondHandles
	// Outages: the store tells a failing database from an empty one. Subject.Outage
	// shows it.
	Outages
	// FailedCommits: the store reports a failed commit as not done, or as unknown.
	// Subject.FailCommits shows it.
	FailedCommits
	// HiddenRecords: the records of a store that is an ownergraph.Records are no objects.
	// Without it, a watch shows a record as an object of some kind, as a ConfigMap is on
	// Kubernetes. Such an object may have owners and dependents.
	HiddenRecords
)

var promiseNames = [...]string{"PromiseUnset", "ScopedKinds", "SeveralKinds", "GracePeriods", "StillVersions",
	"SingleReports", "Compaction", "BrokenConnections", "Rewinds", "SickKinds", "ChangingKinds", "Durability", "Labels",
	"RaisedVersions", "UnforeseeableUIDs", "SecondHandles", "Outages", "FailedCommits", "HiddenRecords"}

// String returns the promise's name in Go.
func (p Promise) String() string {
	if int(p) < len(promiseNames) {
		return promiseNames[p]
	}
	return fmt.Sprintf("Promise(%d)", uint8(p))
}
