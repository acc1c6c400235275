package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"regexp"
	"sync"
	"sync/atomic"
)

// errOutage and errCut are errors of the wire. They are no answers of a server.
var (
	errOutage = errors.New("test: the database is out of reach")
	errCut    = errors.New("test: the connection ended before the answer")
)

// commits is the fate of a commit.
type commits int32

const (
	commitsSound commits = iota
	commitsUndone
	commitsUnanswered // done, and the answer is lost
)

// faults are the faults of one database, which all its connections share.
type faults struct {
	outage  atomic.Bool
	commits atomic.Int32
	fail    atomic.Pointer[func(text string) error] // asked before each statement

	mu    sync.Mutex
	conns map[*faultyConn]struct{}
}

func (f *faults) err(text string) error {
	if f.outage.Load() {
		return errOutage
	}
	if ask := f.fail.Load(); ask != nil {
		return (*ask)(text)
	}
	return nil
}

// cut breaks every open connection.
func (f *faults) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		c.broken.Store(true)
	}
}

// openFaulty opens a database whose connections have the faults.
func openFaulty(inner driver.Connector, f *faults) *sql.DB {
	return sql.OpenDB(&faultyConnector{inner, f})
}

type faultyConnector struct {
	driver.Connector
	f *faults
}

func (c *faultyConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.f.err(""); err != nil {
		return nil, err
	}
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn := &faultyConn{Conn: inner, f: c.f}
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	if c.f.conns == nil {
		c.f.conns = map[*faultyConn]struct{}{}
	}
	c.f.conns[conn] = struct{}{}
	return conn, nil
}

// faultyConn is a connection that fails as its faults say.
type faultyConn struct {
	driver.Conn
	f      *faults
	inTx   bool
	broken atomic.Bool
}

var writes = regexp.MustCompile(`\b(INSERT|UPDATE|DELETE)\b`)

// around carries out a statement. Outside of a transaction a write is its own commit.
func (c *faultyConn) around(text string, do func() error) error {
	if c.broken.Load() {
		return driver.ErrBadConn
	}
	if err := c.f.err(text); err != nil {
		return err
	}
	if !c.inTx && writes.MatchString(text) {
		return c.commit(do, func() error { return nil })
	}
	return do()
}

func (c *faultyConn) commit(do, undo func() error) error {
	switch commits(c.f.commits.Load()) {
	case commitsUndone:
		return errors.Join(errCut, undo())
	case commitsUnanswered:
		if err := do(); err != nil {
			return err
		}
		return errCut
	}
	return do()
}

// rows ends the rows of a statement whose answer is lost.
func (c *faultyConn) rows(r driver.Rows, err error) (driver.Rows, error) {
	if err == nil {
		return &faultyRows{r, c}, nil
	}
	if r != nil {
		err = errors.Join(err, r.Close())
	}
	return nil, err
}

func (c *faultyConn) Close() error {
	c.f.mu.Lock()
	delete(c.f.conns, c)
	c.f.mu.Unlock()
	return c.Conn.Close()
}

func (c *faultyConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	var tx driver.Tx
	err := c.around("", func() (err error) {
		tx, err = c.Conn.(driver.ConnBeginTx).BeginTx(ctx, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.inTx = true
	return &faultyTx{tx, c}, nil
}

func (c *faultyConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (r driver.Result, err error) {
	err = c.around(text, func() (err error) {
		r, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, text, args)
		return err
	})
	return r, err
}

func (c *faultyConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (r driver.Rows, err error) {
	err = c.around(text, func() (err error) {
		r, err = c.Conn.(driver.QueryerContext).QueryContext(ctx, text, args)
		return err
	})
	return c.rows(r, err)
}

func (c *faultyConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	var inner driver.Stmt
	err := c.around("", func() (err error) {
		inner, err = c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &faultyStmt{inner, c, text}, nil
}

func (c *faultyConn) CheckNamedValue(v *driver.NamedValue) error {
	if inner, ok := c.Conn.(driver.NamedValueChecker); ok {
		return inner.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

func (c *faultyConn) ResetSession(ctx context.Context) error {
	if c.broken.Load() {
		return driver.ErrBadConn
	}
	if inner, ok := c.Conn.(driver.SessionResetter); ok {
		return inner.ResetSession(ctx)
	}
	return nil
}

func (c *faultyConn) IsValid() bool {
	inner, ok := c.Conn.(driver.Validator)
	return !c.broken.Load() && (!ok || inner.IsValid())
}

type faultyTx struct {
	driver.Tx
	c *faultyConn
}

func (t *faultyTx) Commit() error {
	t.c.inTx = false
	if err := t.c.f.err("COMMIT"); err != nil {
		return errors.Join(err, t.Tx.Rollback())
	}
	return t.c.commit(t.Tx.Commit, t.Tx.Rollback)
}

func (t *faultyTx) Rollback() error {
	t.c.inTx = false
	return t.Tx.Rollback()
}

type faultyStmt struct {
	driver.Stmt
	c    *faultyConn
	text string
}

func (s *faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (r driver.Result, err error) {
	err = s.c.around(s.text, func() (err error) {
		r, err = s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
		return err
	})
	return r, err
}

func (s *faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (r driver.Rows, err error) {
	err = s.c.around(s.text, func() (err error) {
		r, err = s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
		return err
	})
	return s.c.rows(r, err)
}

func (s *faultyStmt) CheckNamedValue(v *driver.NamedValue) error { return s.c.CheckNamedValue(v) }

type faultyRows struct {
	driver.Rows
	c *faultyConn
}

func (r *faultyRows) Next(into []driver.Value) error {
	if err := r.c.f.err("NEXT"); err != nil {
		return err
	}
	return r.Rows.Next(into)
}

// dsnConnector is the connector of a driver that has none.
type dsnConnector struct {
	of  driver.Driver
	dsn string
}

func (c dsnConnector) Connect(context.Context) (driver.Conn, error) { return c.of.Open(c.dsn) }
func (c dsnConnector) Driver() driver.Driver                        { return c.of }
