package measure

import (
	"context"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/bench/server"
)

// Side is one of the collectors. It is safe for concurrent use; what its methods
// return belongs to the caller.
type Side interface {
	// Graph returns an empty graph: with whole, of all that the product keeps;
	// without, of the collector's own package only.
	Graph(whole bool) (Graph, error)
	// View makes the form in which the side reads objects of a server.
	View(graph.Object) any
	// Start runs a collector on the server until it is stopped.
	Start(ctx context.Context, s *server.Server, how How) (Collector, error)
	// Queue returns what has the consumers do so many cycles of add, get and done
	// in all, each with keys of its own. With product the clock is read where the
	// product reads it.
	Queue(consumers, cycles int, product bool) func()
}

// How says how a collector is run.
type How struct {
	Workers int
	// Scope, if set, picks the scopes that the collector is for.
	Scope func(string) bool
}

// Event is what both sides are told.
type Event struct {
	Gone   bool
	Object graph.Object
}

// Graph takes events without collecting. It is not safe for concurrent use.
type Graph interface {
	// Begin is told before the first event, Listed when the objects that there
	// are at first have been put.
	Begin() error
	Listed() error
	// Prepare makes the side's own events, and Drop forgets them. Neither is timed.
	Prepare([]Event)
	Drop()
	// Apply takes what was prepared, and Settle does what follows from it.
	Apply() error
	Settle() error
	// Len returns how many objects are held.
	Len() int
	// Drain does all that follows from the end of an owner in steps between which
	// another event could be taken, and reports how long each took.
	Drain(step func(time.Duration)) error
}

// Collector is a side at work. It is safe for concurrent use.
type Collector interface {
	// Settled waits until nothing is left to do and so many objects are held.
	Settled(ctx context.Context, objects int) error
	Stop() error
}
