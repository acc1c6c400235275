package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// kindsOfTests are the kinds that the stores of tests serve.
func kindsOfTests() []graph.KindInfo {
	return []graph.KindInfo{
		{Kind: "team"}, {Kind: "bucket", Scoped: true}, {Kind: "photo", Scoped: true}, {Kind: "note", Scoped: true, NoOwner: true},
	}
}

// database opens handles on one database of a test.
type database struct {
	name   string
	faults *faults
	open   func(f *faults) (*sql.DB, error)
	conf   Config // the dialect, and the schema of its own

	impatient func(f *faults) (*sql.DB, error) // SQLite: it waits briefly for a lock
}

// newSQLiteDatabase returns a database in a file of its own, with WAL.
func newSQLiteDatabase(tb storetest.TB) *database {
	dir, err := os.MkdirTemp("", "sqlstore")
	if err != nil {
		tb.Fatalf("make a directory: %v", err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	dsn := "file:" + filepath.Join(dir, "db") + "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_txlock=immediate"
	open := func(dsn string) func(*faults) (*sql.DB, error) {
		return func(f *faults) (*sql.DB, error) { return openFaulty(dsnConnector{&sqlite.Driver{}, dsn}, f), nil }
	}
	return &database{
		name: "sqlite", faults: &faults{}, conf: Config{Dialect: SQLite},
		open: open(dsn), impatient: open(strings.Replace(dsn, "5000", "10", 1)),
	}
}

// handle is one store on a database, with the hooks of the kit.
type handle struct {
	*Store
	tb storetest.TB
	d  *database
	db *sql.DB
}

// handleOn opens the database once more, as another process does.
func (d *database) handleOn(tb storetest.TB, edit func(*Config)) (*handle, error) {
	db, err := d.open(d.faults)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(12)
	db.SetMaxIdleConns(12)
	c := d.conf
	c.Kinds, c.Poll = kindsOfTests(), 5*time.Millisecond
	if edit != nil {
		edit(&c)
	}
	s, err := New(db, c)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	tb.Cleanup(func() { _ = errors.Join(s.Close(), db.Close()) })
	if err := s.Migrate(tb.Context()); err != nil {
		return nil, err
	}
	return &handle{s, tb, d, db}, nil
}

func (d *database) mustHandle(tb storetest.TB, edit func(*Config)) *handle {
	tb.Helper()
	h, err := d.handleOn(tb, edit)
	if err != nil {
		tb.Fatalf("open the store: %v", err)
	}
	return h
}

func (h *handle) subject() storetest.Subject {
	return storetest.Subject{
		Store: h.Store, Client: client{h.Store},
		Compact: func(ctx context.Context) error { return h.compactTo(ctx, 0, everything) },
		Break:   func(context.Context) error { h.d.faults.cut(); return nil },
		Backup:  h.backup, Vanish: h.vanish, Label: h.label, Restart: h.restart, Second: h.second,
		Outage: h.outage, FailCommits: h.failCommits,
	}
}

// client is the client of the store's users.
type client struct{ s *Store }

func (c client) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	return c.s.Create(ctx, o)
}

// Update sets the owners and the finalizers only.
func (c client) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	return c.s.Update(ctx, graph.Object{Key: o.Key, Version: o.Version, Owners: o.Owners, Finalizers: o.Finalizers, ObservedGeneration: o.ObservedGeneration})
}

func (c client) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	return c.s.Delete(ctx, key, opts)
}

func (h *handle) label(ctx context.Context, key graph.Key, labels map[string]string) error {
	_, err := h.Label(ctx, key, graph.Precondition{}, labels)
	return err
}

func (h *handle) vanish(ctx context.Context, of graph.Kind) (func(context.Context) error, error) {
	for _, info := range kindsOfTests() {
		if info.Kind == of {
			return func(ctx context.Context) error { return h.AddKind(ctx, info) }, h.RemoveKind(ctx, of)
		}
	}
	return nil, fmt.Errorf("vanish %s: %w", of, graph.ErrKindUnknown)
}

func (h *handle) restart(ctx context.Context) (storetest.Subject, error) {
	if err := errors.Join(h.Close(), h.db.Close()); err != nil {
		return storetest.Subject{}, err
	}
	return h.second(ctx)
}

func (h *handle) second(context.Context) (storetest.Subject, error) {
	next, err := h.d.handleOn(h.tb, func(c *Config) { c.Strict, c.Policies, c.Archive = h.conf.Strict, h.conf.Policies, h.conf.Archive })
	if err != nil {
		return storetest.Subject{}, err
	}
	return next.subject(), nil
}

func (h *handle) outage(context.Context) (func(context.Context) error, error) {
	h.d.faults.outage.Store(true)
	return func(context.Context) error { h.d.faults.outage.Store(false); return nil }, nil
}

func (h *handle) failCommits(_ context.Context, done bool) (func(context.Context) error, error) {
	how := commitsUndone
	if done {
		how = commitsUnanswered
	}
	h.d.faults.commits.Store(int32(how))
	return func(context.Context) error { h.d.faults.commits.Store(int32(commitsSound)); return nil }, nil
}

// content has the rows of the tables at one moment.
type content map[string][][]any

var copied = []string{"{meta}", "{kinds}", "{objects}", "{owners}", "{log}", "{records}"}

// copies returns the tables of a backup.
func (h *handle) copies() []string {
	list := slices.Clone(copied)
	if h.conf.Policies {
		list = append(list, "{restricts}")
	}
	if h.conf.Archive != nil {
		list = append(list, "{archive}", "{archive_owners}", "{holds}", "{trails}", "{payloads}", "{archive_settings}")
	}
	return list
}

// backup copies the rows. The restore puts them back, with their former epoch and log, and
// then does as Restored does, in one transaction.
func (h *handle) backup(ctx context.Context) (func(context.Context) error, error) {
	saved := content{}
	err := h.transact(ctx, func(ses *session) error { return saved.read(ctx, h, ses) })
	return func(ctx context.Context) error {
		err := h.transact(ctx, func(ses *session) error {
			if err := saved.write(ctx, h, ses); err != nil {
				return err
			}
			return h.tables.restored(ctx, &ses.c, nil, fmt.Sprint("epoch ", newToken()), "restored by a test", time.Now().UnixNano())
		})
		h.announce()
		return err
	}, err
}

func (c content) read(ctx context.Context, h *handle, ses *session) error {
	for _, table := range h.copies() {
		err := ses.c.each(ctx, h.conf.names().Replace("SELECT * FROM "+table), nil, func(rows *sql.Rows) error {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			c[table] = append(c[table], values)
			return rows.Scan(into...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c content) write(ctx context.Context, h *handle, ses *session) error {
	for _, table := range h.copies() {
		if _, err := ses.c.exec(ctx, h.conf.names().Replace("DELETE FROM "+table)); err != nil {
			return err
		}
		for _, values := range c[table] {
			var marks []string
			for i := range values {
				if b, is := values[i].([]byte); is {
					values[i] = append([]byte{}, b...) // the driver reads an empty blob as nil, which it writes as NULL
				}
				marks = append(marks, fmt.Sprintf("$%d", i+1))
			}
			text := h.conf.names().Replace("INSERT INTO "+table+" VALUES (") + strings.Join(marks, ", ") + ")"
			if h.conf.Dialect == SQLite {
				text = strings.ReplaceAll(text, "$", "?")
			}
			if _, err := ses.c.exec(ctx, text, values...); err != nil {
				return err
			}
		}
	}
	return nil
}

// kit is the configuration of the kit for a database.
func kit(newDatabase func(storetest.TB) *database, edit func(*Config)) storetest.Config {
	return storetest.Config{
		New:      func(tb storetest.TB) storetest.Subject { return newDatabase(tb).mustHandle(tb, edit).subject() },
		Without:  []storetest.Promise{storetest.SickKinds},
		Patience: 20 * time.Second, // a busy machine stalls for some seconds
	}
}
