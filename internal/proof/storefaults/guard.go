package main

import (
	"context"
	"database/sql/driver"
	"errors"
	"os"
)

// guarded opens connections of SQLite that refuse to write while a marker file is there.
// The rights of the file do not bind root, so the connection sets PRAGMA query_only.
type guarded struct {
	inner       driver.Driver
	dsn, marker string
}

func (g *guarded) Connect(context.Context) (driver.Conn, error) {
	c, err := g.inner.Open(g.dsn)
	if err != nil {
		return nil, err
	}
	return &guardedConn{sqliteConn: c.(sqliteConn), marker: g.marker}, nil
}

func (g *guarded) Driver() driver.Driver { return g.inner }

// sqliteConn is the part of the driver's connection that database/sql uses.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// guardedConn looks for the marker before each transaction.
type guardedConn struct {
	sqliteConn
	marker   string
	readOnly bool
}

func (c *guardedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	_, err := os.Stat(c.marker)
	if want := err == nil; want != c.readOnly {
		text := "PRAGMA query_only = 0"
		if want {
			text = "PRAGMA query_only = 1"
		}
		if _, err := c.ExecContext(ctx, text, nil); err != nil {
			return nil, errors.Join(errors.New("set query_only"), err)
		}
		c.readOnly = want
	}
	return c.sqliteConn.BeginTx(ctx, o)
}
