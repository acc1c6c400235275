package sqlstore

import (
	"context"
	"fmt"
)

// pgBlockers finds the transactions for which a reader of the tables waits: those that have the
// lock ACCESS EXCLUSIVE of one, and those that wait for it. A prepared transaction has no pid.
const pgBlockers = `SELECT coalesce(h.pid, 0), h.granted, h.relation::regclass::text, coalesce((SELECT max(x.transactionid::text::bigint)
		FROM pg_locks x WHERE x.virtualtransaction = h.virtualtransaction AND x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock' AND x.granted), 0)
	FROM pg_locks h WHERE h.locktype = 'relation' AND h.mode = 'AccessExclusiveLock'
		AND h.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND h.relation IN (to_regclass('{meta}'), to_regclass('{kinds}'), to_regclass('{objects}'), to_regclass('{log}'))
	ORDER BY h.granted DESC, h.pid, 3 LIMIT 1`

// blocker returns the transaction that delays each reader of the tables, with its program, or
// "". Of several ones it prefers one that has the lock.
//
//test:by TestBlockedWatch
func (t *postgresTables) blocker(ctx context.Context, c *conn) (string, error) {
	var pid, xid int64
	var granted bool
	var table string
	found, err := c.one(ctx, t.names.Replace(pgBlockers), nil, &pid, &granted, &table, &xid)
	if !found || err != nil {
		return "", err
	}
	how := "which has"
	if !granted {
		how = "which waits for"
	}
	who, err := t.describe(ctx, c, writer{pid: pid, xid: uint32(xid)})
	if err != nil {
		who = fmt.Sprintf("%s, and more is unknown: %v", who, err)
	}
	return fmt.Sprintf("the watch waits for the end of a transaction %s the lock ACCESS EXCLUSIVE of table %s: %s", how, table, who), nil
}
