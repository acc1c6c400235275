package ours

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
)

// maxBatch is the number of calls that a Collector takes under one lock.
const maxBatch = 16

// driven is an Engine that is driven as a Collector drives it, without the calls.
type driven struct {
	engine *engine.Engine
	events []graph.Event
}

func newEngine() (measure.Graph, error) {
	e, err := engine.New(ownergraph.Level2, ownergraph.Config{
		CompareVersions: func(_ graph.Kind, a, b graph.Version) int { return server.CompareVersions(a, b) },
	})
	if err != nil {
		return nil, err
	}
	return &driven{engine: e}, nil
}

func (g *driven) Begin() error {
	g.events = beginning()
	defer g.Drop()
	return g.Apply()
}

func (g *driven) Listed() error {
	g.events = listed()
	defer g.Drop()
	if err := g.Apply(); err != nil {
		return err
	}
	return g.Process()
}

func (g *driven) Prepare(events []measure.Event) { g.events = prepare(g.events, events) }

func (g *driven) Apply() error {
	return probe.ObserveAll(g.engine, time.Now(), g.events)
}

func (g *driven) Drop() {
	clear(g.events)
	g.events = g.events[:0]
}

// Process makes all pending decisions of the engine. They must not lead to a call.
func (g *driven) Process() error {
	now := time.Now()
	for {
		call, at := g.engine.Next(now, engine.LaneStore)
		if call.ID != 0 {
			return fmt.Errorf("engine: %s %s: nothing is to be collected", call.Type, call.Key)
		}
		if at.IsZero() || at.After(now) {
			return g.engine.Err()
		}
	}
}

func (g *driven) Len() int { return g.engine.Stats().Objects }

// Drain carries out the engine's calls, with a store that answers at once. A step is
// the work of the Collector under one lock: it takes up to 16 calls, or reports one, or
// observes one event.
func (g *driven) Drain(step func(measure.Span)) error {
	var calls []engine.Call
	for again := true; again; {
		calls, again = g.take(calls[:0], step)
		for _, c := range calls {
			if c.Type != engine.CallDelete {
				return fmt.Errorf("engine: %s %s: only deletes are called for", c.Type, c.Key)
			}
			now, start := time.Now(), measure.Now()
			err := g.engine.Done(now, c.ID, engine.Result{})
			step(start.Span())
			if err == nil {
				now, start = time.Now(), measure.Now()
				err = g.engine.Observe(now, graph.Event{Type: graph.Gone, Key: c.Key})
				step(start.Span())
			}
			if err != nil {
				return err
			}
		}
		again = again || len(calls) > 0
	}
	if n := g.Len(); n > 0 {
		return fmt.Errorf("end state: %d objects are left", n)
	}
	return nil
}

// take returns the next calls, and whether the engine has more work at once.
func (g *driven) take(calls []engine.Call, step func(measure.Span)) ([]engine.Call, bool) {
	now, start := time.Now(), measure.Now()
	var at time.Time
	for len(calls) < maxBatch {
		var c engine.Call
		if c, at = g.engine.Next(now, engine.LaneStore); c.ID == 0 {
			break
		}
		calls = append(calls, c)
	}
	step(start.Span())
	return calls, !at.IsZero() && !at.After(now)
}

// bare is a graph without an engine.
type bare struct {
	graph  *graph.Graph
	events []graph.Event
}

func (g *bare) Begin() error {
	g.events = beginning()
	defer g.Drop()
	return g.Apply()
}

func (g *bare) Listed() error {
	g.events = listed()
	defer g.Drop()
	if err := g.Apply(); err != nil {
		return err
	}
	for _, k := range workload.Kinds() {
		for done := false; !done; {
			_, _, done = g.graph.Inside(inside.Key{}).Prune(k.Kind, 256)
		}
	}
	return nil
}

func (g *bare) Prepare(events []measure.Event) { g.events = prepare(g.events, events) }

func (g *bare) Apply() error {
	for from := range slices.Chunk(g.events, 32) {
		g.graph.Inside(inside.Key{}).Prefetch(from)
		for i := range from {
			if _, err := g.graph.Inside(inside.Key{}).ApplyEvent(&from[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *bare) Drop() {
	clear(g.events)
	g.events = g.events[:0]
}

func (g *bare) Process() error { return nil }

func (g *bare) Len() int { return g.graph.Observed() }

func (g *bare) Drain(func(measure.Span)) error { return nil }

func prepare(to []graph.Event, events []measure.Event) []graph.Event {
	for _, e := range events {
		if e.Gone {
			to = append(to, graph.Event{Type: graph.Gone, Key: e.Object.Key})
		} else {
			to = append(to, graph.Event{Type: graph.Put, Object: e.Object})
		}
	}
	return to
}

// beginning has the reports of a watch before the first object.
func beginning() []graph.Event {
	out := []graph.Event{{Type: graph.KindsKnown, Kinds: workload.Kinds()}}
	for _, k := range workload.Kinds() {
		out = append(out, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
	}
	return out
}

// listed has its reports after the last object of the listings.
func listed() []graph.Event {
	var out []graph.Event
	for _, k := range workload.Kinds() {
		out = append(out, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
	}
	return out
}
