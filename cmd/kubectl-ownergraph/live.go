package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// onLive reads the object that the arguments name, runs a collector that only observes until
// every kind is listed, and calls do. The error wraps errUnlisted if a kind is not listed within
// the longest time; 0 is no bound.
//
//test:by TestNotListedInTime
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
	if set != nil {
		set(&cfg, o)
	}
	return offline.Collect(ctx, store, cfg, func(ctx context.Context, c *ownergraph.Collector) error {
		if err := synced(opening, c); err != nil {
			return err
		}
		return do(ctx, c, o.Key)
	})
}

var (
	errUnlisted  = errors.New("not every kind is listed")
	errForbidden = errors.New("the right to list every kind is missing")
)

// lookEvery is the time between two looks at the kinds. A look makes no request.
const lookEvery = 100 * time.Millisecond

// synced waits until every kind is listed. It ends as soon as the server forbids a kind, because
// no time brings the right.
//
//test:by TestNotListedInTime TestWaitWithoutRights
func synced(ctx context.Context, c *ownergraph.Collector) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.Synced(waiting) }()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%w: %w", errUnlisted, caused(ctx, err))
			}
			return err
		case <-tick.C:
			if why := forbiddenKinds(c.Kinds()); len(why) > 0 {
				cancel()
				<-ended
				return fmt.Errorf("%w, %w: %s", errUnlisted, errForbidden, spell.Some(why))
			}
		}
	}
}

// forbiddenKinds returns the reasons of the kinds that the server forbids, once each other kind is
// listed or sick.
func forbiddenKinds(kinds []engine.KindStatus) (why []string) {
	for _, k := range kinds {
		switch {
		case clientgo.Forbidden(k.Sick):
			reason, _, _ := strings.Cut(k.Sick, ":")
			why = append(why, reason)
		case !k.Listed && k.Sick == "":
			return nil
		}
	}
	return why
}
