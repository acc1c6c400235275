package ours

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
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

// maxPage is the number of objects in a page of a listing.
const maxPage = 500

func (s store) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	list := func(now []*server.Record) error {
		if err := sink(beginning()); err != nil {
			return err
		}
		for page := range slices.Chunk(now, maxPage) {
			var batch []graph.Event
			for _, r := range page {
				batch = s.events(batch, server.Change{New: r})
			}
			if err := sink(batch); err != nil {
				return err
			}
		}
		return sink(listed())
	}
	return s.server.Watch(ctx, list, func(c server.Change) error { return sink(s.events(nil, c)) })
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

// Start runs a Collector.
func (Side) Start(ctx context.Context, s *server.Server, how measure.How) (measure.Collector, error) {
	c, err := ownergraph.New(store{s, how.Scope}, ownergraph.Config{Workers: how.Workers})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	r := &running{collector: c, stop: stop, ended: make(chan error, 1)}
	go func() { r.ended <- c.Run(ctx) }()
	return r, nil
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

func (r *running) Stop() error {
	r.stop()
	return <-r.ended
}
