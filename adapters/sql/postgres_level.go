package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
)

// leastName is the name of the setting that freshen makes. Each pair of a schema and a prefix has
// its own.
func (c Config) leastName() string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q.%q", c.Schema, c.Prefix) // it never fails
	return fmt.Sprintf("ownergraph.least_%016x", h.Sum64())
}

// pgLeast is a pos below which no change of the transaction may be. Postgres forgets it with
// the transaction, or with the savepoint.
const pgLeast = `coalesce(nullif(current_setting('{least}', true), '')::bigint, 0)`

const (
	pgLevel = `SELECT current_setting('transaction_isolation') IN ('read committed', 'read uncommitted'),
		` + pgLeast + ` > 0 AND EXISTS (SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND ` + pgLogLock + `)`
	pgNumber   = `INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name) VALUES (-1, nextval('{seq}'), -1, 0, 0, 0, '', '', '') RETURNING xmin::text::bigint`
	pgSetLeast = `SELECT set_config('{least}', (x + (($1::bigint - x) & 4294967295))::text, true) FROM (SELECT pg_current_xact_id()::text::bigint AS x) t`
)

// freshen gives a transaction with one old snapshot positions that are not too low. A
// transaction of the levels REPEATABLE READ and SERIALIZABLE keeps its first snapshot. It may
// also have its number from a write to other tables. Then both are from before the lock of
// {log}, and a watch may have passed them.
//
// So freshen takes that lock, and then sets a fresh least position. The setting comes last, and
// shows that all of it was done. A user's savepoint gives both back.
//
// The snapshot may also be older than an epoch or an upgrade of the tables. A change below the floor of
// an epoch is one that no watch reads. Both lock {objects}, so none begins or ends behind the lock of
// freshen. Both write each row of {kinds}, and a lock on such a row is refused then (40001), if the
// snapshot lacks that. It needs the right to UPDATE, and ends with the savepoint, so that AddKind need
// not wait.
//
//test:by TestBoundOfEarlyNumber TestBoundOfSnapshot TestFreshenBrokenOff TestOldSnapshot
func (t *postgresTables) freshen(ctx context.Context, c *conn) (again bool, err error) {
	var plain, done bool
	if _, err := c.one(ctx, t.text["level"], nil, &plain, &done); err != nil || plain || done {
		return !plain, err
	}
	if _, err := c.exec(ctx, t.text["lockall"]); err != nil {
		return true, err
	}
	number, err := t.freshNumber(ctx, c)
	if err != nil {
		return true, err
	}
	var least string
	_, err = c.one(ctx, t.text["setleast"], []any{number}, &least)
	return true, err
}

// freshNumber returns a fresh number of Postgres, if the snapshot is not older than an epoch. A savepoint
// with a write gets one. Postgres has no other way to a fresh number for a transaction that has one.
// The row is rolled back, also after the end of the call.
func (t *postgresTables) freshNumber(ctx context.Context, c *conn) (number int64, err error) {
	whole, end := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer end()
	if _, err := c.exec(whole, `SAVEPOINT ownergraph_number`); err != nil {
		return 0, err
	}
	if _, err = c.exec(whole, t.text["current"]); err == nil {
		_, err = c.one(whole, t.text["number"], nil, &number)
	}
	for _, text := range []string{`ROLLBACK TO SAVEPOINT ownergraph_number`, `RELEASE SAVEPOINT ownergraph_number`} {
		if _, ended := c.exec(whole, text); ended != nil {
			return 0, errors.Join(err, ended)
		}
	}
	return number, err
}
