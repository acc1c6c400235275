package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/run"
)

// Snapshot is a copy of a collector's graph. The receiver owns it.
type Snapshot struct {
	// Graph has all observed objects, the kinds with the state of their listings, and the ends
	// that the watch has shown and that a reference still names. Its own events change it.
	Graph *graph.Graph
	// OneInstant says that the graph is the collector's at one instant, in the last step of the
	// copy. Otherwise objects changed faster than they were copied. Each object is then as the
	// collector knew it at some instant of the call, and an object of that time may be missing.
	OneInstant bool
}

// Graph returns a copy of the collector's graph: to draw it, to search it, or to judge it with
// package policy. Such a judgement knows nothing of the engine's reads, sweeps, guards, order and
// brake, and of Config.Protect only that marks count for no dependent. With a rule by labels that
// applies to each object that the rule may select. It copies a slice of the objects at a time, and
// lets the engine go on in between, as a plan does (RULES, P1). A change meanwhile is copied again.
//
// An object with a name of 30 bytes and one owner takes about 530 bytes during the call, and 115
// bytes in the result. Each slice keeps the engine's lock for as long as
// a slice of a plan does. Graph makes no request. It may be called before Run and after its end.
//
// At most 8 copies are under way at once, and further calls wait for their turn.
//
// The error wraps ErrInvalid for a nil context, and the cause of a context that has ended. It wraps
// ErrBroken if the engine is broken.
//
//test:by TestCollectorGraph TestCollectorGraphTorn TestCollectorGraphGrows TestCollectorGraphRewind
//test:by TestCollectorGraphOtherScope TestCollectorGraphProtects
//test:by TestCollectorGraphErrors BenchmarkCollectorGraph
func (c *Collector) Graph(ctx context.Context) (Snapshot, error) {
	if ctx == nil {
		return Snapshot{}, fmt.Errorf("copy the graph: context: nil: %w", ErrInvalid)
	}
	if err := c.graphs.Acquire(ctx, 1); err != nil {
		return Snapshot{}, fmt.Errorf("copy the graph: %w", context.Cause(ctx))
	}
	defer c.graphs.Release(1)
	var w seed.Whole
	c.locked(func(e engine.Driver, _ time.Time) { w.Restart(e.Seed(), e.GraphConfig()) })
	defer c.locked(func(e engine.Driver, _ time.Time) { w.Close(e.Seed()) })
	if err := c.inSlices(ctx, func(e engine.Driver) (bool, error) { return w.Step(e.Seed()), nil }); err != nil {
		return Snapshot{}, fmt.Errorf("copy the graph: %w", err)
	}
	return snapshot(&w)
}

// snapshot returns the graph of an ended copy. It calls the functions of the settings that judge
// marks, and needs no lock.
func snapshot(w *seed.Whole) (s Snapshot, err error) {
	defer run.CatchFunction(&err, "copy the graph")
	if s.Graph, s.OneInstant, err = w.Graph(); err != nil {
		return Snapshot{}, fmt.Errorf("copy the graph: %w", err)
	}
	return s, nil
}

// maxGraphs bounds the copies under way, since each change of the graph visits all of them.
const maxGraphs = 8

// Inside returns the collector with further methods. Only this module can call it, because only it can make a Key.
func (c *Collector) Inside(inside.Key) innerCollector { return innerCollector{c} }

type innerCollector struct{ c *Collector }

// Store returns the store of the collector.
func (i innerCollector) Store() Store { return i.c.store }

// Observe waits until every commit before the call is in the graph. The error of a context that ends names the kinds that
// are late.
func (i innerCollector) Observe(ctx context.Context) error { return i.c.passFence(ctx) }

// Look calls read with the graph, under the lock of the engine. Read changes nothing and returns soon.
func (i innerCollector) Look(read func(g *graph.Graph)) {
	i.c.locked(func(e engine.Driver, _ time.Time) { read(e.Graph()) })
}
