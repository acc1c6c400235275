package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/ownergraph/ownergraph/graph"
)

// conn runs statements: in a transaction if tx is set, on one connection if only is set, and
// on any connection otherwise.
type conn struct {
	s     *Store
	tx    *sql.Tx
	only  *sql.Conn
	bound map[string]*sql.Stmt // of the transaction
	users bool                 // the transaction is one of the user

	// policies says that the kinds by which the call is judged are of tables with policySchema. The
	// statements are those of such tables then. The stamp of the kinds refuses them on other ones.
	policies bool

	payloads map[graph.Kind][]payloadColumn // SQLite: the columns of tables, in a transaction of the store
}

func (c *conn) stmt(ctx context.Context, text string) *sql.Stmt {
	st := c.s.stmts.find(text)
	if st == nil || c.tx == nil {
		return st
	}
	if b := c.bound[text]; b != nil {
		return b
	}
	if c.bound == nil {
		c.bound = map[string]*sql.Stmt{}
	}
	b := c.tx.StmtContext(ctx, st)
	c.bound[text] = b
	return b
}

func (c *conn) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if st := c.stmt(ctx, text); st != nil {
		return st.ExecContext(ctx, args...)
	}
	r, err := c.runner().ExecContext(ctx, text, args...)
	return r, nameShared(err)
}

// runner is a database, a connection or a transaction.
type runner interface {
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

func (c *conn) runner() runner {
	switch {
	case c.tx != nil:
		return c.tx
	case c.only != nil:
		return c.only
	}
	return c.s.db
}

// execOne runs a statement for one row that is there. A trigger of the user may leave the row
// as it is, without an error.
//
//test:by TestIgnoredWrites
func (c *conn) execOne(ctx context.Context, text string, args ...any) error {
	r, err := c.exec(ctx, text, args...)
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n != 1 {
		err = errIgnored
	}
	return err
}

func (c *conn) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if st := c.stmt(ctx, text); st != nil {
		return st.QueryContext(ctx, args...)
	}
	rows, err := c.runner().QueryContext(ctx, text, args...)
	return rows, nameShared(err)
}

// each calls scan for every row of a query. It returns the first error, also one that
// breaks the rows off.
func (c *conn) each(ctx context.Context, text string, args []any, scan func(rows *sql.Rows) error) error {
	rows, err := c.query(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return nameShared(errors.Join(rows.Err(), rows.Close()))
}

// one scans the first row of a query, and reports whether there is one.
func (c *conn) one(ctx context.Context, text string, args []any, into ...any) (found bool, err error) {
	err = c.each(ctx, text, args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(into...)
	})
	return found && err == nil, err
}

// statements keeps prepared statements. Without them SQLite parses each text again.
// Drivers of Postgres keep statements themselves.
type statements struct {
	mu       sync.Mutex
	all      map[string]*sql.Stmt
	policies bool // those of policies are there, too
}

func (p *statements) find(text string) *sql.Stmt {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[text]
}

// prepare prepares the statements of the tables, once, and those of policies when the tables have
// what they need. No transaction of the caller is open then, because the pool may have one connection
// only.
func (p *statements) prepare(ctx context.Context, db *sql.DB, t tables, policies bool) error {
	p.mu.Lock()
	ready := p.all != nil && (p.policies || !policies)
	p.mu.Unlock()
	if ready {
		return nil
	}
	all := map[string]*sql.Stmt{}
	for _, text := range t.texts(policies) {
		if p.find(text) != nil {
			continue
		}
		st, err := db.PrepareContext(ctx, text)
		if err != nil {
			return errors.Join(fmt.Errorf("prepare a statement: %w", err), closeAll(all))
		}
		all[text] = st
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[string]*sql.Stmt{}
	}
	for text, st := range all {
		if p.all[text] == nil { // no other caller was first
			p.all[text] = st
			delete(all, text)
		}
	}
	p.policies = p.policies || policies
	return closeAll(all)
}

func (p *statements) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := closeAll(p.all)
	p.all, p.policies = nil, false
	return err
}

func closeAll(all map[string]*sql.Stmt) error {
	var errs []error
	for _, st := range all {
		errs = append(errs, st.Close())
	}
	return errors.Join(errs...)
}
