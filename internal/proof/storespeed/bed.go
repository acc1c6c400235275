package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/bare"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/database"
	"github.com/ownergraph/ownergraph/internal/proof/storespeed/tree"
)

// ours is the name of the side of this project.
const ours = "ours"

// The names of the databases.
const (
	sqliteName   = "sqlite"
	postgresName = "postgres"
)

// bed starts the servers when a row needs them first.
type bed struct {
	sizes
	makers map[string]database.Maker
	etcd   *etcdBed
}

func newBed(s sizes) *bed { return &bed{sizes: s, makers: map[string]database.Maker{}} }

func (b *bed) close() error {
	var errs []error
	for _, m := range b.makers {
		errs = append(errs, m.Close())
	}
	if b.etcd != nil {
		errs = append(errs, b.etcd.close())
	}
	return errors.Join(errs...)
}

func (b *bed) maker(name string) (m database.Maker, err error) {
	if m := b.makers[name]; m != nil {
		return m, nil
	}
	if m, err = database.SQLite(); name == postgresName {
		m, err = database.Postgres()
	}
	if err == nil {
		b.makers[name] = m
	}
	return m, err
}

// rows are all rows.
func (b *bed) rows() []row {
	var out []row
	for _, name := range []string{sqliteName, postgresName} {
		out = append(out, b.cascadeRows(name)...)
		out = append(out, b.createRow(name), b.startRow(name), b.watchRow(name), b.blockedRow(name))
	}
	return append(out, b.etcdRow())
}

// empty returns an empty copy of the tables.
func (b *bed) empty(ctx context.Context, name string) (*database.Database, error) {
	m, err := b.maker(name)
	if err != nil {
		return nil, err
	}
	err = m.Template(ctx, "empty", func(ctx context.Context, db *sql.DB) error { return withStore(ctx, db, nothing) })
	if err != nil {
		return nil, err
	}
	return m.Copy(ctx, "empty")
}

// tree returns a copy of the tables with a tree of n objects.
func (b *bed) tree(ctx context.Context, name string, n int) (*database.Database, error) {
	m, err := b.maker(name)
	if err != nil {
		return nil, err
	}
	template := fmt.Sprintf("tree-%d", n)
	err = m.Template(ctx, template, func(ctx context.Context, db *sql.DB) error {
		return withStore(ctx, db, func(s *sqlstore.Store) error { return create(ctx, db, s, tree.Nodes(n)) })
	})
	if err != nil {
		return nil, err
	}
	return m.Copy(ctx, template)
}

// loaded also returns the rows of the tree.
func (b *bed) loaded(ctx context.Context, name string, n int) (*database.Database, []bare.Row, error) {
	d, err := b.tree(ctx, name, n)
	if err != nil {
		return nil, nil, err
	}
	rows, err := bare.Load(ctx, d.DB, name)
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return d, rows, nil
}

func nothing(*sqlstore.Store) error { return nil }

// withStore opens a store on the database, with its tables, and closes it.
func withStore(ctx context.Context, db *sql.DB, use func(*sqlstore.Store) error) error {
	s, err := sqlstore.New(db, sqlstore.Config{Kinds: tree.Kinds()})
	if err != nil {
		return err
	}
	if err = s.Migrate(ctx); err == nil {
		err = use(s)
	}
	return errors.Join(err, s.Close())
}

// perTransaction is the number of objects that one transaction creates.
const perTransaction = 5000

// create creates the objects in transactions of the user, owners first. An owner's UID is
// known after its creation. So a call creates objects up to the first one whose owner is
// new too.
func create(ctx context.Context, db *sql.DB, s *sqlstore.Store, nodes []tree.Node) error {
	uids := make([]graph.UID, 0, len(nodes))
	for from := 0; from < len(nodes); from += perTransaction {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		in := s.Tx(tx)
		for to := min(from+perTransaction, len(nodes)); err == nil && len(uids) < to; {
			uids, err = createSome(ctx, in, nodes[:to], uids)
		}
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// createSome creates the next objects with one call, and appends their UIDs.
func createSome(ctx context.Context, tx *sqlstore.Tx, nodes []tree.Node, uids []graph.UID) ([]graph.UID, error) {
	var list []graph.Object
	for i := len(uids); i < len(nodes) && nodes[i].Parent < len(uids); i++ {
		var owner graph.UID
		if p := nodes[i].Parent; p >= 0 {
			owner = uids[p]
		}
		list = append(list, tree.Object(nodes, i, owner))
	}
	made, err := tx.CreateAll(ctx, list)
	for _, o := range made {
		uids = append(uids, o.UID)
	}
	return uids, err
}

// counts are the numbers of rows of the tables.
type counts struct{ objects, owners, log int }

func count(ctx context.Context, db *sql.DB) (c counts, err error) {
	text := `SELECT (SELECT count(*) FROM og_objects), (SELECT count(*) FROM og_owners), (SELECT count(*) FROM og_log)`
	err = db.QueryRowContext(ctx, text).Scan(&c.objects, &c.owners, &c.log)
	return c, err
}

// expect fails unless the tables have the numbers of rows.
func expect(ctx context.Context, db *sql.DB, want counts) error {
	got, err := count(ctx, db)
	if err == nil && got != want {
		err = fmt.Errorf("the tables have %+v rows in the end, want %+v", got, want)
	}
	return err
}
