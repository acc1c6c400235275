package main

import (
	"context"
	"errors"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/bare"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/database"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/tree"
)

const inserts = "prepared inserts"

// createRow creates a tree in empty tables.
func (b *bed) createRow(name string) row {
	return row{
		name: name + ", create", n: b.n,
		sides: []side{{ours, func(ctx context.Context) (sample, error) { return b.createOurs(ctx, name) }},
			{inserts, func(ctx context.Context) (sample, error) { return b.createBare(ctx, name) }}},
		goals: []goal{{side: ours, beside: inserts, atMost: 2.5}},
	}
}

func (b *bed) createOurs(ctx context.Context, name string) (got sample, err error) {
	d, err := b.empty(ctx, name)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	before, err := count(ctx, d.DB)
	if err != nil {
		return got, err
	}
	nodes := tree.Nodes(b.n)
	err = withStore(ctx, d.DB, func(s *sqlstore.Store) (err error) {
		got, err = timed(b.n, func() error { return create(ctx, d.DB, s, nodes) })
		return err
	})
	return got, errors.Join(err, expect(ctx, d.DB, counts{b.n, b.n - 1, before.log + b.n}))
}

// createBare inserts the rows of a tree that our side has made.
func (b *bed) createBare(ctx context.Context, name string) (got sample, err error) {
	from, rows, err := b.loaded(ctx, name, b.n)
	if err != nil {
		return got, err
	}
	if err := from.Close(); err != nil {
		return got, err
	}
	d, err := b.empty(ctx, name)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	before, err := count(ctx, d.DB)
	if err != nil {
		return got, err
	}
	got, err = insertRows(ctx, name, d, rows)
	return got, errors.Join(err, expect(ctx, d.DB, counts{b.n, b.n - 1, before.log + b.n}))
}

func insertRows(ctx context.Context, name string, d *database.Database, rows []bare.Row) (got sample, err error) {
	if name == sqliteName {
		l, err := bare.OnSQLite(ctx, d.DB)
		if err != nil {
			return got, err
		}
		got, err = timed(len(rows), func() error { return l.Create(ctx, rows, perTransaction) })
		return got, errors.Join(err, l.Close())
	}
	l, err := bare.OnPostgres(ctx, d.DB, 1)
	if err != nil {
		return got, err
	}
	got, err = timed(len(rows), func() error { return l.Create(ctx, rows, perTransaction) })
	return got, errors.Join(err, l.Close())
}
