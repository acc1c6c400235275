// A row of a user goes with its object, and the object with its owner.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "program")
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
	if _, err := db.ExecContext(ctx, `CREATE TABLE projects (uid text PRIMARY KEY REFERENCES og_objects (uid) ON DELETE CASCADE)`); err != nil {
		return err
	}
	team, err := store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "team", Name: "blue"}})
	if err != nil {
		return err
	}
	site, err := store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "project", Name: "site"}, Owners: []ownergraph.Owner{{Key: team.Key}}})
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO projects VALUES (?)`, site.UID); err != nil {
		return err
	}
	return remove(ctx, db, store, team.Key)
}

func remove(ctx context.Context, db *sql.DB, store *sqlstore.Store, team ownergraph.Key) error {
	collector, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	defer func() { stop(); <-ended }()
	if err := store.Delete(ctx, team, ownergraph.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := collector.WaitIdle(ctx); err != nil {
		return err
	}
	var rows int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM projects`).Scan(&rows); err != nil {
		return err
	}
	fmt.Println("rows:", rows)
	return nil
}
