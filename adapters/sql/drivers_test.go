package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"
	mattn "github.com/mattn/go-sqlite3"
	"modernc.org/sqlite"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// furtherDrivers are the databases by the drivers that the other tests do not use.
var furtherDrivers = map[string]func(storetest.TB) *database{"mattn": newMattnDatabase, "pq": newPqDatabase}

// newMattnDatabase is newSQLiteDatabase by github.com/mattn/go-sqlite3.
func newMattnDatabase(tb storetest.TB) *database {
	dir, err := os.MkdirTemp("", "sqlstore")
	if err != nil {
		tb.Fatalf("make a directory: %v", err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	dsn := "file:" + filepath.Join(dir, "db") + "?_busy_timeout=5000&_journal_mode=WAL&_synchronous=NORMAL&_foreign_keys=1&_txlock=immediate"
	open := func(dsn string) func(*faults) (*sql.DB, error) {
		return func(f *faults) (*sql.DB, error) { return openFaulty(dsnConnector{&mattn.SQLiteDriver{}, dsn}, f), nil }
	}
	d := newSQLiteDatabase(tb)
	d.name, d.open, d.impatient = "mattn", open(dsn), open(strings.Replace(dsn, "5000", "10", 1))
	return d
}

// newPqDatabase is newPostgresDatabase by github.com/lib/pq.
func newPqDatabase(tb storetest.TB) *database {
	d := newPostgresDatabase(tb)
	d.name = "pq"
	d.open = func(f *faults) (*sql.DB, error) {
		c, err := pq.NewConnector(server.DSN())
		if err != nil {
			return nil, err
		}
		return openFaulty(c, f), nil
	}
	return d
}

// TestDrivers runs the conformance kit on each further driver. Its searches are short, because
// TestKit has searched the same statements.
func TestDrivers(t *testing.T) {
	for _, name := range sortedNames(furtherDrivers) {
		t.Run(name, func(t *testing.T) {
			c := kit(furtherDrivers[name], nil)
			c.Search = 200 * time.Millisecond
			storetest.Test(t, c)
		})
	}
}

// TestDriverErrors checks that the store knows the answers of each driver: a lock of another
// writer is "not done", and a constraint of the user is a refusal. The errors of mattn have no
// method for their code, so each of them had an unknown outcome. A deletion there left a
// statement with RETURNING open, so its transaction failed.
func TestDriverErrors(t *testing.T) {
	all := maps.Clone(furtherDrivers)
	maps.Copy(all, newDatabases)
	for _, name := range sortedNames(all) {
		t.Run(name, func(t *testing.T) {
			d := all[name](t)
			if d.impatient != nil {
				d.open = d.impatient
			}
			h := d.mustHandle(t, func(c *Config) { c.RetryLimit = 1 })
			o := h.mustCreate(t, object("team", "", "a"))
			table := h.withRows(t, "RESTRICT")
			tx, err := h.db.BeginTx(t.Context(), nil)
			if err == nil {
				err = h.insertRow(t.Context(), tx, table, o.UID)
			}
			if err != nil {
				t.Fatal(err)
			}
			if h.conf.Dialect == SQLite { // tx is the writer
				if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); !isNotDone(err) {
					t.Errorf("a lock of another writer: %v, want that nothing is done", err)
				}
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRefused) {
				t.Errorf("a constraint of the user: %v, want a refusal", err)
			}
			if _, err := h.Get(t.Context(), o.Key); err != nil {
				t.Errorf("the object after a refusal: %v", err)
			}
			if _, err := h.db.ExecContext(t.Context(), "DELETE FROM "+table); err != nil {
				t.Fatal(err)
			}
			if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil {
				t.Errorf("a deletion: %v", err)
			}
		})
	}
}

// TestInMemory: each connection to a database without a file has one of its own, so a store
// whose pool may open several is refused. With one connection it works.
func TestInMemory(t *testing.T) {
	for _, driver := range []string{"sqlite", "sqlite3"} {
		for _, dsn := range []string{":memory:", "", "file::memory:?cache=shared"} {
			db, err := sql.Open(driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			s, err := New(db, Config{Kinds: kindsOfTests(), Poll: 5 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = errors.Join(s.Close(), db.Close()) })
			if err := s.Migrate(t.Context()); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "has no file") {
				t.Errorf("%s %q: the error is %v, want a refusal that names the missing file", driver, dsn, err)
			}
			db.SetMaxOpenConns(1)
			if err := s.Migrate(t.Context()); err != nil {
				t.Errorf("%s %q: one connection: %v", driver, dsn, err)
				continue
			}
			h := &handle{Store: s, tb: t, db: db}
			w := h.watch(t)
			w.until(t, "listed", listed)
			h.mustCreate(t, object("team", "", "a"))
			w.reports(t, "a")
		}
	}
}

// attaching attaches a database to each connection.
type attaching struct {
	driver.Connector
	file string
}

func (a attaching) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := a.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.(driver.ExecerContext).ExecContext(ctx, `ATTACH '`+a.file+`' AS app`, nil); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// TestAttached: the tables of a store are in an attached database, and only its file counts.
func TestAttached(t *testing.T) {
	for _, tc := range []struct {
		main, file, schema string
		connections        int
		want               string // in the error, or "" if the store works
		reason             string
	}{
		{":memory:", "app.db", "app", 0, "", "the tables have a file"},
		{":memory:", "app.db", "App", 0, "", "SQLite ignores the case of a name"},
		{"main.db", ":memory:", "app", 0, "has no file", "the file of another database is no help"},
		{"main.db", ":memory:", "app", 1, "", "one connection has one database"},
		{":memory:", "app.db", "", 0, "has no file", "without a schema the tables are in the main database"},
		{"main.db", "app.db", "other", 0, `no database "other"`, "the schema is not attached"},
	} {
		for name, of := range map[string]driver.Driver{"modernc": &sqlite.Driver{}, "mattn": &mattn.SQLiteDriver{}} {
			dir := t.TempDir()
			path := func(file string) string {
				if file == ":memory:" {
					return file
				}
				return filepath.Join(dir, file)
			}
			db := sql.OpenDB(attaching{dsnConnector{of, path(tc.main)}, path(tc.file)})
			db.SetMaxOpenConns(tc.connections)
			s, err := New(db, Config{Dialect: SQLite, Schema: tc.schema, Kinds: kindsOfTests()})
			if err != nil {
				t.Fatal(err)
			}
			err = s.Migrate(t.Context())
			if err == nil {
				_, err = s.Create(t.Context(), object("team", "", "a"))
			}
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %q: %s", name, err, tc.want, tc.reason)
			}
			if err := errors.Join(s.Close(), db.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}
