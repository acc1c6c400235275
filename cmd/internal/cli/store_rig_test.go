package cli

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
)

// database is a store with objects, as a program of a user has it.
type database struct {
	*sqlstore.Store
	flag string // the value of --store
	made map[string]graph.Object
}

// newSQLite returns a store in a file: a team with two projects, of which one has a note.
// Another team has nothing.
func newSQLite(t *testing.T) *database {
	t.Helper()
	db, address := newFile(t)
	return fill(t, db, sqlstore.Config{}, address)
}

// newFile returns a database in a file, with the address for the flag -store.
func newFile(t *testing.T) (db *sql.DB, address string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "app #1.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", sqliteName(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, "sqlite:" + file
}

// fill makes the tables and the objects.
func fill(t *testing.T, db *sql.DB, conf sqlstore.Config, flag string) *database {
	t.Helper()
	conf.Kinds = []graph.KindInfo{{Kind: "team"}, {Kind: "project", Scoped: true}, {Kind: "note", Scoped: true}}
	store, err := sqlstore.New(db, conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := &database{Store: store, flag: flag, made: map[string]graph.Object{}}
	d.create(t, graph.Key{Kind: "team", Name: "blue"})
	d.create(t, graph.Key{Kind: "team", Name: "red"})
	d.create(t, graph.Key{Kind: "project", Scope: "s", Name: "site"}, "blue")
	d.create(t, graph.Key{Kind: "project", Scope: "s", Name: "shop"}, "blue")
	d.create(t, graph.Key{Kind: "note", Scope: "s", Name: "todo"}, "site")
	return d
}

// create makes an object with owners, which are made before.
func (d *database) create(t *testing.T, key graph.Key, owners ...string) {
	t.Helper()
	o := graph.Object{Key: key}
	for _, name := range owners {
		o.Owners = append(o.Owners, graph.Owner{Key: d.made[name].Key, Block: true})
	}
	made, err := d.Create(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	d.made[key.Name] = made
}

// get returns an object as it is now, and whether it exists.
func (d *database) get(t *testing.T, name string) (graph.Object, bool) {
	t.Helper()
	o, err := d.Get(t.Context(), d.made[name].Key)
	if err != nil && !isNotFound(err) {
		t.Fatal(err)
	}
	return o, err == nil
}

// left returns the names of the objects that exist.
func (d *database) left(t *testing.T) (names []string) {
	t.Helper()
	for _, name := range []string{"blue", "red", "shop", "site", "todo"} {
		if _, exists := d.get(t, name); exists {
			names = append(names, name)
		}
	}
	return names
}

// program runs a collector, as a program of a user does, until the test ends.
func (d *database) program(t *testing.T, cfg ownergraph.Config) *ownergraph.Collector {
	t.Helper()
	c, err := ownergraph.New(d.Store, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if err := c.Synced(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// eventually waits for a condition that another goroutine makes true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for !is() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("never: %s", what)
		}
	}
}

// inTime runs a command with a short time, and with longer ones until its answer is right. On a busy
// machine a short time is over before the command knows the answer.
func inTime(run func(limit string) result, is func(got result) bool) (got result, ok bool) {
	for _, limit := range []string{"300ms", "3s", "30s"} {
		if got = run(limit); is(got) {
			return got, true
		}
	}
	return got, false
}
