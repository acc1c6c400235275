package main

import (
	"context"
	"errors"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// embed opens a store with the objects of a cluster, and runs a collector on it. This
// function has all the code that embeds them. A session deletes objects in the store, as any
// user does, and the collector does the rest. The caller stops the collector.
func embed(c dump.Content) (s *live.Session, stop func() error, err error) {
	store, err := memory.New(memory.Config{Kinds: c.Kinds, Objects: live.Countable(c.Objects)})
	if err != nil {
		return nil, nil, err
	}
	why := &live.Reasons{}
	collector, err := ownergraph.New(store, ownergraph.Config{OnDecision: why.Note})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	return &live.Session{Store: store, Collector: collector, Reasons: why}, func() error { cancel(); return <-ended }, nil
}

// show carries out the deletions, and prints the results. It leaves no goroutine.
//
//test:by TestShowLeavesNothing
func show(ctx context.Context, c dump.Content, todo []live.Deletion, out *terminal.Output, began time.Time) error {
	s, stop, err := embed(c)
	if err != nil {
		return err
	}
	s.Out, s.Began = out, began
	return errors.Join(s.Play(ctx, c, todo), stop())
}
