package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
)

// replica is a copy of an input in memory. It reports the partial kinds as sick, so that the
// copy proves the absence of none of their objects.
//
// Held by TestPartialKindsProveNothing.
type replica struct {
	*memory.Store
	partial map[graph.Kind]string
}

var errPartial = errors.New("the copy has a part of the objects of this kind")

func newReplica(c *content) (*replica, error) {
	store, err := memory.New(memory.Config{Kinds: c.Kinds, Objects: live.Countable(c.Objects)})
	if err != nil {
		return nil, err
	}
	return &replica{store, c.partial}, nil
}

// Get returns no proof of absence for a partial kind.
func (r *replica) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	o, err := r.Store.Get(ctx, key)
	if _, is := r.partial[key.Kind]; is && errors.Is(err, graph.ErrNotFound) {
		return o, fmt.Errorf("get %s: %w", key, errPartial)
	}
	return o, err
}

// List fails for a partial kind.
func (r *replica) List(ctx context.Context, kind graph.Kind) error {
	if _, is := r.partial[kind]; is {
		return fmt.Errorf("list %s: %w", kind, errPartial)
	}
	return r.Store.List(ctx, kind)
}

// Watch reports a partial kind as sick in place of the end of its listing.
func (r *replica) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	return r.Store.Watch(ctx, func(batch []graph.Event) error {
		for i := range batch {
			why, is := r.partial[batch[i].Kind]
			if is && (batch[i].Type == graph.ListEnded || batch[i].Type == graph.Progress) {
				batch[i] = graph.Event{Type: graph.KindSick, Kind: batch[i].Kind, Reason: why}
			}
		}
		return sink(batch)
	})
}

// collect runs a collector on a store until the function returns.
func collect(ctx context.Context, store ownergraph.Store, cfg ownergraph.Config, do func(context.Context, *ownergraph.Collector) error) error {
	c, err := ownergraph.New(store, cfg)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.Run(running) }()
	err = do(ctx, c)
	cancel()
	return errors.Join(err, <-ended)
}
