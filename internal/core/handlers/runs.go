package handlers

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Runs keeps the runs of the handlers of one engine. Make it with New. Runs is not safe
// for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. a run is kept only for a node in use
//  2. the number of queued runs is the number of runs in phase queued
//  3. each queued run is in the queue of its name
type Runs struct {
	names    []string // of all handlers, sorted
	limit    int      // runs of one name at once
	states   map[Run]state
	queues   map[string][]graph.NodeID // by name
	running  map[string]int            // by name
	waiting  int                       // in all queues
	failures uint64
}

// Run names the run of one handler for one object. It is a value.
type Run struct {
	Node graph.NodeID
	Name string // of the finalizer
}

// state says how far a handler is with one object.
type state struct {
	phase   phase
	tries   int
	call    uint64
	since   time.Time // it was started, or failed; forGood later if it does not run again
	err     string    // the error of the last run
	failing time.Time // the first of the failed runs in a row
}

// phase is one step of a handler with one object.
type phase uint8

const (
	unset phase = iota
	queued
	running
	failed
	done // it has succeeded, and the finalizer has still to go
)

// New returns the runs of handlers with these sorted names, at most limit at once for one
// name.
func New(names []string, limit int) Runs {
	return Runs{names: names, limit: limit, states: map[Run]state{}, queues: map[string][]graph.NodeID{}, running: map[string]int{}}
}

// Any reports whether there is a handler.
func (r *Runs) Any() bool { return len(r.names) > 0 }

// HandlesAny reports whether one of the finalizers has a handler.
func (r *Runs) HandlesAny(finalizers []string) bool {
	return slices.ContainsFunc(finalizers, r.handles)
}

func (r *Runs) handles(name string) bool {
	_, ok := slices.BinarySearch(r.names, name)
	return ok
}

// due returns the time at which a failed handler runs again: after 1 s, doubled with each
// failure, at most 5 minutes.
func (s *state) due() time.Time {
	return s.since.Add(min(time.Second<<min(s.tries-1, 9), 5*time.Minute))
}

// Check verifies the invariants of Runs.
func (r *Runs) Check(g *graph.Graph) error {
	n := 0
	for run, s := range r.states {
		if !g.Inside(inside.Key{}).InUse(run.Node) {
			return fmt.Errorf("handlers: a run of %q for node %d, which is not in the graph", run.Name, run.Node)
		}
		if s.phase != queued {
			continue
		}
		n++
		if !slices.Contains(r.queues[run.Name], run.Node) {
			return fmt.Errorf("handlers: a run of %q for node %d is not in its queue", run.Name, run.Node)
		}
	}
	if n != r.waiting {
		return fmt.Errorf("handlers: %d runs are queued, and %d are counted", n, r.waiting)
	}
	return nil
}

// Clone returns runs that share nothing with r.
func (r *Runs) Clone() Runs {
	c := *r
	c.states, c.running = maps.Clone(r.states), maps.Clone(r.running)
	c.queues = make(map[string][]graph.NodeID, len(r.queues))
	for name, ids := range r.queues {
		if len(ids) > 0 {
			c.queues[name] = slices.Clone(ids)
		}
	}
	return c
}

// Hash writes the state to the printer. The runs under way follow from the calls in
// flight.
func (r *Runs) Hash(p *fingerprint.Printer) {
	for _, name := range r.names {
		p.List(r.queues[name])
		for _, id := range p.Nodes() {
			s := r.states[Run{id, name}]
			p.Word(uint64(s.phase)<<32 | uint64(s.tries))
			if s.phase == failed {
				p.Until(s.due())
			}
		}
	}
}
