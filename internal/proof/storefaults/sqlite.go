package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/disk"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// sqliteSite has each database in a file on a small disk.
type sqliteSite struct {
	disk   *disk.Disk
	path   string
	direct *sql.DB
	seed   uint64
}

func newSQLiteSite(size int64) (site, error) {
	d, err := disk.Mount(size)
	if err != nil {
		return nil, err
	}
	return &sqliteSite{disk: d}, nil
}

var sqliteHistory = []string{
	`CREATE TABLE payload (uid TEXT PRIMARY KEY REFERENCES og_objects (uid) ON DELETE CASCADE, name TEXT NOT NULL)`,
	`CREATE TABLE judged (n INTEGER PRIMARY KEY AUTOINCREMENT, pos INTEGER, type INTEGER, kind INTEGER, uid TEXT, scope TEXT, name TEXT, body BLOB)`,
	`CREATE TRIGGER judges AFTER INSERT ON og_log BEGIN INSERT INTO judged (pos, type, kind, uid, scope, name, body)
		VALUES (new.pos, new.type, new.kind, new.uid, new.scope, new.name, new.body); END`,
}

func (s *sqliteSite) fresh(ctx context.Context, seed uint64) error {
	dir := filepath.Join(s.disk.Dir(), fmt.Sprintf("round%d", seed))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	s.path = filepath.Join(dir, "db")
	s.direct, s.seed = openSQLite(s.path), seed
	return prepare(ctx, s.direct, configOf(s, seed), sqliteHistory)
}

// prepare creates the tables of the store, of the user, and the copy of the log.
func prepare(ctx context.Context, db *sql.DB, c sqlstore.Config, history []string) error {
	c.Kinds = kinds()
	s, err := sqlstore.New(db, c)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Migrate(ctx), s.Close()); err != nil {
		return err
	}
	for _, text := range history {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

func (s *sqliteSite) target() target { return target{Store: "sqlite", Address: s.path} }

func (s *sqliteSite) tables() tables { return tables{db: s.direct} }

func (s *sqliteSite) objects(ctx context.Context) ([]graph.Object, error) {
	return s.tables().objects(ctx)
}

func (s *sqliteSite) content(ctx context.Context) (*judge.Content, error) {
	var sound string
	if err := s.direct.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&sound); err != nil || sound != "ok" {
		return nil, errors.Join(fmt.Errorf("integrity check: %s", sound), err)
	}
	return s.tables().content(ctx, s.direct)
}

func (s *sqliteSite) faults() []fault {
	return []fault{
		{"full-disk", func(context.Context, *rand.Rand) (func(context.Context) error, error) {
			return func(context.Context) error { return s.disk.Free() }, s.disk.Fill()
		}},
		{"read-only", func(context.Context, *rand.Rand) (func(context.Context) error, error) {
			marker := readOnlyMarker(s.path)
			return func(context.Context) error { return os.Remove(marker) }, os.WriteFile(marker, nil, 0o600)
		}},
		{"lock", s.lock},
		{"clock", s.clock},
	}
}

// lock takes the lock of the writer, as a slow process does.
func (s *sqliteSite) lock(ctx context.Context, _ *rand.Rand) (func(context.Context) error, error) {
	var tx *sql.Tx
	err := persist(ctx, func() (err error) {
		tx, err = s.direct.BeginTx(context.WithoutCancel(ctx), nil) // immediate, by the settings of the connection
		return err
	})
	return func(context.Context) error { return tx.Rollback() }, err
}

// clock changes the times of some logged changes, as writers whose clocks jump do. Then the
// store cuts its log by these times.
func (s *sqliteSite) clock(ctx context.Context, rnd *rand.Rand) (func(context.Context) error, error) {
	jump := fmt.Sprintf(`UPDATE og_log SET at = at %+d WHERE pos %% 3 = %d`, (rnd.IntN(5)-3)*2*hour, rnd.IntN(3))
	err := persist(ctx, func() error { _, err := s.direct.ExecContext(ctx, jump); return err })
	if err != nil {
		return nil, err
	}
	return func(context.Context) error { return nil }, compact(ctx, s.direct, configOf(s, s.seed))
}

// hour is in milliseconds.
const hour = 3_600_000

// compact makes the store cut its log.
func compact(ctx context.Context, db *sql.DB, c sqlstore.Config) error {
	s, err := sqlstore.New(db, c)
	if err != nil {
		return err
	}
	return errors.Join(persist(ctx, func() error { return s.Compact(ctx) }), s.Close())
}

// persist repeats a call of the tests that other writers or a restart hinder.
func persist(ctx context.Context, call func() error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := call()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

func (s *sqliteSite) end() error {
	return errors.Join(s.direct.Close(), os.RemoveAll(filepath.Dir(s.path)))
}

func (s *sqliteSite) close() error { return s.disk.Unmount() }
