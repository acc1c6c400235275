package measure

import (
	"context"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
)

// Side is one of the collectors. It is safe for concurrent use. The caller owns the
// results of its methods.
type Side interface {
	// Graph returns an empty graph. With whole it has all memory of the product,
	// otherwise only that of the collector's own package.
	Graph(whole bool) (Graph, error)
	// View makes the form in which the side reads objects of a server.
	View(graph.Object) any
	// Start runs a collector on the server until it is stopped.
	Start(ctx context.Context, s *server.Server, how How) (Collector, error)
	// Queue returns a function that makes the consumers do the given number of cycles
	// of add, get and done, each with keys of its own. With product the function reads
	// the clock where the product reads it.
	Queue(consumers, cycles int, product bool) func()
}

// How has the settings of a collector.
type How struct {
	Workers int  // 0 for the product's default
	Batch   bool // writes go in batches, if the side can
	// Scope, if set, picks the scopes of the collector.
	Scope func(string) bool
	// Guard is the guard of ours: IdleGuard, WideGuard, IdleRule, RootGuard or none. Root is
	// the root of a RootGuard.
	Guard string
	Root  graph.Key
}

// The guards of ours.
const (
	IdleGuard = "idle" // on a kind without objects
	WideGuard = "wide" // on a name of any kind, which no object has
	IdleRule  = "rule" // a protection of a kind without objects, and no guard
	RootGuard = "root" // on one root, whose deletion passes
)

// Event is one event for both sides.
type Event struct {
	Gone   bool
	Object graph.Object
}

// Graph takes events without collecting. It is not safe for concurrent use.
type Graph interface {
	// Begin is called before the first event, and Listed after the objects of the
	// listings.
	Begin() error
	Listed() error
	// Prepare makes the side's own events, and Drop forgets them. Neither is timed.
	Prepare([]Event)
	Drop()
	// Apply takes the prepared events, and Process makes the decisions that follow.
	Apply() error
	Process() error
	// Len returns the number of objects.
	Len() int
	// Drain does all work that follows from the end of an owner, in steps. Another
	// event could be taken between two steps. It reports the time of each step, and
	// stays on the caller's thread.
	Drain(step func(Span)) error
}

// Collector is a side at work. It is safe for concurrent use.
type Collector interface {
	// Settled waits until no work is left and the collector has the given number of
	// objects.
	Settled(ctx context.Context, objects int) error
	// Events returns the number of events that the collector has taken. Some of them may
	// be of its own making.
	Events() uint64
	Stop() error
}
