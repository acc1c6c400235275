package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	mattn "github.com/mattn/go-sqlite3"
	"modernc.org/sqlite"

	"github.com/ownergraph/ownergraph/graph"
)

// TestAdoptHiddenRows: a policy of Postgres hides all rows of a table from a role. Adopt of that role
// is refused, and deletes no object of a hidden row.
func TestAdoptHiddenRows(t *testing.T) {
	d := newPostgresDatabase(t)
	a := d.mustHandle(t, nil).withOld(t)
	a.fill()
	a.adopt(AdoptConfig{})
	before := a.state()
	role := fmt.Sprintf("adopts_%d", schemas.Add(1))
	a.do(strings.NewReplacer("{role}", role, "{schema}", `"`+d.conf.Schema+`"`).Replace(`CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role};
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};
		ALTER TABLE {photos} ENABLE ROW LEVEL SECURITY`))
	t.Cleanup(func() {
		if _, err := a.db.ExecContext(context.WithoutCancel(t.Context()), `DROP OWNED BY `+role+`; DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	db, err := openPostgres(strings.Replace(server.DSN(), "user=postgres", "user="+role, 1), d.faults)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := New(db, Config{Dialect: Postgres, Schema: d.conf.Schema})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Adopt(t.Context(), a.tables(), AdoptConfig{})
	if !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "row-level security") || r.Deleted != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if a.state() != before {
		t.Error("the objects of hidden rows have changed")
	}
}

// TestAdoptAttached: the tables of the store and of the user are in an attached database. A table of
// another file is refused, because a transaction over two files is not whole after a crash.
func TestAdoptAttached(t *testing.T) {
	for name, of := range map[string]driver.Driver{"modernc": &sqlite.Driver{}, "mattn": &mattn.SQLiteDriver{}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := sql.OpenDB(attaching{dsnConnector{of, filepath.Join(dir, "main.db")}, filepath.Join(dir, "app.db")})
			s, err := New(db, Config{Dialect: SQLite, Schema: "app", Kinds: kindsOfTests()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = errors.Join(s.Close(), db.Close()) })
			if err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			a := (&handle{Store: s, tb: t, db: db}).withOld(t)
			a.fill()
			a.adopt(AdoptConfig{})
			a.check("attached")
			a.do(`CREATE TABLE main.elsewhere (id integer PRIMARY KEY, uid text)`)
			other := AdoptedTable{Kind: "team", Table: "elsewhere", Key: "id", UID: "uid", Name: "id"}
			for _, schema := range []string{"", "main"} {
				other.Schema = schema
				if _, err := s.Adopt(t.Context(), []AdoptedTable{other}, AdoptConfig{}); !errors.Is(err, graph.ErrInvalid) {
					t.Errorf("a table of another file, schema %q: %v", schema, err)
				}
			}
			for i, of := range []string{"", "BLOB"} { // neither changes the type of a value
				table := fmt.Sprint("untyped", i)
				a.do(`CREATE TABLE app.` + table + ` (id ` + of + ` UNIQUE, uid text)`)
				other = AdoptedTable{Kind: "team", Table: table, Key: "id", UID: "uid", Name: "id"}
				if _, err := s.Adopt(t.Context(), []AdoptedTable{other}, AdoptConfig{}); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "column id has no type") {
					t.Errorf("a key of the type %q: %v", of, err)
				}
			}
		})
	}
}

// TestAdoptEnds: a run that is broken off between two batches has done the batches before it, and the
// next one goes on. A run whose rows change all the time ends after a number of passes, and says so.
func TestAdoptEnds(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		ctx, cancel := context.WithCancel(t.Context())
		r, err := a.Adopt(ctx, a.tables(), AdoptConfig{Batch: 2, OnProgress: func(AdoptProgress) { cancel() }})
		if !errors.Is(err, context.Canceled) || r.Created == 0 || r.Created == 10 {
			t.Errorf("broken off: %+v, %v", r, err)
		}
		a.atomic()
		a.adopt(AdoptConfig{})
		a.check("after the next run")
		a.do(`UPDATE {photos} SET bucket = 11 WHERE code = 'b'`)
		n := 0
		r, err = a.Adopt(t.Context(), a.tables(), AdoptConfig{OnProgress: func(p AdoptProgress) {
			if p.Kind == "photo" {
				n++
				a.do(fmt.Sprintf(`UPDATE {photos} SET bucket = %d WHERE code = 'b'`, 10+(n+1)%2))
			}
		}})
		if err != nil || r.Complete || r.Passes != maxAdoptPasses {
			t.Errorf("rows that change all the time: %+v, %v", r, err)
		}
	})
}

// TestAdoptFaults: the answer of a commit is lost, or the commit itself, or the server. The error says
// so, and the next run ends as one run would.
func TestAdoptFaults(t *testing.T) {
	for _, how := range []commits{commitsUndone, commitsUnanswered} {
		onEach(t, func(t *testing.T, d *database) {
			a := d.mustHandle(t, nil).withOld(t)
			a.fill()
			for n := 1; n < 4; n++ {
				batches := 0
				_, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{Batch: 2, OnProgress: func(AdoptProgress) {
					if batches++; batches == n {
						d.faults.commits.Store(int32(how))
					}
				}})
				d.faults.commits.Store(int32(commitsSound))
				if err != nil && (errors.Is(err, graph.ErrInvalid) || isNotDone(err)) {
					t.Errorf("a lost commit: %v, want an unknown outcome", err)
				}
				a.atomic()
			}
			d.faults.outage.Store(true)
			if _, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{}); err == nil || errors.Is(err, graph.ErrInvalid) {
				t.Errorf("a server out of reach: %v", err)
			}
			d.faults.outage.Store(false)
			a.adopt(AdoptConfig{})
			a.check("after the faults")
		})
	}
}
