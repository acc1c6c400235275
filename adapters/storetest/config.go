package storetest

import (
	"context"
	"time"

	"github.com/ownergraph/ownergraph"
)

// TB is what the kit needs of a test. *testing.T, *testing.B and *rapid.T are
// such; Check has one of its own.
type TB interface {
	Helper()
	Name() string
	Cleanup(func())
	Context() context.Context
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Config says how to make the store that is tested, and what it promises. New is
// all that has to be given: the rest, left empty, is the strictest reading.
//
// It is read only, and may be used by several tests at once.
type Config struct {
	// New makes a store that holds nothing, and serves at least one kind; three,
	// of which one is global, prove the most. It is called for every law and for
	// every history, so it has to be cheap: a namespace of its own in one
	// database, say. What it opens it closes by tb.Cleanup; what goes wrong it
	// reports by tb.Fatalf. It may be called from several goroutines. A directory
	// that it needs is of the test around it (t.TempDir), since not every TB has
	// one.
	New func(tb TB) Subject
	// Kinds are those of which Client can make objects. Empty: all that the store
	// serves. Watches, fences and listings cover the others too.
	Kinds []ownergraph.Kind
	// Level is what the store claims. Unset: what ownergraph.LevelOf says of it.
	// Laws of a higher level are not run.
	Level ownergraph.Level
	// Without lists the promises that the store does not make. It makes all
	// others, so an empty list is the strictest.
	Without []Promise
	// Patience is how long a watch may take to report what was committed, and a
	// call to return once its context has ended. 0: 10 seconds.
	Patience time.Duration
	// Search is how long each law that needs luck searches: for a race, or for a
	// bad moment to fail at. 0: what the flag -storetest.search says, which is 2
	// seconds by default.
	Search time.Duration
}

// Subject is a store to be tested, with those who use it. Hooks that are nil
// leave the laws that need them unproven, which is reported, and is not success:
// a store that does not promise what a hook would show says so in Config.Without.
// What a hook brings about may come a moment after it has returned.
type Subject struct {
	Store ownergraph.Store
	// Client is required.
	Client Client

	// Compact makes the store forget its past: a watch that is behind, or begins
	// anew, has to list.
	Compact func(ctx context.Context) error
	// Break ends every watch that runs, as a lost connection does.
	Break func(ctx context.Context) error
	// Backup notes what the store holds, and returns what makes it hold that
	// again, some time later: a rewind.
	Backup func(ctx context.Context) (restore func(ctx context.Context) error, err error)
	// Sicken puts a kind out of reach, and returns what ends that.
	Sicken func(ctx context.Context, kind ownergraph.Kind) (recover func(ctx context.Context) error, err error)
	// Vanish ends serving a kind, and returns what has it served again.
	Vanish func(ctx context.Context, kind ownergraph.Kind) (serve func(ctx context.Context) error, err error)
	// Label replaces the labels of an object, as users do, where Store is an
	// ownergraph.Selector. When it returns, that is done.
	Label func(ctx context.Context, key ownergraph.Key, labels map[string]string) error
	// Restart opens the same data anew, as another process would. The former
	// Store is not used any more.
	Restart func(ctx context.Context) (Subject, error)
	// Second opens the same data once more, as another process does beside this
	// one. Both are used from then on. The hooks of the result are not called.
	Second func(ctx context.Context) (Subject, error)
	// Outage has every call to the database fail, as when it is locked, full or
	// out of reach, and returns what ends that. Watches may end meanwhile.
	Outage func(ctx context.Context) (end func(ctx context.Context) error, err error)
	// FailCommits has the database answer every commit with an error, and returns
	// what ends that. With done false nothing is committed. With done true all of
	// it is, and only the answer is lost.
	FailCommits func(ctx context.Context, done bool) (end func(ctx context.Context) error, err error)
}

// Client is what the users of a store do, beside the engine: not by its four
// methods, but by whatever they use. All may be called from several goroutines.
type Client interface {
	// Create stores a new object and returns it as stored. The object's UID and
	// Version are empty: the store makes them. So does it make what it needs for
	// the scope, which is "one" or "two"; names are short and in lower case,
	// finalizers have a domain in front ("example.org/hold"). The laws "text/..." ask
	// for other names, scopes, references and sizes. An error refuses them.
	Create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error)
	// Update sets the owners and the finalizers of the object at o's coordinates
	// to those of o, if it still has o's UID and Version: an error that wraps
	// ErrConflict otherwise. It returns the object as stored, or what was there
	// last if that removed it.
	Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error)
	// Delete deletes as a user does: options without a precondition delete
	// whatever is there.
	Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error
}
