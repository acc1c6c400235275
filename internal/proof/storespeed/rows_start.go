package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/bare"
	runner "github.com/ownergraph/ownergraph/internal/proof/storespeed/ours"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/tree"
)

const (
	collector = "a Collector is synced"
	selection = "select"
)

// startRow lists a tree that exists. The side "ours" is a watch alone.
func (b *bed) startRow(name string) row {
	start := func(work func(ctx context.Context, db *sql.DB, s *sqlstore.Store) error) func(context.Context) (sample, error) {
		return func(ctx context.Context) (got sample, err error) {
			d, err := b.tree(ctx, name, b.start)
			if err != nil {
				return got, err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			err = withStore(ctx, d.DB, func(s *sqlstore.Store) (err error) {
				got, err = timed(b.start, func() error { return work(ctx, d.DB, s) })
				return err
			})
			return got, err
		}
	}
	return row{
		name: name + ", start", n: b.start,
		sides: []side{
			{ours, start(func(ctx context.Context, _ *sql.DB, s *sqlstore.Store) error { return listed(ctx, s, b.start) })},
			{collector, start(func(ctx context.Context, _ *sql.DB, s *sqlstore.Store) error { return synced(ctx, s, b.start) })},
			{selection, start(func(ctx context.Context, db *sql.DB, _ *sqlstore.Store) error {
				return bare.Select(ctx, db, name, b.start)
			})},
		},
		goals: []goal{{side: ours, beside: selection, atMost: 2}, {side: collector, beside: selection, atMost: 2}},
	}
}

// errDone ends a watch that has seen what it waits for.
var errDone = errors.New("done")

// listed returns when a watch has listed all kinds.
func listed(ctx context.Context, s *sqlstore.Store, want int) error {
	objects, ended := 0, 0
	err := s.Watch(ctx, func(batch []graph.Event) error {
		for i := range batch {
			switch batch[i].Type {
			case graph.Put:
				objects++
			case graph.ListEnded:
				ended++
			}
		}
		if ended == len(tree.Kinds()) {
			return errDone
		}
		return nil
	})
	if !errors.Is(err, errDone) {
		return err
	}
	if objects != want {
		return fmt.Errorf("the watch listed %d objects, want %d", objects, want)
	}
	return nil
}

// synced returns when a Collector has listed all kinds.
func synced(ctx context.Context, s *sqlstore.Store, want int) error {
	r, err := runner.Start(ctx, s, 0)
	if err != nil {
		return err
	}
	if n := r.Collector.Stats().Objects; n != want {
		err = fmt.Errorf("the collector knows %d objects, want %d", n, want)
	}
	return errors.Join(err, r.Stop())
}
