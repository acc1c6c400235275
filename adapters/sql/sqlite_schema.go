package sqlstore

import (
	"context"
	"math/rand/v2"
	"time"
)

// sqliteSchema creates the tables of version 1. Text compares by its bytes, which is the collation of a
// column without another one.
func sqliteSchema() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS {meta} (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL, kinds INTEGER NOT NULL,
		floor INTEGER NOT NULL, epoch TEXT NOT NULL, reason TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS {kinds} (id INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE, scoped INTEGER NOT NULL,
		no_owner INTEGER NOT NULL, served INTEGER NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS {objects} (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, place BLOB NOT NULL, uid TEXT NOT NULL UNIQUE,
		scope TEXT NOT NULL, name TEXT NOT NULL, pos INTEGER NOT NULL, deleting INTEGER NOT NULL, held INTEGER NOT NULL, body BLOB NOT NULL, labels TEXT NOT NULL,
		UNIQUE (kind, place))`,
		`CREATE TABLE IF NOT EXISTS {owners} (uid TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (uid, owner)) WITHOUT ROWID`,
		`CREATE INDEX IF NOT EXISTS {index} ON {#owners} (owner)`,
		`CREATE TABLE IF NOT EXISTS {log} (pos INTEGER PRIMARY KEY, mark INTEGER NOT NULL, at INTEGER NOT NULL, type INTEGER NOT NULL,
		kind INTEGER NOT NULL, uid TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, body BLOB)`,
	}
}

// sqliteUpgrades has one step for each further version.
func sqliteUpgrades() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS {records} (name TEXT PRIMARY KEY, version TEXT NOT NULL, value BLOB NOT NULL) WITHOUT ROWID`,
	}
}

const (
	sqliteFirstMeta = `INSERT INTO {meta} (id, version, kinds, floor, epoch, reason) VALUES (1, ?1, ?2, 1, '', '') ON CONFLICT DO NOTHING`
	sqliteFirstLog  = `INSERT INTO {log} (pos, mark, at, type, kind, uid, scope, name) SELECT 1, ?1, ?2, 0, 0, '', '', ''
		WHERE NOT EXISTS (SELECT 1 FROM {log})`
)

func (t *sqliteTables) migrate(ctx context.Context, c *conn) error {
	names := t.conf.names()
	for _, text := range sqliteSchema() {
		if _, err := c.exec(ctx, names.Replace(text)); err != nil {
			return err
		}
	}
	if _, err := c.exec(ctx, names.Replace(sqliteFirstMeta), firstSchema, rand.Int64()); err != nil {
		return err
	}
	if _, err := c.exec(ctx, names.Replace(sqliteFirstLog), rand.Int64(), time.Now().UnixMilli()); err != nil {
		return err
	}
	return upgrade(ctx, c, names, sqliteUpgrades())
}
