package ageseal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
	"github.com/ownergraph/ownergraph/restore"
)

// server is the one Postgres of the tests.
var server *postgres.Server

func TestMain(m *testing.M) { os.Exit(withServer(m)) }

func withServer(m *testing.M) int {
	var err error
	if server, err = postgres.Start(postgres.Config{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return m.Run()
}

// databases are the databases of the tests.
var databases = []struct {
	name string
	open func(t testing.TB) *sql.DB
}{
	{"postgres", func(t testing.TB) *sql.DB { return mustOpen(t, "pgx", server.DSN()) }},
	{"sqlite", func(t testing.TB) *sql.DB {
		return mustOpen(t, "sqlite", "file:"+filepath.Join(t.TempDir(), "a.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)")
	}},
}

func mustOpen(t testing.TB, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// newStore opens a store whose tokens have rows in the table tokens, or in none.
func newStore(t testing.TB, db *sql.DB, prefix string, s archive.Sealing) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.New(db, sqlstore.Config{
		Prefix: prefix, Policies: true, Kinds: []graph.KindInfo{{Kind: "team"}, {Kind: "token"}},
		Archive: &sqlstore.ArchiveConfig{Sealing: s, Tables: map[graph.Kind]sqlstore.Table{"token": {Name: prefix + "tokens", Owners: []sqlstore.OwnerColumn{{Column: "team"}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustExec(t, db, `CREATE TABLE IF NOT EXISTS `+prefix+`tokens (uid text PRIMARY KEY REFERENCES `+prefix+`objects (uid) ON DELETE CASCADE, team text, value text)`)
	return store
}

func mustExec(t testing.TB, db *sql.DB, text string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func mustCreate(t testing.TB, s *sqlstore.Store, o graph.Object) graph.Object {
	t.Helper()
	made, err := s.Create(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// runCollector runs a collector until the test ends.
func runCollector(t *testing.T, s *sqlstore.Store) *ownergraph.Collector {
	t.Helper()
	c, err := ownergraph.New(s, ownergraph.Config{Policies: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	return c
}

// valuesOf returns the values of the tokens, sorted.
func valuesOf(t *testing.T, db *sql.DB, prefix string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT value FROM `+prefix+`tokens ORDER BY value`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// TestStores: a cascade seals the tokens of a team. Programs that only write, and those with a former identity, restore no
// token. The present identity restores them all, also after a restore of the team without them.
func TestStores(t *testing.T) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			db, former, present := d.open(t), newIdentity(t), newIdentity(t)
			writer := newStore(t, db, "og_", New(Config{Kinds: []graph.Kind{"token"}, Recipients: []age.Recipient{former.Recipient()}}))
			team, tokens := makeTeam(t, writer, db)
			collector := runCollector(t, writer)
			if err := writer.Delete(t.Context(), team.Key, graph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			awaitEntries(t, writer, 4)
			var refused *archive.RefusedError
			_, err := restore.Run(t.Context(), collector, archive.Request{Roots: []graph.UID{tokens[0].UID}, Detach: true}, nil)
			if !errors.As(err, &refused) || !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), tokens[0].Name) || !strings.Contains(err.Error(), "Sealing.Open is nil") {
				t.Errorf("a token without an identity: %v", err)
			}
			result, err := restore.Run(t.Context(), collector, archive.Request{Roots: []graph.UID{team.UID}}, nil)
			if err != nil || result.Created != 1 || len(result.Left) != 3 || result.Left[0].Why != archive.PayloadUnreadable || len(valuesOf(t, db, "og_")) != 0 {
				t.Fatalf("the team without an identity: %+v, %v", result, err)
			}
			c := Config{Kinds: []graph.Kind{"token"}, Recipients: []age.Recipient{present.Recipient()}, Identities: []age.Identity{former}}
			page, err := newStore(t, db, "og_", New(c)).Reseal(t.Context(), "", 0)
			if err != nil || page.Sealed != 3 || page.Clear != 0 || len(page.Kept) != 0 || page.More != "" {
				t.Fatalf("the reseal: %+v, %v", page, err)
			}
			entries, err := newStore(t, db, "og_", New(c)).Entries(t.Context(), archive.Query{Kind: "token"})
			if err != nil || len(entries.Entries) != 3 || !strings.Contains(entries.Entries[0].Unreadable, archive.ErrIdentity.Error()) {
				t.Errorf("the former identity: %+v, %v", entries, err)
			}
			c.Recipients, c.Identities = nil, []age.Identity{present}
			result, err = restore.Run(t.Context(), runCollector(t, newStore(t, db, "og_", New(c))), archive.Request{Roots: []graph.UID{team.UID}}, nil)
			if err != nil || result.Created != 3 {
				t.Fatalf("with the present identity: %+v, %v", result, err)
			}
			if got := valuesOf(t, db, "og_"); strings.Join(got, " ") != "value-0 value-1 value-2" {
				t.Errorf("the rows are %q", got)
			}
		})
	}
}

// makeTeam creates a team with three tokens and their rows.
func makeTeam(t *testing.T, s *sqlstore.Store, db *sql.DB) (team graph.Object, tokens []graph.Object) {
	t.Helper()
	team = mustCreate(t, s, graph.Object{Key: graph.Key{Kind: "team", Name: "a"}})
	for i := range 3 {
		o := mustCreate(t, s, graph.Object{Key: graph.Key{Kind: "token", Name: fmt.Sprint("t", i)}, Owners: []graph.Owner{{Key: team.Key}}})
		mustExec(t, db, fmt.Sprintf(`INSERT INTO og_tokens VALUES ('%s', '%s', 'value-%d')`, o.UID, team.UID, i))
		tokens = append(tokens, o)
	}
	return team, tokens
}

// awaitEntries waits until the archive has a number of entries.
func awaitEntries(t *testing.T, s *sqlstore.Store, want int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for {
		x, err := s.Extent(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if x.Entries == want {
			return
		}
	}
}
