package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	server "github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// postgres has one server with a database for each template and each copy.
type postgres struct {
	server    *server.Server
	admin     *sql.DB
	templates map[string]bool
	copies    int
}

// Postgres starts a server with its default settings. It returns a maker of databases.
func Postgres() (Maker, error) {
	s, err := server.Start(server.Config{})
	if err != nil {
		return nil, err
	}
	admin, err := openDSN(s.DSN())
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return &postgres{server: s, admin: admin, templates: map[string]bool{}}, nil
}

func (p *postgres) Name() string { return "postgres" }

func (p *postgres) Close() error { return errors.Join(p.admin.Close(), p.server.Stop()) }

func openDSN(dsn string) (*sql.DB, error) {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("open postgres: %w", err)
	}
	return limit(stdlib.OpenDB(*c)), nil
}

func (p *postgres) Template(ctx context.Context, name string, fill func(ctx context.Context, db *sql.DB) error) error {
	if p.templates[name] {
		return nil
	}
	err := p.run(ctx, `CREATE DATABASE "`+name+`"`)
	if err == nil {
		err = p.fill(ctx, name, fill)
	}
	if err != nil {
		return fmt.Errorf("fill the database %s: %w", name, err)
	}
	p.templates[name] = true
	return nil
}

// fill ends with a VACUUM, so that no side pays for the first visit of the rows, and the
// planner knows them.
func (p *postgres) fill(ctx context.Context, name string, fill func(ctx context.Context, db *sql.DB) error) error {
	db, err := openDSN(p.server.DSNOf(name))
	if err != nil {
		return err
	}
	if err = fill(ctx, db); err == nil {
		_, err = db.ExecContext(ctx, "VACUUM (ANALYZE)")
	}
	return errors.Join(err, db.Close())
}

func (p *postgres) run(ctx context.Context, text string) error {
	_, err := p.admin.ExecContext(ctx, text)
	return err
}

// Copy ends with a checkpoint, so that none of the copy's writes is left to the
// measurement.
func (p *postgres) Copy(ctx context.Context, name string) (*Database, error) {
	p.copies++
	to := fmt.Sprintf("copy_%d", p.copies)
	if err := p.run(ctx, `CREATE DATABASE "`+to+`" TEMPLATE "`+name+`"`); err != nil {
		return nil, fmt.Errorf("copy the database %s: %w", name, err)
	}
	if err := p.run(ctx, "CHECKPOINT"); err != nil {
		return nil, err
	}
	open := func() (*sql.DB, error) { return openDSN(p.server.DSNOf(to)) }
	db, err := open()
	if err != nil {
		return nil, err
	}
	drop := func() error { return p.run(context.WithoutCancel(ctx), `DROP DATABASE "`+to+`" WITH (FORCE)`) }
	return &Database{DB: db, Open: open, DSN: p.server.DSNOf(to), drop: drop}, nil
}
