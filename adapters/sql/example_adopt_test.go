package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
)

// The tables of an application become objects, while the application of before goes on to write. Then a
// deletion takes all dependents along, and their rows.
func ExampleStore_Adopt() {
	ctx := context.Background()
	db, remove := openOld(ctx)
	defer remove()
	store, err := sqlstore.New(db, sqlstore.Config{Kinds: []ownergraph.KindInfo{{Kind: "team"}, {Kind: "project", Scoped: true}}})
	must(err)
	defer store.Close()
	must(store.Migrate(ctx))
	execute(ctx, db, `
		ALTER TABLE teams ADD COLUMN uid text REFERENCES og_objects (uid) ON DELETE CASCADE;
		ALTER TABLE projects ADD COLUMN uid text REFERENCES og_objects (uid) ON DELETE CASCADE;
		CREATE INDEX teams_uid ON teams (uid);
		CREATE INDEX projects_uid ON projects (uid);
	`)

	tables := []sqlstore.AdoptedTable{
		{Kind: "team", Table: "teams", Key: "id", UID: "uid", Name: "name"},
		{
			Kind: "project", Table: "projects", Key: "id", UID: "uid", Name: "('project-' || r.id)",
			Scope:  "(SELECT t.name FROM teams t WHERE t.id = r.team)",
			Owners: []sqlstore.AdoptedOwner{{Kind: "team", Key: "team", Block: true}},
		},
	}
	report, err := store.Adopt(ctx, tables, sqlstore.AdoptConfig{})
	fmt.Println("created:", report.Created, "changed:", report.Changed, "deleted:", report.Deleted, "error:", err)

	execute(ctx, db, `INSERT INTO projects (id, team) VALUES (12, 2)`) // the application of before
	execute(ctx, db, `DELETE FROM projects WHERE id = 10`)
	report, err = store.Adopt(ctx, tables, sqlstore.AdoptConfig{})
	fmt.Println("created:", report.Created, "changed:", report.Changed, "deleted:", report.Deleted, "error:", err)

	red, err := store.Get(ctx, ownergraph.Key{Kind: "team", Name: "red"})
	must(err)
	must(store.Delete(ctx, red.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground}))
	collect(ctx, store)
	fmt.Println("teams:", count(ctx, db, "teams"), "projects:", count(ctx, db, "projects"))
	// Output:
	// created: 4 changed: 0 deleted: 0 error: <nil>
	// created: 1 changed: 0 deleted: 1 error: <nil>
	// teams: 1 projects: 1
}

// openOld makes the database of the application of before.
func openOld(ctx context.Context) (db *sql.DB, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	must(err)
	db, err = sql.Open("sqlite", "file:"+filepath.Join(dir, "app.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)")
	must(err)
	execute(ctx, db, `
		CREATE TABLE teams (id integer PRIMARY KEY, name text UNIQUE);
		CREATE TABLE projects (id integer PRIMARY KEY, team integer REFERENCES teams (id));
		INSERT INTO teams (id, name) VALUES (1, 'red'), (2, 'blue');
		INSERT INTO projects (id, team) VALUES (10, 1), (11, 1);
	`)
	return db, func() {
		must(db.Close())
		must(os.RemoveAll(dir))
	}
}

// collect runs a collector until no work is left.
func collect(ctx context.Context, store *sqlstore.Store) {
	collector, err := ownergraph.New(store, ownergraph.Config{})
	must(err)
	ctx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- collector.Run(ctx) }()
	must(collector.Synced(ctx))
	_, err = collector.WaitIdle(ctx)
	must(err)
	stop()
	must(<-done)
}

func execute(ctx context.Context, db *sql.DB, text string) {
	_, err := db.ExecContext(ctx, text)
	must(err)
}

func count(ctx context.Context, db *sql.DB, table string) (n int) {
	must(db.QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&n))
	return n
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
