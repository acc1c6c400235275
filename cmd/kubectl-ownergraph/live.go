package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// onLive reads the object that the arguments name, runs a collector that only observes until
// every kind is listed, and calls do. The error wraps errUnlisted if a kind is not listed within
// the longest time; 0 is no bound.
//
// Held by TestNotListedInTime.
func (a *app) onLive(ctx context.Context, args []string, longest time.Duration, set func(*ownergraph.Config, graph.Object), do func(context.Context, *ownergraph.Collector, graph.Key) error) error {
	targets, err := a.resolve(args)
	if err != nil {
		return err
	}
	if len(targets) != 1 {
		return printing.UsageError("want one object: TYPE/NAME, or TYPE NAME")
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
	if longest > 0 {
		opening, cancel = context.WithTimeoutCause(opening, longest, fmt.Errorf("no answer within --timeout %s", longest))
		defer cancel()
	}
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
		if err := c.Synced(opening); err != nil {
			return fmt.Errorf("%w: %w", errUnlisted, caused(opening, err))
		}
		return do(ctx, c, o.Key)
	})
}

var errUnlisted = errors.New("not every kind is listed")
