package main

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
)

// onLive reads the object that the arguments name, runs a collector that only observes until
// every kind is listed, and calls do. It calls gone if there is no such object.
func (a *app) onLive(ctx context.Context, args []string, set func(*ownergraph.Config, graph.Object), do func(context.Context, *ownergraph.Collector, graph.Key) error) error {
	targets, err := a.resolve(args)
	if err != nil {
		return err
	}
	if len(targets) != 1 {
		return usageError("want one object: TYPE/NAME, or TYPE NAME")
	}
	store, _, err := a.open(clientgo.Config{})
	if err != nil {
		return err
	}
	opening, cancel, err := a.deadline(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	o, err := store.Get(opening, targets[0].key)
	if err != nil {
		return caused(opening, err)
	}
	cfg := ownergraph.Config{ObserveOnly: true}
	if o.Kind == namespaceKind { // its content counts as below it
		cfg.Sweeps = []finalizer.Sweep{finalizer.ScopeSweep(namespaceKind, clientgo.NamespaceFinalizer)}
	}
	if set != nil {
		set(&cfg, o)
	}
	return offline.Collect(ctx, store, cfg, func(ctx context.Context, c *ownergraph.Collector) error {
		if err := c.Synced(opening); err != nil && !errors.Is(err, ownergraph.ErrNotFound) {
			return caused(opening, err)
		}
		return do(ctx, c, o.Key)
	})
}
