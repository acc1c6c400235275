package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Migrate creates the tables, or upgrades those of an older version, and serves the kinds
// of the Config. Several processes may call it at once. It needs the right to create
// tables. Errors: an error for tables of a newer version, and those of AddKind.
//
// Programs that run meanwhile go on. A program of an older version then cannot migrate any
// more.
//
// Held by TestMigrateTogether, TestMigrateRefusesNewer and TestMigrateUpgrades.
func (s *Store) Migrate(ctx context.Context) error {
	err := s.retry(ctx, func() error {
		return s.transactOnce(ctx, s.tables.migrate, func(ses *session) error {
			kinds, err := s.tables.kinds(ctx, &ses.c)
			if err != nil {
				return err
			}
			for _, info := range s.conf.Kinds {
				if err := ses.addKind(ctx, kinds, info); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil {
		err = s.stmts.prepare(ctx, s.db, s.tables) // a Tx cannot, if the pool has one connection
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

const (
	// firstSchema is the version of the tables that a schema creates.
	firstSchema = 1
	// schemaVersion is their version after all upgrades.
	schemaVersion = 2
)

var errNewer = errors.New("the tables have a newer version")

func checkSchema(version int64) error {
	switch {
	case version > schemaVersion:
		return fmt.Errorf("version %d, this program knows %d: %w", version, schemaVersion, errNewer)
	case version < firstSchema:
		return fmt.Errorf("version %d of the tables: there is no such version", version)
	}
	return nil
}

// upgrade makes the tables of the newest version of those that are there. Step i makes version
// i + 2. New tables take all of the steps too.
func upgrade(ctx context.Context, c *conn, names *strings.Replacer, steps []string) error {
	var version int64
	if _, err := c.one(ctx, names.Replace(`SELECT version FROM {meta} WHERE id = 1`), nil, &version); err != nil {
		return err
	}
	if err := checkSchema(version); err != nil || version == schemaVersion {
		return err
	}
	for _, text := range steps[version-firstSchema:] {
		if _, err := c.exec(ctx, names.Replace(text)); err != nil {
			return fmt.Errorf("upgrade the tables of version %d: %w", version, err)
		}
	}
	_, err := c.exec(ctx, names.Replace(fmt.Sprintf(`UPDATE {meta} SET version = %d WHERE id = 1`, schemaVersion)))
	return err
}
