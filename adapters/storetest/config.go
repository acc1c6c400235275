package storetest

import (
	"context"
	"time"

	"github.com/ownergraph/ownergraph"
)

// TB is the part of a test that the kit uses. *testing.T, *testing.B and *rapid.T
// are TBs. Check has a TB of its own.
type TB interface {
	Helper()
	Name() string
	Cleanup(func())
	Context() context.Context
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Config describes the store under test, and its promises. Only New is required. An
// empty field is the strictest setting.
//
// The kit only reads a Config. Several tests may use it at once.
type Config struct {
	// New makes an empty store that serves at least one kind. Three kinds, one of
	// them global, prove the most. The kit calls New for every law and every
	// history, so New has to be cheap. A namespace of its own in one database is a
	// good choice. New closes its resources in tb.Cleanup, and reports errors by
	// tb.Fatalf. Several goroutines may call it at once. If it needs a directory,
	// use that of the test around it (t.TempDir), since not every TB has one.
	New func(tb TB) Subject
	// Kinds are the kinds of which Client can create objects. Empty: all served
	// kinds. Watches, fences and listings cover the other kinds too.
	Kinds []ownergraph.Kind
	// Level is the level that the store claims. Unset: the level of
	// ownergraph.LevelOf. Laws of a higher level do not run.
	Level ownergraph.Level
	// Without lists the promises that the store does not make. The store makes all
	// other promises.
	Without []Promise
	// Patience is the longest time in which a watch reports a commit, and in which
	// a call returns after the end of its context. 0: 10 seconds.
	Patience time.Duration
	// Search is the time for which each searching law runs. Such a law searches for
	// a race, or for a bad moment of a failure. 0: the value of the flag
	// -storetest.search, which is 2 seconds by default.
	Search time.Duration
}

// Subject is a store under test, with its client and hooks. A law that needs a nil
// hook is not proven, and the test fails. If the store does not promise the law,
// name the promise in Config.Without. The effect of a hook may come a moment after
// the hook has returned.
type Subject struct {
	Store ownergraph.Store
	// Client is required.
	Client Client

	// Compact makes the store forget its log of changes. A watch that is behind, or
	// starts again, then has to list.
	Compact func(ctx context.Context) error
	// Break ends every running watch, as a lost connection does.
	Break func(ctx context.Context) error
	// Backup saves the content of the store. The returned function restores it some
	// time later: a rewind. The kit may call it several times, and each time is a
	// restore of its own.
	Backup func(ctx context.Context) (restore func(ctx context.Context) error, err error)
	// Sicken takes a kind out of reach. The returned function ends that.
	Sicken func(ctx context.Context, kind ownergraph.Kind) (recover func(ctx context.Context) error, err error)
	// Vanish stops serving a kind. The returned function serves it again.
	Vanish func(ctx context.Context, kind ownergraph.Kind) (serve func(ctx context.Context) error, err error)
	// Label replaces the labels of an object, as users do. It is for a Store that
	// is an ownergraph.LabelSelector. The labels are stored when Label returns.
	Label func(ctx context.Context, key ownergraph.Key, labels map[string]string) error
	// Restart opens the same data again, as a new process does. The kit no longer uses the former
	// Store.
	Restart func(ctx context.Context) (Subject, error)
	// Second opens the same data once more, as a second process does. The kit uses
	// both from then on. It does not call the hooks of the result.
	Second func(ctx context.Context) (Subject, error)
	// Outage makes every call to the database fail, as a locked, full or
	// unreachable database does. The returned function ends that. Watches may end
	// during an outage.
	Outage func(ctx context.Context) (end func(ctx context.Context) error, err error)
	// FailCommits makes the database answer every commit with an error. With done
	// false the database commits nothing. With done true it commits, and only the
	// answer is lost. The returned function ends that.
	FailCommits func(ctx context.Context, done bool) (end func(ctx context.Context) error, err error)
}

// Client has the writes of a store's users. They go through the users' interface,
// and not through the four methods of the Store. Several goroutines may call all
// methods at once. At level 3, the error for a refused reference wraps ErrRefused.
//
// A method neither writes into the memory of its arguments nor keeps a reference to it. It
// stores a reference to an owner of a kind that is not served as Unresolved, or refuses it.
type Client interface {
	// Create stores a new object and returns it as stored. The object's UID and
	// Version are empty, because the store makes them. The store also makes the
	// scope, if it has to. The scope is "one" or "one-two". Names are short and in
	// lower case. Finalizers have a domain in front ("example.org/hold"). The laws
	// "text/..." try other names, scopes, references and sizes, and an error
	// refuses those. The law "policy/kept" sets Owner.OnDelete. A store that cannot
	// keep it refuses the object, and the error of Create, Update and Patch wraps
	// ErrInvalid.
	Create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error)
	// Update sets the owners and the finalizers of the object at o's coordinates to
	// those of o. If the object does not have o's UID and Version, the error wraps
	// ErrConflict. Update returns the object as stored. If the update removed the
	// object, it returns the last state.
	Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error)
	// Delete deletes as a user does. Without a precondition it deletes any object
	// at the key.
	Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error
}
