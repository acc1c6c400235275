package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/bare"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/database"
	runner "github.com/ownergraph/ownergraph/internal/proof/storespeed/ours"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/tree"
)

const (
	loop        = "bare loop"
	rowByRow    = "bare loop, row by row"
	deletesOnly = "deletes only"
	foreignKeys = "foreign keys"
)

// batchClients is the number of clients of a loop with batches: with more of them it is not
// faster. Our side has the Collector's default.
const batchClients = 2

// perBatch is the size of a loop's batches.
const perBatch = 500

// cascadeRows are the cascades of a database.
func (b *bed) cascadeRows(name string) []row {
	most := map[string]float64{sqliteName: 8, postgresName: 6}[name]
	rows := []row{{
		name: name + ", cascade, batches", n: b.n,
		sides: []side{
			b.cascade(name, b.n, 0, true),
			b.deletes(name, loop, b.n, batchClients, perBatch, bare.All),
			b.deletes(name, deletesOnly, b.n, batchClients, perBatch, bare.ObjectsOnly),
			b.foreign(name),
		},
		goals: []goal{{side: ours, beside: loop, atLeast: 0.85}, {side: ours, beside: foreignKeys, atMost: most}, {side: ours, beside: deletesOnly}},
	}}
	if name == sqliteName {
		rows[0].sides = append(rows[0].sides, b.deletes(name, rowByRow, b.n, 1, perBatch, bare.RowByRow))
		rows[0].goals = append(rows[0].goals, goal{side: ours, beside: rowByRow})
	}
	for _, clients := range []int{1, 16} {
		rows = append(rows, row{
			name: fmt.Sprintf("%s, cascade, one a transaction, %d clients", name, clients), n: b.single,
			sides: []side{b.cascade(name, b.single, clients, false), b.deletes(name, loop, b.single, clients, 1, bare.All)},
			goals: []goal{{side: ours, beside: loop, atLeast: 0.85}},
		})
	}
	return rows
}

// cascade is a cascade of n objects by a Collector with so many workers.
func (b *bed) cascade(name string, n, workers int, batches bool) side {
	return side{ours, func(ctx context.Context) (got sample, err error) {
		d, err := b.tree(ctx, name, n)
		if err != nil {
			return got, err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		before, err := count(ctx, d.DB)
		if err != nil {
			return got, err
		}
		err = withStore(ctx, d.DB, func(s *sqlstore.Store) (err error) {
			got, err = collect(ctx, s, n, workers, batches)
			return err
		})
		return got, errors.Join(err, expect(ctx, d.DB, counts{log: before.log + n}))
	}}
}

// collect runs a Collector on a store, and times the cascade of the whole tree.
func collect(ctx context.Context, s ownergraph.Store, n, workers int, batches bool) (got sample, err error) {
	counted := runner.Count(s, n-1)
	var store ownergraph.Store = counted
	if batches {
		if store, err = runner.Batch(counted); err != nil {
			return got, err
		}
	}
	r, err := runner.Start(ctx, store, workers)
	if err != nil {
		return got, err
	}
	got, err = timed(n, func() error { return runner.Cascade(ctx, counted, r, tree.Root()) })
	progress("  %d objects in %d calls", n, counted.Calls())
	return got, errors.Join(err, r.Stop())
}

// deletes is a loop of deletes in batches.
func (b *bed) deletes(name, sideName string, n, clients, batch int, what bare.What) side {
	return side{sideName, func(ctx context.Context) (got sample, err error) {
		d, rows, err := b.loaded(ctx, name, n)
		if err != nil {
			return got, err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		want, err := count(ctx, d.DB)
		if err != nil {
			return got, err
		}
		if want.objects = 0; what != bare.ObjectsOnly {
			want.owners, want.log = 0, want.log+n
		}
		got, err = deleteRows(ctx, name, d, rows, clients, batch, what)
		return got, errors.Join(err, expect(ctx, d.DB, want))
	}}
}

func deleteRows(ctx context.Context, name string, d *database.Database, rows []bare.Row, clients, batch int, what bare.What) (got sample, err error) {
	if name == sqliteName {
		l, err := bare.OnSQLite(ctx, d.DB)
		if err != nil {
			return got, err
		}
		got, err = timed(len(rows), func() error {
			if what == bare.All && batch > 1 {
				return l.DeleteSets(ctx, rows, batch)
			}
			return l.Delete(ctx, rows, clients, batch, what)
		})
		return got, errors.Join(err, l.Close())
	}
	l, err := bare.OnPostgres(ctx, d.DB, clients)
	if err != nil {
		return got, err
	}
	got, err = timed(len(rows), func() error { return l.Delete(ctx, rows, batch, what) })
	return got, errors.Join(err, l.Close())
}

// foreign is one delete with foreign keys.
func (b *bed) foreign(name string) side {
	return side{foreignKeys, func(ctx context.Context) (got sample, err error) {
		d, err := b.foreignTree(ctx, name)
		if err != nil {
			return got, err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		got, err = timed(b.n, func() error { return bare.DeleteForeign(ctx, d.DB) })
		if err != nil {
			return got, err
		}
		var left int
		err = d.DB.QueryRowContext(ctx, `SELECT count(*) FROM tree`).Scan(&left)
		if err == nil && left > 0 {
			err = fmt.Errorf("%d rows are left", left)
		}
		return got, err
	}}
}

// foreignTree returns a copy of the table with foreign keys.
func (b *bed) foreignTree(ctx context.Context, name string) (*database.Database, error) {
	m, err := b.maker(name)
	if err != nil {
		return nil, err
	}
	template := fmt.Sprintf("foreign-%d", b.n)
	err = m.Template(ctx, template, func(ctx context.Context, db *sql.DB) error {
		d, rows, err := b.loaded(ctx, name, b.n)
		if err != nil {
			return err
		}
		return errors.Join(bare.FillForeign(ctx, db, rows), d.Close())
	})
	if err != nil {
		return nil, err
	}
	return m.Copy(ctx, template)
}
