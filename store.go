package ownergraph

import (
	"context"

	"github.com/ownergraph/ownergraph/graph"
)

// The vocabulary of a Store, from package graph, so that its users import one
// package.
type (
	Kind          = graph.Kind
	UID           = graph.UID
	Version       = graph.Version
	Key           = graph.Key
	Owner         = graph.Owner
	Object        = graph.Object
	SelectRequest = graph.SelectRequest
	SelectPage    = graph.SelectPage
	LabelMatch    = graph.LabelMatch
	Propagation   = graph.Propagation
	Precondition  = graph.Precondition
	Change        = graph.Change
	DeleteOptions = graph.DeleteOptions
	Event         = graph.Event
	KindInfo      = graph.KindInfo
)

// How a deletion propagates. See the constants of package graph.
const (
	Unset      = graph.Unset
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
	ErrInvalid     = graph.ErrInvalid
)

// Store is what the engine needs of a database. Implement it over your own, or
// applyEvent adapters/memory.
//
// All methods may be called from several goroutines at once. Values that a
// store returns or hands to a sink belong to the receiver, and a store keeps
// nothing of what it is given: neither side may alias the other's state. What an
// error stands for is said at ErrNotFound of package graph.
//
// The store makes the UIDs. It never makes one twice, and no user can foresee one: they
// are random, with 96 bits or more. A user who names a UID before it is made could
// otherwise have the dependents of its object deleted (SECURITY.md).
//
// A restore from a backup gives every object a version that it never had. A store that
// cannot do so loses one guarantee: a write that was sent before the restore, and is
// carried out after it, may delete an object whose owner is back. Where versions
// compare (VersionComparer), the engine sees the restore as soon as a read shows a
// version that has fallen; where they do not, only an owner that was seen to go and is
// back, or Rewound, shows it. Stop the collectors before such a restore.
type Store interface {
	// Get returns the live object at key's coordinates, whatever its UID, not
	// older than the call. ErrNotFound is proof of absence: the kind is served
	// and has no object there. ErrKindUnknown says that the kind is not served.
	Get(ctx context.Context, key Key) (Object, error)

	// Patch applies change to the object at key's coordinates in one atomic
	// step, if pre holds: ErrConflict otherwise, ErrNotFound where there is
	// none, ErrRefused where the store forbids it. A marked object whose last
	// finalizer goes, and whose grace period is 0, is removed.
	Patch(ctx context.Context, key Key, pre Precondition, change Change) error

	// Delete removes the object at key's coordinates, if the options'
	// precondition holds: ErrConflict otherwise, ErrNotFound where there is
	// none, ErrRefused where the store forbids it. An object with finalizers,
	// its propagation's among them, or with a grace period, is marked and stays.
	Delete(ctx context.Context, key Key, opts DeleteOptions) error

	// Watch reports what the store holds and every change of it to sink, until
	// ctx ends or the watch breaks, and returns why: nil says that the store ended it
	// in order, and an error that it broke, which may be the first sign of a restore.
	// It starts with KindsKnown and a listing of each kind. If the store's history ever
	// went backwards, Rewound with the epoch of the newest restore comes before them:
	// the watch's user may have missed that. It calls sink from one goroutine, in order
	// within a kind; sink may block, and an error from it ends the watch. A watch that
	// lists again and again is valid, only slower.
	Watch(ctx context.Context, sink func(Event) error) error
}

// Fencer is the optional power that makes a store level 2: exact foreground
// and orphan deletions.
type Fencer interface {
	// Fence notes the store's present and reports, for every watch that runs
	// now, FencePassed with this id for each kind as soon as that watch has
	// reported everything of the kind that was committed before the call, and
	// FencePassed with an empty kind once the set of kinds is reported. The
	// reports go through the watch's sink, behind the events that they cover.
	// Fence returns without waiting for them. Ids are the caller's: every caller
	// on one store has to choose different ones, and a watch reports those of
	// others too. The Collector sees to both.
	Fence(ctx context.Context, id uint64) error
}

// LabelSelector is the optional power to find objects by their labels, which are no
// part of an Object. Sweeps need it whose members are told by labels.
//
// A change of labels gives the object another version, so that its UID and its
// version say which labels it has, for ever.
type LabelSelector interface {
	// Select returns a page of the objects that match. A selection is read from
	// its first page to one without More. Each page is not older than the call for
	// the first one: what matched from then on until the last page was read is in
	// one of them. An error may come at any page, if only because More is too old;
	// then the selection begins anew. ErrKindUnknown says that the kind is not
	// served, ErrRefused that the store does not take the selector.
	Select(ctx context.Context, r SelectRequest) (SelectPage, error)
}

// Lister is the optional power to list one kind anew through the watch, when
// the engine doubts what it has seen. Without it the watch is restarted.
type Lister interface {
	// List asks every watch that runs now to report a new listing of kind. It
	// returns without waiting for it.
	List(ctx context.Context, kind Kind) error
}
