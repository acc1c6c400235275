package main

import (
	"context"
	"database/sql"
	"errors"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

const sqliteSettings = "?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)"

// sqlRecords has the payloads in the table specs. A row of it goes with its object.
type sqlRecords struct {
	db      *sql.DB
	objects *sqlstore.Store
}

// archived keeps the row of specs in the entry of each deleted object.
func archived(keep time.Duration) *sqlstore.ArchiveConfig {
	if keep == 0 {
		return nil
	}
	tables := map[graph.Kind]sqlstore.Table{}
	for _, info := range kinds() {
		tables[info.Kind] = sqlstore.Table{Name: "specs", UID: "uid"}
	}
	return &sqlstore.ArchiveConfig{Config: archive.Config{Keep: keep}, Tables: tables}
}

func openSQL(ctx context.Context, driver, address string, use use) (_ records, err error) {
	db, err := sql.Open(driver, address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(16)
	objects, err := sqlstore.New(db, sqlstore.Config{Kinds: kinds(), Strict: true, Policies: use.policies, Archive: archived(use.undo)})
	if err == nil {
		err = objects.Migrate(ctx)
	}
	if err == nil {
		_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS specs (uid TEXT PRIMARY KEY REFERENCES og_objects (uid) ON DELETE CASCADE, spec TEXT NOT NULL)`)
	}
	return &sqlRecords{db, objects}, err
}

func (s *sqlRecords) store() store { return s.objects }
func (s *sqlRecords) close() error { return errors.Join(s.objects.Close(), s.db.Close()) }

func (s *sqlRecords) group(ctx context.Context) (group.Coordinator, error) {
	return s.objects.Group(ctx, "controlplane")
}

func (s *sqlRecords) create(ctx context.Context, r record) (record, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return r, err
	}
	defer tx.Rollback() // without effect after the commit
	if r.Object, err = s.objects.Tx(tx).Create(ctx, r.Object); err == nil {
		_, err = tx.ExecContext(ctx, `INSERT INTO specs (uid, spec) VALUES ($1, $2)`, r.Object.UID, string(r.Spec))
	}
	if err == nil {
		err = tx.Commit()
	}
	s.objects.Wake()
	return r, err
}

func (s *sqlRecords) read(ctx context.Context, key graph.Key) (r record, err error) {
	if r.Object, err = s.objects.Get(ctx, key); err == nil {
		err = s.db.QueryRowContext(ctx, `SELECT spec FROM specs WHERE uid = $1`, r.Object.UID).Scan((*[]byte)(&r.Spec))
	}
	if errors.Is(err, sql.ErrNoRows) { // it went since
		err = ownergraph.ErrNotFound
	}
	return r, err
}
