package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// bound says how far the log of changes is complete. A look reads it, and then the log in a
// later statement.
//
// Each transaction that writes to {log} has the lock RowExclusiveLock of that table, from
// before the snapshot of its statement until after its end. The locks are read after top and
// drawn. So four kinds of transactions are left:
//
//   - It has ended before. The later statement reads its changes.
//   - It has the lock, and has a number. Its changes are not below (number, 0).
//   - It has the lock, and shows no number. Either it gets one that is not below top, or it has
//     one without the lock of that number, which Postgres takes a moment later. The latter number
//     is a running one of the snapshot, and has no lock: see unlocked.
//   - It takes the lock later. Its snapshot is later too, so its pos is not below top - 1,
//     and its seq is above drawn.
//
// All other transactions of the server do not count, such as an index build, or a transaction
// in another database. A prepared transaction keeps its locks, so it counts. Programs of older
// versions take the same lock, because each INSERT does.
//
// The last case rests on the level READ COMMITTED. See renumber for the other levels.
//
//test:by TestBoundOfUnrelated TestBoundOfEarlyNumber TestBoundOfPrepared TestBoundOfOlderProgram
//test:by TestBoundOfSnapshot
type bound struct {
	top    int64 // above the pos of each change that was committed
	drawn  int64 // the last number of the sequence
	writer writer
	// unlocked is the pos of the lowest running number without a lock, if a transaction that has
	// the lock of the log shows no number. Otherwise it is top.
	unlocked int64
}

// writer is the oldest transaction that may write to the log, and has a number below top. The
// zero value is none.
type writer struct {
	number int64  // as a pos
	xid    uint32 // its number for Postgres
	pid    int64  // 0 for a prepared transaction
}

// present is above each change that was committed.
func (b bound) present() position { return position{b.top - 1, b.drawn + 1} }

// moment returns the position below which the log is complete.
func (b bound) moment() position {
	m := b.present()
	low := min(b.top, b.unlocked)
	if b.writer != (writer{}) {
		low = min(low, b.writer.number)
	}
	if low < b.top {
		m = position{pos: low}
	}
	return m
}

const (
	// pgLogLock selects the locks of transactions that may write to {log}.
	pgLogLock = `granted AND mode = 'RowExclusiveLock' AND locktype = 'relation' AND relation = to_regclass('{log}')
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	// pgDrawn is the last number of {seq}, of all transactions, or one of the values of noNumber.
	pgDrawn = `CASE WHEN NOT has_sequence_privilege(to_regclass('{seq}')::oid, 'USAGE, SELECT') THEN -1
			WHEN (SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass('{seq}')) <> 1 THEN -2
			ELSE coalesce(pg_sequence_last_value(to_regclass('{seq}')), 0) END`
	// pgMoment is a position above each change that is committed.
	pgMoment = `SELECT {stamp}, {start}, {system}, ` + pgTop + `, ` + pgDrawn + ` FROM {meta} m WHERE m.id = 1`
	// pgBound reads q before the locks, because l refers to it. A number of pg_locks has 32 bits:
	// behind is its distance to top, which is below 2 to the 31. A transaction that is being
	// prepared keeps its virtual number, and loses its pid lock by lock (TestBoundWhilePreparing).
	pgBound = `SELECT {stamp}, {system}, ` + pgTop + `, coalesce(h.drawn, q.drawn), h.behind,
			(pg_snapshot_xmax(pg_current_snapshot())::text::bigint - h.behind) & 4294967295, h.pid, h.unlocked
		FROM {meta} m CROSS JOIN (SELECT ` + pgDrawn + ` AS drawn OFFSET 0) q
		LEFT JOIN LATERAL (WITH l AS MATERIALIZED (
				SELECT virtualtransaction AS v, pid, locktype = 'relation' AS writes, transactionid::text::bigint AS xid, q.drawn AS drawn
				FROM pg_locks WHERE granted AND mode = 'ExclusiveLock' AND locktype = 'transactionid' OR ` + pgLogLock + `),
			w AS MATERIALIZED (
				SELECT min(pid) AS pid, max(drawn) AS drawn,
					max(((pg_snapshot_xmax(pg_current_snapshot())::text::bigint - xid + 2147483648) & 4294967295) - 2147483648) AS behind
				FROM l GROUP BY v HAVING bool_or(writes)),
			o AS (SELECT pid, behind FROM w WHERE behind > 0 ORDER BY behind DESC LIMIT 1)
			SELECT (SELECT max(drawn) FROM w) AS drawn, (SELECT behind FROM o) AS behind, (SELECT pid FROM o) AS pid,
				CASE WHEN EXISTS (SELECT 1 FROM w WHERE behind IS NULL) THEN
					(SELECT max(pg_snapshot_xmax(pg_current_snapshot())::text::bigint - x::text::bigint) FROM pg_snapshot_xip(pg_current_snapshot()) x
					WHERE NOT EXISTS (SELECT 1 FROM l WHERE l.xid = x::text::bigint & 4294967295)) END AS unlocked) h ON true
		WHERE m.id = 1`
	pgUTC      = ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'unknown')`
	pgWriter   = `SELECT coalesce(application_name, ''), coalesce(state, 'unknown'), coalesce(to_char(xact_start` + pgUTC + ` FROM pg_stat_activity WHERE pid = $1`
	pgPrepared = `SELECT gid, owner, coalesce(to_char(prepared` + pgUTC + ` FROM pg_prepared_xacts WHERE transaction::text::bigint = $1`
)

func (t *postgresTables) bound(ctx context.Context, c *conn) (b bound, err error) {
	stamp, system := int64(stampNone), int64(0)
	var behind, xid, pid, unlocked sql.NullInt64
	if _, err := c.one(ctx, t.textOf("bound"), nil, &stamp, &system, &b.top, &b.drawn, &behind, &xid, &pid, &unlocked); err != nil {
		return bound{}, err
	}
	if err := errors.Join(c.accept(stamp, system), noNumber(b.drawn)); err != nil {
		return bound{}, err
	}
	b.unlocked = b.top - unlocked.Int64
	if behind.Valid {
		b.writer = writer{b.top - behind.Int64, uint32(xid.Int64), pid.Int64}
	}
	return b, nil
}

func (t *postgresTables) moment(ctx context.Context, c *conn) (p position, start int64, err error) {
	stamp, system := int64(stampNone), int64(0)
	var b bound
	if _, err = c.one(ctx, t.textOf("moment"), nil, &stamp, &start, &system, &b.top, &b.drawn); err == nil {
		err = errors.Join(c.accept(stamp, system), noNumber(b.drawn))
	}
	return b.present(), start, err
}

// noNumber returns the reason for which the sequence has no last number.
//
//test:by TestSequenceRights
func noNumber(drawn int64) error {
	switch drawn {
	case -1:
		return fmt.Errorf("read the sequence of the numbers: this role has neither USAGE nor SELECT on it: %w", graph.ErrRefused)
	case -2:
		return fmt.Errorf("read the sequence of the numbers: its CACHE is not 1, so its numbers do not rise: %w", graph.ErrRefused)
	}
	return nil
}

// describe returns the program of a transaction, and since when it is open. A role without
// the right pg_read_all_stats does not see the state and the time of another role's session.
func (t *postgresTables) describe(ctx context.Context, c *conn, of writer) (string, error) {
	var name, what, since string
	if of.pid != 0 {
		if found, err := c.one(ctx, t.text["writer"], []any{of.pid}, &name, &what, &since); !found || err != nil {
			return fmt.Sprintf("pid %d", of.pid), err
		}
		return fmt.Sprintf("pid %d, application %q, state %s, open since %s", of.pid, name, what, since), nil
	}
	if found, err := c.one(ctx, t.text["prepared"], []any{int64(of.xid)}, &name, &what, &since); !found || err != nil {
		return "a prepared transaction", err
	}
	return fmt.Sprintf("prepared transaction %q of role %s, open since %s", name, what, since), nil
}
