package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
)

// teams are tables of the user whose rows are rows of objects.
const teams = `
CREATE TABLE teams (id integer PRIMARY KEY, uid text NOT NULL UNIQUE REFERENCES og_objects (uid) ON DELETE CASCADE);
CREATE TABLE projects (id integer PRIMARY KEY, team_id integer NOT NULL REFERENCES teams (id),
	uid text NOT NULL UNIQUE REFERENCES og_objects (uid) ON DELETE CASCADE);
CREATE INDEX projects_team ON projects (team_id)`

// onTeams calls do with a store on SQLite and the tables of teams.
func onTeams(do func(context.Context, *sql.DB, *sqlstore.Store) error) error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "app.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)")
	if err != nil {
		return err
	}
	defer db.Close()
	store, err := sqlstore.New(db, sqlstore.Config{Kinds: []ownergraph.KindInfo{{Kind: "team"}, {Kind: "project"}}})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, teams); err != nil {
		return err
	}
	return do(ctx, db, store)
}

// A foreign key between two tables refuses to delete a team before its projects.
func ExampleStore_Constraints() {
	err := onTeams(func(ctx context.Context, db *sql.DB, store *sqlstore.Store) error {
		list, err := store.Constraints(ctx)
		for _, c := range list {
			fmt.Printf("%s: %s\n", c, c.Effect)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// projects.team_id refers to teams.id (ON DELETE NO ACTION): refuses
	// projects.uid refers to og_objects.uid (ON DELETE CASCADE): passes
	// teams.uid refers to og_objects.uid (ON DELETE CASCADE): passes
}

// Triggers refuse statements of old code, which would leave objects and rows apart.
func ExampleStore_InstallTriggers() {
	err := onTeams(func(ctx context.Context, db *sql.DB, store *sqlstore.Store) error {
		err := store.InstallTriggers(ctx, sqlstore.Table{Name: "teams"},
			sqlstore.Table{Name: "projects", Owners: []sqlstore.OwnerColumn{{Column: "team_id", Table: "teams"}}})
		if err != nil {
			return err
		}
		team, err := store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "team", Name: "blue"}})
		if err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, `INSERT INTO teams (id, uid) VALUES (1, ?)`, team.UID); err != nil {
			return err
		}
		for _, old := range []string{`DELETE FROM teams WHERE id = 1`, `INSERT INTO projects (id, team_id) VALUES (7, 1)`} {
			_, err := db.ExecContext(ctx, old)
			fmt.Println(old)
			_, text, _ := strings.Cut(err.Error(), "ownergraph: ")
			fmt.Println(" ", strings.TrimSuffix(text, " (1811)")) // the code of SQLite
		}
		return store.Delete(ctx, team.Key, ownergraph.DeleteOptions{})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// DELETE FROM teams WHERE id = 1
	//   teams.uid: DELETE of a row that has an object: delete the object with Store.Delete, and the row goes with it
	// INSERT INTO projects (id, team_id) VALUES (7, 1)
	//   projects.uid: NULL: the row has no object: create the object with Tx.Create, and insert its UID in the same transaction
}

// A tool for migrations takes the statements of each version.
func ExampleSchema() {
	list, err := sqlstore.Schema(sqlstore.Config{Dialect: sqlstore.Postgres, Prefix: "app_"}, 2)
	if err != nil {
		fmt.Println(err)
	}
	for _, statement := range list {
		fmt.Println(statement + ";")
	}
	// Output:
	// LOCK TABLE "app_objects" IN SHARE ROW EXCLUSIVE MODE;
	// UPDATE "app_kinds" SET served = served;
	// CREATE TABLE IF NOT EXISTS "app_records" (name text COLLATE "C" PRIMARY KEY, version text COLLATE "C" NOT NULL, value bytea NOT NULL);
	// UPDATE "app_meta" SET version = 2 WHERE id = 1 AND version = 1;
}
