// Package database opens the databases of the rows. A row fills one database, the template.
// Each side of each round gets a copy of its own.
package database

import (
	"context"
	"database/sql"
)

// Maker makes databases on one server, or in one folder.
type Maker interface {
	// Name is the name of the database system in lower case.
	Name() string
	// Template makes a database with the name, and fills it. If it exists, the call has no
	// effect.
	Template(ctx context.Context, name string, fill func(ctx context.Context, db *sql.DB) error) error
	// Copy returns a copy of the template.
	Copy(ctx context.Context, name string) (*Database, error)
	// Close ends the server and removes all data.
	Close() error
}

// Database is a copy of a template.
type Database struct {
	// DB is the handle of the first user.
	DB *sql.DB
	// Open opens another handle, as another process does.
	Open func() (*sql.DB, error)
	// DSN is the connection string, for users of a driver of their own.
	DSN  string
	drop func() error
}

// Close closes the first handle and removes the database.
func (d *Database) Close() error {
	err := d.DB.Close()
	if dropErr := d.drop(); err == nil {
		err = dropErr
	}
	return err
}

// maxConns is the number of connections of a handle.
const maxConns = 24

func limit(db *sql.DB) *sql.DB {
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	return db
}
