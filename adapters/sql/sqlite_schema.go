package sqlstore

import (
	"context"
	crand "crypto/rand"
	"errors"
	"strings"
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

// sqlitePolicies makes version 3. The key of {restricts} begins with the owner, because a deletion
// looks for the objects that restrict it. An object with a policy from before the step has a row for
// each of its owners, because no statement reads a body. The trigger refuses the writes of programs that
// check no version: see newMark.
func sqlitePolicies() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS {restricts} (owner TEXT NOT NULL, uid TEXT NOT NULL, PRIMARY KEY (owner, uid)) WITHOUT ROWID`,
		`INSERT INTO {restricts} (owner, uid) SELECT w.owner, w.uid FROM {objects} d JOIN {owners} w ON w.uid = d.uid
		WHERE substr(d.body, 1, 1) <> x'01' AND (SELECT version FROM {meta} WHERE id = 1) = 2 ON CONFLICT DO NOTHING`,
		`CREATE TRIGGER IF NOT EXISTS {policies} BEFORE INSERT ON {#log} WHEN NEW.mark >= 0 BEGIN
		SELECT RAISE(ABORT, 'ownergraph: the tables have version 3, and this program does not know it');
	END`,
		`UPDATE {meta} SET version = 3, kinds = random() & 9223372036854775807 WHERE id = 1 AND version = 2`,
	}
}

// The first rows of new tables. The stamp of the kinds and the mark of the log are random.
const (
	sqliteFirstMeta = `INSERT INTO {meta} (id, version, kinds, floor, epoch, reason)
		VALUES (1, 1, random() & 9223372036854775807, 1, '', '') ON CONFLICT DO NOTHING`
	sqliteFirstLog = `INSERT INTO {log} (pos, mark, at, type, kind, uid, scope, name)
		SELECT 1, -1 - (random() & 9223372036854775807), CAST(strftime('%s', 'now') AS INTEGER) * 1000, 0, 0, '', '', ''
		WHERE NOT EXISTS (SELECT 1 FROM {log}) AND NOT EXISTS (SELECT 1 FROM {objects}) AND (SELECT floor FROM {meta} WHERE id = 1) = 1`
)

// sqliteSteps has the statements that make each version of the one before. Each step is for one
// transaction.
func sqliteSteps() [][]string {
	list := [][]string{append(sqliteSchema(), sqliteFirstMeta, sqliteFirstLog)}
	for i, text := range sqliteUpgrades() {
		list = append(list, []string{text, raised(i + firstSchema)})
	}
	return append(list, sqlitePolicies(), sqliteArchive())
}

// errLogEmpty says that the log has lost its last row, which has the last number. The number
// of the next change is unknown then, and so is the history.
var errLogEmpty = errors.New("the log of changes is empty: its last row has the last number, so never delete that row")

// refill begins a new epoch, as after a restore, if the log is empty. Every object gets a
// version above all former ones.
//
//test:by TestLogEmptied
func (t *sqliteTables) refill(ctx context.Context, c *conn) error {
	_, _, err := t.moment(ctx, c)
	if errors.Is(err, errLogEmpty) {
		err = t.restored(ctx, c, nil, crand.Text(), "the log of changes was emptied", time.Now().UnixNano())
	}
	return err
}

func (t *sqliteTables) schema(ctx context.Context, c *conn) (version int64, err error) {
	names := t.conf.names()
	master := "sqlite_master"
	if t.conf.Schema != "" {
		master = `"` + t.conf.Schema + `".` + master
	}
	var tables int
	if _, err := c.one(ctx, `SELECT count(*) FROM `+master+` WHERE type = 'table' AND name IN (?1, ?2)`,
		[]any{t.conf.Prefix + "meta", t.conf.Prefix + "log"}, &tables); err != nil || tables < 2 {
		return 0, err
	}
	_, err = c.one(ctx, names.Replace(`SELECT version FROM {meta} WHERE id = 1`), nil, &version)
	return version, err
}

// lockSchema has nothing to do, because the first statement of the transaction has the lock.
func (t *sqliteTables) lockSchema(context.Context, *conn) error { return nil }

// migrate creates the tables that are not there. The texts are for existing tables, too.
func (t *sqliteTables) migrate(ctx context.Context, c *conn) error {
	if err := c.execAll(ctx, t.conf.steps()[0]); err != nil {
		return err
	}
	return upgrade(ctx, c)
}

// parts cuts the text that made the table.
func (t *sqliteTables) parts(ctx context.Context, c *conn, table string) (text string, err error) {
	_, err = c.one(ctx, t.master(`SELECT coalesce(sql, '') FROM {master} WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE`),
		[]any{t.conf.Prefix + table}, &text)
	if from, to := strings.Index(text, "("), strings.LastIndex(text, ")"); from >= 0 && from < to {
		text = text[from+1 : to]
	}
	return text, err
}
