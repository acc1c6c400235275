package ours

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/bench/measure"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
)

// store is the server as an ownergraph.Store, for all scopes or some of them.
type store struct {
	server *server.Server
	scope  func(string) bool
}

var (
	_ ownergraph.Store           = store{}
	_ ownergraph.Fencer          = store{}
	_ ownergraph.VersionComparer = store{}
)

func (s store) Get(_ context.Context, key graph.Key) (graph.Object, error) {
	r, err := s.server.Get(key)
	if err != nil {
		return graph.Object{}, err
	}
	return r.Object, nil
}

func (s store) Patch(_ context.Context, key graph.Key, pre graph.Precondition, c graph.Change) error {
	return s.server.Patch(key, pre, c)
}

func (s store) Delete(_ context.Context, key graph.Key, opts graph.DeleteOptions) error {
	return s.server.Delete(key, opts)
}

func (s store) Fence(context.Context) (token uint64, err error) { return s.server.Fence(), nil }

func (s store) CompareVersions(_ graph.Kind, a, b graph.Version) int {
	return server.CompareVersions(a, b)
}

// maxLive is the number of events in a batch of a running watch. An adapter's watch
// gives as many at most of those that are pending.
const maxLive = 64

func (s store) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	var batch []graph.Event // its array serves every batch
	list := func(pages []server.Page) error {
		if err := sink(beginning()); err != nil {
			return err
		}
		for _, p := range pages {
			batch = batch[:0]
			for _, r := range p.Records {
				batch = s.events(batch, server.Change{New: r})
			}
			for _, k := range p.Ended {
				batch = append(batch, graph.Event{Type: graph.ListEnded, Kind: k})
			}
			if err := sink(batch); err != nil {
				return err
			}
		}
		return nil
	}
	return s.server.Watch(ctx, list, func(changes []server.Change) error {
		for part := range slices.Chunk(changes, maxLive) {
			batch = batch[:0]
			for _, c := range part {
				batch = s.events(batch, c)
			}
			for live := range slices.Chunk(batch, maxLive) { // a fence is several events
				if err := sink(live); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// events appends the events of a change.
func (s store) events(to []graph.Event, c server.Change) []graph.Event {
	switch {
	case c.Fence != 0:
		for _, k := range s.server.Kinds() {
			to = append(to, graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: c.Fence})
		}
		to = append(to, graph.Event{Type: graph.FencePassed, Fence: c.Fence})
	case c.New != nil:
		if o := c.New.Object; s.scope == nil || s.scope(o.Scope) {
			to = append(to, graph.Event{Type: graph.Put, Object: o})
		}
	default:
		if k := c.Old.Object.Key; s.scope == nil || s.scope(k.Scope) {
			to = append(to, graph.Event{Type: graph.Gone, Key: k})
		}
	}
	return to
}

// batching is a store that takes batches.
type batching struct{ store }

var _ ownergraph.Batcher = batching{}

func (s batching) MaxBatch(ownergraph.Store) int { return server.MaxBatch }

func (s batching) Batch(_ context.Context, writes []graph.Write) ([]error, error) {
	return s.server.Batch(writes), nil
}

// Start runs a Collector.
func (Side) Start(ctx context.Context, s *server.Server, how measure.How) (measure.Collector, error) {
	var of ownergraph.Store = store{s, how.Scope}
	if how.Batch {
		of = batching{store{s, how.Scope}}
	}
	c, err := ownergraph.New(of, configure(how))
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	r := &running{collector: c, stop: stop, ended: make(chan error, 1)}
	go func() { r.ended <- c.Run(ctx) }()
	return r, nil
}

// configure returns the settings of a Collector.
func configure(how measure.How) ownergraph.Config {
	c, many, other := ownergraph.Config{Workers: how.Workers}, math.MaxInt, []graph.Kind{"batch/Job"}
	switch how.Guard {
	case measure.IdleGuard:
		c.Guards = []guard.Guard{{Kinds: other, Above: &many}}
	case measure.WideGuard:
		c.Guards = []guard.Guard{{Names: []string{"none"}, Above: &many}}
	case measure.IdleRule:
		c.Protect = []guard.Protection{{Kinds: other}}
	case measure.RootGuard:
		c.Guards = []guard.Guard{{Kinds: []graph.Kind{how.Root.Kind}, Names: []string{how.Root.Name}, Above: &many}}
	}
	return c
}

// running is a Collector at work.
type running struct {
	collector *ownergraph.Collector
	stop      context.CancelFunc
	ended     chan error
}

func (r *running) Settled(ctx context.Context, objects int) error {
	held, err := r.collector.WaitIdle(ctx)
	switch n := r.collector.Stats().Objects; {
	case err != nil:
		return err
	case len(held) > 0:
		return fmt.Errorf("collector: holds %s: %s", held[0].Key, held[0].Reason)
	case objects >= 0 && n != objects:
		return fmt.Errorf("collector: knows %d objects, want %d", n, objects)
	}
	return nil
}

// Events returns the number of events that the engine has observed.
func (r *running) Events() uint64 { return r.collector.Stats().Events }

func (r *running) Stop() error {
	r.stop()
	return <-r.ended
}
