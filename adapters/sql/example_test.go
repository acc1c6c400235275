package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
)

// A user's row and its ownership commit together. The row goes with its object.
func Example() {
	if err := run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// made photo/holiday/beach, owned by album/holiday/summer
	// rows after the deletion: 0
}

func run(ctx context.Context) error {
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
	store, err := sqlstore.New(db, sqlstore.Config{Kinds: []ownergraph.KindInfo{{Kind: "album", Scoped: true}, {Kind: "photo", Scoped: true}}})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `CREATE TABLE pixels (uid text PRIMARY KEY REFERENCES og_objects (uid) ON DELETE CASCADE, data blob)`); err != nil {
		return err
	}
	photo, err := makePhoto(ctx, db, store)
	if err != nil {
		return err
	}
	fmt.Printf("made %s, owned by %s\n", photo.PlaceString(), graph.Object{Key: photo.Owners[0].Key}.PlaceString())
	if err := store.Delete(ctx, photo.Key, ownergraph.DeleteOptions{}); err != nil {
		return err
	}
	var rows int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM pixels`).Scan(&rows); err != nil {
		return err
	}
	fmt.Println("rows after the deletion:", rows)
	return nil
}

// makePhoto makes two objects and a row in one transaction.
func makePhoto(ctx context.Context, db *sql.DB, store *sqlstore.Store) (photo ownergraph.Object, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return photo, err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	objects := store.Tx(tx)
	album, err := objects.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "album", Scope: "holiday", Name: "summer"}})
	if err != nil {
		return photo, err
	}
	photo.Key = ownergraph.Key{Kind: "photo", Scope: "holiday", Name: "beach"}
	photo.Owners = []ownergraph.Owner{album.ControllerRef()}
	if photo, err = objects.Create(ctx, photo); err != nil {
		return photo, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO pixels VALUES (?, ?)`, photo.UID, []byte("...")); err != nil {
		return photo, err
	}
	return photo, tx.Commit()
}
