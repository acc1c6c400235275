package ownergraph

import (
	"cmp"
	"context"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// The vocabulary of a Store is in package graph. These aliases of the names that Store,
// Config and their users mention let a first program import one package.
type (
	Kind          = graph.Kind
	UID           = graph.UID
	Version       = graph.Version
	Key           = graph.Key
	Owner         = graph.Owner
	Object        = graph.Object
	SelectRequest = graph.SelectRequest
	SelectPage    = graph.SelectPage
	Precondition  = graph.Precondition
	Change        = graph.Change
	DeleteOptions = graph.DeleteOptions
	Propagation   = graph.Propagation
	Event         = graph.Event
	KindInfo      = graph.KindInfo
	Write         = graph.Write
	Record        = graph.Record
	Constraint    = graph.Constraint
)

// The settings of a collector are those of its engine, and its reports are those of the
// engine. See package engine, and package finalizer for handlers.
type (
	Config        = engine.Config
	Level         = engine.Level
	Handler       = finalizer.Handler
	DecisionEvent = engine.DecisionEvent
	Held          = engine.Held
)

// The levels of a store's guarantees. See package engine.
const (
	LevelUnset = engine.LevelUnset
	Level0     = engine.Level0
	Level1     = engine.Level1
	Level2     = engine.Level2
	Level3     = engine.Level3
)

// The propagations of a deletion. The zero value is Unset of package graph.
const (
	Background = graph.Background
	Foreground = graph.Foreground
	Orphan     = graph.Orphan
)

// The errors by which a store steers the engine. See package graph.
var (
	ErrNotFound    = graph.ErrNotFound
	ErrConflict    = graph.ErrConflict
	ErrKindUnknown = graph.ErrKindUnknown
	ErrRefused     = graph.ErrRefused
	ErrRestricted  = graph.ErrRestricted
	ErrInvalid     = graph.ErrInvalid
)

// Store is the contract between the engine and a database. Implement it over your own
// database, or take adapters/memory.
//
// Callers may call all methods from several goroutines at once. Values that a store returns
// or hands to a sink belong to the receiver, except the array of a batch. A store keeps no
// reference to its arguments, and does not write into their memory. Neither side may alias the
// state of the other. The comments of the errors in package graph give the meaning of each error.
//
// A store resolves the scope of an owner reference when it writes or reads the reference. If
// it does not serve the owner's kind, or cannot tell the scope, the reference is Unresolved.
//
// The store makes the UIDs. It never makes one twice, and no user can foresee one. UIDs are
// random, with 96 bits or more. Otherwise a user could name a UID before the store makes it,
// and so delete the dependents of the later object (SECURITY.md).
//
// After a restore from a backup, the store must give every object a version that the object
// never had. A store that cannot do so loses one guarantee. A write sent before the restore
// may arrive after it, and delete an object whose owner is back. If versions compare
// (VersionComparer), the engine detects the restore as soon as a read shows a version that
// has fallen. Otherwise only Rewound shows it, or the return of an owner that the watch has
// shown to go. Stop the collectors before such a restore.
type Store interface {
	// Get returns the live object at key's coordinates, with any UID. The result is not
	// older than the call. ErrNotFound is proof of absence: the kind is served and has no
	// object there. ErrKindUnknown means that the kind is not served.
	Get(ctx context.Context, key Key) (Object, error)

	// Patch applies change to the object at key's coordinates in one atomic step. It
	// returns ErrConflict if pre is not met, ErrNotFound if there is no object, and
	// ErrRefused if the store forbids the change. If the change takes the last finalizer
	// of a marked object without a grace period, Patch removes the object.
	Patch(ctx context.Context, key Key, pre Precondition, change Change) error

	// Delete removes the object at key's coordinates, if it has neither a finalizer nor a
	// grace period. Otherwise Delete sets the deletion mark, and the object stays. Before
	// that, the propagation foreground or orphan adds its finalizer. Delete returns
	// ErrConflict if the options' precondition is not met, ErrNotFound if there is no
	// object, and ErrRefused if the store forbids the deletion.
	Delete(ctx context.Context, key Key, opts DeleteOptions) error

	// Watch reports the content of the store and every change to sink, until ctx ends or
	// the watch breaks. It returns nil if the store ended the watch in order. An error
	// means that the watch broke, which may be the first sign of a restore.
	//
	// Watch starts with KindsKnown and a listing of each kind. If the store's history ever
	// went backwards, Rewound comes before KindsKnown, with the epoch of the newest restore.
	// The caller may have missed that restore.
	//
	// Watch calls sink from one goroutine. A batch is a whole page of a listing, or the events
	// that are there. An empty one says nothing. The events of a kind are in order, within a
	// batch and from batch to batch. Neither side changes a batch while sink runs. Afterwards
	// sink keeps the lists inside of the events, and the store may use the array again.
	//
	// Sink may block, and an error from it ends the watch. It may have taken events of that
	// batch. A watch that only repeats listings is valid, and slower. So are batches of one.
	Watch(ctx context.Context, sink func(batch []Event) error) error
}

// Fencer is the optional power of a store of level 2. Such a store also shows or announces
// each rewind of its history. Its foreground and orphan deletions are exact.
type Fencer interface {
	// Fence notes the present moment of the store, and returns a token of it. Every watch
	// that runs now then reports FencePassed with this token for each kind. It does so as
	// soon as it has reported every event of the kind that was committed before the call.
	// It reports FencePassed with an empty kind as soon as it has reported the set of kinds.
	//
	// The reports go through the watch's sink, behind the events that they cover. Fence
	// returns without waiting for them, and they may come before it returns. A watch
	// reports the fences of all callers. A caller ignores the tokens that it did not get.
	//
	// A token is not 0. The store never returns a token twice: not to another caller, not
	// after a restart, and not after a restore from a backup. Otherwise the report of an old
	// fence could pass a new one, and the engine could delete an object too early. A counter
	// in the database falls back with a restore, so it is no token. A random number of
	// 64 bits is one.
	Fence(ctx context.Context) (token uint64, err error)
}

// LabelSelector is the optional power to find objects by their labels. Labels are no part
// of an Object. Sweeps of members by label need this power.
//
// A change of labels gives the object another version. So UID and version fix the labels
// of an object for ever.
type LabelSelector interface {
	// Select returns a page of the objects that match. The caller reads a selection from
	// its first page to one without More. No page is older than the call for the first one.
	// An object that matched from that call until the last page is in one of the pages.
	//
	// An error may come at any page, for example because More is too old. Then the
	// selection begins anew. ErrKindUnknown means that the kind is not served, and
	// ErrRefused that the store does not take the selector.
	Select(ctx context.Context, r SelectRequest) (SelectPage, error)
}

// Lister is the optional power to list one kind anew through the watch. The engine uses it
// if it doubts its observations. Without a Lister the Collector restarts the watch.
type Lister interface {
	// List asks every watch that runs now to report a new listing of kind. It
	// returns without waiting for it.
	List(ctx context.Context, kind Kind) error
}

// Leveler is the optional power to declare the level of a store. Without it, the level of a
// Fencer is 2, and the level of every other store is 1.
//
// A store of level 3 is a Fencer too. It answers ErrRefused to a write of a new reference, if
// the owner does not exist, or is marked and has graph.FinalizerForeground or FinalizerOrphan.
// A reference is new if it is added, moves to another owner, or begins to block. A write may
// keep, unblock or drop any reference. The store does not judge a reference that is Unresolved,
// or whose kind it does not serve.
//
// The check and the write are one step, also beside other writers. So from the mark of such an
// owner on, the set of its dependents only shrinks.
//
//test:by adapters/storetest.TestStrictMemory
type Leveler interface {
	// Level returns the level of the store's guarantees, always the same. LevelUnset
	// leaves the level to the powers of the store.
	Level() Level
}

// Batcher is the optional power to carry out several writes in one call. It is for a store
// that commits a batch faster than its writes one by one. The Collector fills a batch with
// the writes that are ready, and never waits for more.
type Batcher interface {
	// Batch carries out each of the writes as Patch or Delete would. It returns one error for
	// each write, in the order of the writes, and nil for a write that is done. A write that
	// fails does not fail its neighbours. The writes have different places, and are sorted by
	// key. They may happen at one moment or one after another.
	//
	// With err the results count for nothing. The outcome of every write is unknown then.
	// Two errors say that none of the writes is done: one with a method RetryAfter, as after
	// a deadlock, and one that wraps ErrRefused. After a refusal, of all writes or of one,
	// the Collector tries the refused writes in halves, down to single ones. It does so too
	// after an error with RetryAfter that wraps context.DeadlineExceeded, as after a limit of
	// time of the store. It begins no such part after Config.CallTimeout, and decides the rest
	// anew. Batches that take long get smaller: see Stats.Batches.
	Batch(ctx context.Context, writes []Write) (results []error, err error)

	// MaxBatch returns the largest number of writes for one batch, always the same. A
	// number below 2 means that the store takes no batches.
	//
	// The caller passes the store that it uses. The result is 0 if that is another store,
	// such as a type that embeds this one. Such a type may have Patch and Delete of its own,
	// and batches would pass by them. It has batches if it has both methods itself.
	MaxBatch(of Store) int
}

// Limiter is the optional power to bound the calls under way, as for a database with one
// writer. Further calls stay in the engine, and their CallTimeout has not begun.
type Limiter interface {
	// MaxCalls returns the bound, always the same. A number below 1 is none.
	MaxCalls() int
}

// Gracer is the optional power to keep the grace periods of deletions, for Config.PropagateGrace.
// Such a store keeps a marked object until its agent has ended the period. With
// DeleteOptions.GraceAtMost it takes the shorter period, that of the call or the object's own.
//
//test:by adapters/storetest.TestMutants
type Gracer interface {
	// KeepsGrace reports whether the store does so, always the same.
	KeepsGrace() bool
}

// Records is the optional power to keep small values of an engine beyond its life. A store
// keeps a record under a name, for all engines that use the store. A record is no object: no
// watch and no listing has it, and no owner reference names it. Where a store can keep it as
// an object only, as Kubernetes does, its documentation says so.
//
// Both methods return ErrInvalid for a name or a value that graph.ValidateRecord refuses.
//
//test:by adapters/storetest.TestMutants
type Records interface {
	// ReadRecord returns the record of the name, not older than the call. ErrNotFound is
	// proof that there is none. Every other error leaves it unknown.
	ReadRecord(ctx context.Context, name string) (Record, error)

	// WriteRecord stores the value under the name, if the record has the version, in one
	// atomic step. An empty version demands that there is no such record. It returns the new
	// version. ErrConflict says that the record has another version, or does not exist, or
	// exists in spite of an empty version. ErrRefused says that the store forbids the write.
	// ErrInvalid, ErrConflict and ErrRefused, and an error with a method RetryAfter, mean
	// that nothing is done. After every other error the outcome is unknown. It is never
	// ErrNotFound.
	WriteRecord(ctx context.Context, name string, value []byte, version Version) (Version, error)
}

// Constrainer is the optional power to name the rules of a database that the removal of an object
// meets, such as foreign keys between tables of a user. Plans and package lint show them.
type Constrainer interface {
	// Constraints returns the rules, sorted. The caller owns the result. It changes nothing.
	Constraints(ctx context.Context) ([]Constraint, error)
}

// VersionComparer is the optional power to order versions. With it the engine detects a
// history that goes backwards. Config.CompareVersions has precedence.
type VersionComparer interface {
	// CompareVersions returns a negative number if a is older than b, 0 if they are the
	// same, and a positive number if a is newer. Both are of one kind. The engine calls
	// it at any time, while the engine is locked.
	CompareVersions(kind Kind, a, b Version) int
}

// maxWraps bounds the wrappers of a store, so that a store that unwraps to itself does not
// hang its caller.
const maxWraps = 64

// As returns the optional power T of a store, and whether the store has it. T is Fencer,
// Lister, LabelSelector, Leveler, VersionComparer, Records, Constrainer, Gracer, Limiter or Batcher. A store
// with a method Unwrap() Store wraps another one, and has all powers of that store except Batcher. As
// returns the outermost store that has T itself. A wrapper has to be a Batcher itself,
// because batches would pass by its Patch and Delete.
//
//test:by TestAs
func As[T any](store Store) (power T, ok bool) {
	_, writes := any((*T)(nil)).(*Batcher)
	for range maxWraps {
		if power, ok = store.(T); ok {
			return power, true
		}
		wrapper, unwraps := store.(interface{ Unwrap() Store })
		if writes || !unwraps {
			break
		}
		store = wrapper.Unwrap()
	}
	return power, false
}

// LevelOf returns the level that the store declares as a Leveler. Otherwise the powers of
// the store show the level: Level2 for a Fencer, Level1 without one.
//
//test:by TestLevelOf
func LevelOf(store Store) Level {
	level := Level1
	if _, ok := As[Fencer](store); ok {
		level = Level2
	}
	if l, ok := As[Leveler](store); ok {
		level = cmp.Or(l.Level(), level)
	}
	return level
}
