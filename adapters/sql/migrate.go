package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Migrate creates the tables, or upgrades those of an older version, and serves the kinds
// of the Config. Several processes may call it at once.
//
// Migrate reads the version first. If the tables are current and have the kinds, it writes
// nothing, takes no lock, and needs no right but to read. Otherwise it needs the right to create
// tables. On Postgres it waits at most a second for each lock, because writers wait behind it, and
// lets them pass before it tries again. After five tries it returns an error with a RetryAfter.
// Then a transaction that writes the tables is too long.
//
// With a Config.Logger it writes a line for each foreign key of the user that refuses deletions,
// takes rows along, or has no index: see Constraints.
//
// An upgrade waits for the writers that run. A program that does not know the new version
// writes and lists nothing after it: its calls return an error with both versions. With
// Config.Policies the upgrade reads each object once, and all calls wait for it. Store.Policies counts
// the references that begin to act then. Without it Migrate upgrades to version 2, and works on tables
// of version 3.
//
// With Config.Archive it upgrades to version 4, and the same holds. It then checks the tables of the
// payloads, and notes the settings in the database. It refuses settings that keep less than those
// that are there (see "Archive" in the package documentation).
//
// Errors: ErrRefused for tables of a newer version, for settings that keep less and for an unfit server
// (see "Servers" in the package documentation), ErrInvalid for a table of Config.Archive, and those of AddKind.
//
//test:by TestMigrateTogether TestMigrateRefusesNewer TestMigrateUpgrades TestMigrateOfCurrentTables
//test:by TestMigrateWithoutRights TestMigrateWaitsBriefly TestVersionShutsOut TestMigrateReports
//test:by TestPoliciesStep TestPoliciesBesideEachOther TestArchiveSettingsAgree
func (s *Store) Migrate(ctx context.Context) error {
	err := s.checkServer(ctx)
	if err == nil {
		err = s.makeTables(ctx)
	}
	if err == nil {
		err = s.checkPayloads(ctx)
	}
	if err == nil {
		err = s.serveKinds(ctx)
	}
	if err == nil {
		err = s.prepare(ctx) // a Tx cannot, if the pool has one connection
	}
	if err == nil {
		s.reportConstraints(ctx)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

const (
	lockWithin = time.Second // of DDL on Postgres
	lockTries  = 5
)

// makeTables creates or upgrades the tables, if they are not current.
func (s *Store) makeTables(ctx context.Context) error {
	version, err := s.tables.schema(ctx, &conn{s: s})
	if err == nil && version != 0 {
		err = s.conf.checkSchema(version)
	}
	if err != nil || version >= s.conf.version() {
		return err
	}
	return s.withLocks(ctx, s.tables.lockSchema, func(ses *session) error { return s.tables.migrate(ctx, &ses.c) })
}

// withLocks runs statements that change the shape of tables, in one transaction. On Postgres it
// gives its place in the queue of a lock up after a while, and tries again.
func (s *Store) withLocks(ctx context.Context, lock func(context.Context, *conn) error, do func(*session) error) error {
	return tryLocks(ctx, "the tables", "writes", func() error {
		return s.retry(ctx, func() error { return s.transactOnce(ctx, lock, do) })
	})
}

// tryLocks repeats a transaction that lock_timeout has ended, because others wait behind its place in
// the queue of a lock. The last error names what it locks, and what another transaction does with that.
func tryLocks(ctx context.Context, locked, held string, do func() error) error {
	for n := 1; ; n++ {
		err := do()
		switch {
		case !isLockTimeout(err):
			return err
		case n == lockTries:
			return &notDone{cause: fmt.Errorf("%d tries to lock %s for %s each: a transaction that %s them is open for longer: %w", n, locked, lockWithin, held, err), after: later}
		}
		if err := sleep(ctx, lockWithin); err != nil {
			return err
		}
	}
}

// isLockTimeout reports whether lock_timeout has ended a statement of Postgres.
func isLockTimeout(err error) bool {
	var postgres interface{ SQLState() string }
	return errors.As(err, &postgres) && postgres.SQLState() == "55P03"
}

// serveKinds serves the kinds of the Config that are not served as they are there.
func (s *Store) serveKinds(ctx context.Context) error {
	var kinds *kindSet
	err := s.retry(ctx, func() (err error) {
		kinds, err = s.readKinds(ctx, &conn{s: s}) // also for the version of the tables
		return err
	})
	missing := func(info graph.KindInfo) bool {
		return !kinds.serves(info.Kind) || kinds.byName[info.Kind].info != info
	}
	if err != nil || !slices.ContainsFunc(s.conf.Kinds, missing) {
		return err
	}
	return s.transact(ctx, func(ses *session) error {
		kinds, err := s.checkedKinds(ctx, &ses.c)
		if err != nil {
			return err
		}
		for _, info := range s.conf.Kinds {
			if err == nil {
				err = ses.addKind(ctx, kinds, info)
			}
		}
		return err
	})
}

// upgrade makes the tables of the version of the Config of those that are there.
func upgrade(ctx context.Context, c *conn) error {
	var version int64
	if _, err := c.one(ctx, c.s.conf.names().Replace(`SELECT version FROM {meta} WHERE id = 1`), nil, &version); err != nil {
		return err
	}
	if err := c.s.conf.checkSchema(version); err != nil {
		return err
	}
	for _, step := range c.s.conf.steps()[version:max(version, c.s.conf.version())] {
		if err := c.execAll(ctx, step); err != nil {
			return fmt.Errorf("upgrade the tables of version %d: %w", version, err)
		}
	}
	return nil
}
