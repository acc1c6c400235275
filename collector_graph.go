package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
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
// holds for each object that the rule may select. It copies a slice of the objects at a time, and lets the engine go on in between,
// as a plan does (RULES, P1). A change meanwhile is copied again.
//
// An object with a name of 30 bytes and one owner takes about 530 bytes during the call, and 115
// bytes in the result. Each slice holds the engine's lock, for as long as
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
	var w wholeCopy
	c.locked(func(e *Engine, _ time.Time) { w.restart(e) })
	defer c.locked(func(e *Engine, _ time.Time) { w.close(e) })
	if err := c.inSlices(ctx, func(e *Engine) (bool, error) { return w.step(e), nil }); err != nil {
		return Snapshot{}, fmt.Errorf("copy the graph: %w", err)
	}
	return w.snapshot()
}

// maxGraphs bounds the copies under way, since each change of the graph visits all of them.
const maxGraphs = 8

// wholeCopy is a copy of an engine's graph under way.
type wholeCopy struct {
	copy  *excerpt.Copy
	cfg   graph.Config
	kinds []graph.KindState
	begun int    // the number of objects at the beginning
	era   uint64 // the number of rewinds at the beginning
	torn  bool
}

// restart begins the copy, or begins it anew after a rewind.
func (w *wholeCopy) restart(e *Engine) {
	w.close(e)
	w.copy, w.begun, w.era, w.torn = excerpt.NewWhole(e.graph), e.graph.Observed(), e.counts.Rewinds, false
	w.cfg = e.graph.Inside(inside.Key{}).Config()
	if rules := e.protect; rules.Any() { // a copy, because a snapshot outlives the engine
		w.cfg.HoldsMark = func(o graph.Object) bool { return rules.MayHoldMark(&o) }
	}
	e.copies = append(e.copies, w.copy)
}

// close ends the copy. It may be called again.
func (w *wholeCopy) close(e *Engine) {
	if w.copy != nil {
		closeCopy(e, w.copy)
	}
}

// step copies a slice of the objects. It returns true at the end, which closes the copy.
func (w *wholeCopy) step(e *Engine) (done bool) {
	if e.counts.Rewinds != w.era {
		w.restart(e)
	}
	if w.copy.Changes() > 1000+2*w.begun { // it would come to no end
		w.copy.Loosen()
		w.torn = true
	}
	if done = w.copy.Step(e.excerptView(), copySlice); done {
		w.kinds = e.graph.Kinds()
		w.close(e)
	}
	return done
}

// snapshot returns the graph of an ended copy. It needs no lock. It calls the functions of the
// settings that judge marks.
func (w *wholeCopy) snapshot() (s Snapshot, err error) {
	defer run.CatchFunction(&err, "copy the graph")
	g, err := w.copy.Graph(w.cfg, w.kinds)
	if err != nil {
		return Snapshot{}, fmt.Errorf("copy the graph: %w", err)
	}
	return Snapshot{Graph: g, OneInstant: !w.torn}, nil
}

// Node returns the node of an object that the engine has observed, or that a reference names. The
// node leads to its owners and dependents. It is valid until the next call of a method that changes
// the engine, and it belongs to the goroutine that owns the engine.
//
//test:by TestEngineNode
func (e *Engine) Node(key Key) (graph.Node, bool) { return e.graph.Lookup(key) }
