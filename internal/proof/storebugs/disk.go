package main

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"
)

// errBusy is the database's answer during an outage. errDisk is the answer of a
// COMMIT that fails.
var (
	errBusy = errors.New("database is busy (5) (SQLITE_BUSY)")
	errDisk = errors.New("disk I/O error (10) (SQLITE_IOERR)")
)

// failing is the way in which COMMIT fails.
type failing int32

const (
	sound failing = iota
	undone
	unanswered // done, and answered with an error
)

// disk is the fault injection of one database. All handles on it share it.
type disk struct {
	outage  atomic.Bool
	commits atomic.Int32 // a failing
}

// busyTimeout is the longest wait of a statement for a busy database.
const busyTimeout = 10 * time.Millisecond

// err waits for the end of an outage, as busy_timeout does.
func (d *disk) err() error {
	for begun := time.Now(); d.outage.Load(); <-time.After(time.Millisecond) {
		if time.Since(begun) > busyTimeout {
			return errBusy
		}
	}
	return nil
}

// tx is one transaction on a connection of its own.
type tx struct {
	s           *Store
	ctx         context.Context
	conn        *sql.Conn
	verb        string
	drawnBefore int64 // a number that a planted bug drew before the transaction

	number int64 // the last number that was drawn
}

// begin starts a transaction. Mode is DEFERRED for a snapshot to read from, and
// IMMEDIATE for writes. An IMMEDIATE transaction takes the lock at its begin, so it
// cannot fail at its end for lack of the lock.
func (s *Store) begin(ctx context.Context, mode string) (*tx, error) {
	if err := s.disk.err(); err != nil {
		return nil, err
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	t := &tx{s: s, ctx: ctx, conn: conn}
	if _, err := conn.ExecContext(ctx, "BEGIN "+mode); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// close rolls back an uncommitted transaction. The caller's context may have ended,
// and the connection goes back to the pool. So the ROLLBACK runs without the
// caller's context.
func (t *tx) close() {
	ctx := context.WithoutCancel(t.ctx)
	if t.s.has(OpenTransaction) {
		ctx = t.ctx
	}
	_, _ = t.conn.ExecContext(ctx, "ROLLBACK")
	_ = t.conn.Close()
}

func (t *tx) commit() error {
	err := t.end()
	switch {
	case err != nil && t.s.has(CommitSwallowed):
		return nil
	case err != nil && t.s.has(UnansweredIsConflict):
		return conflict("commit", err)
	}
	return err
}

func (t *tx) end() error {
	how := failing(t.s.disk.commits.Load())
	if how == undone {
		return errDisk
	}
	_, err := t.conn.ExecContext(t.ctx, "COMMIT")
	if err == nil && how == unanswered {
		return errDisk
	}
	return err
}

func (t *tx) exec(query string, args ...any) error {
	if err := t.s.disk.err(); err != nil {
		return err
	}
	_, err := t.conn.ExecContext(t.ctx, query, args...)
	return err
}

// row scans the only row of a query.
func (t *tx) row(query string, args []any, into ...any) error {
	if err := t.s.disk.err(); err != nil {
		return err
	}
	return t.conn.QueryRowContext(t.ctx, query, args...).Scan(into...)
}

// rows calls each for every row of a query.
func (t *tx) rows(query string, args []any, each func(scan func(...any) error) error) error {
	if err := t.s.disk.err(); err != nil {
		return err
	}
	rows, err := t.conn.QueryContext(t.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if t.s.disk.outage.Load() { // a statement cannot be repeated in its middle
			if t.s.has(RowsErrorIgnored) {
				return nil
			}
			return errBusy
		}
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
