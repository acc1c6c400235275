package recipes_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
)

const directoryFinalizer = "shop.example/directory"

// A database has a directory outside of the store. The object carries a finalizer, so it stays until
// the handler has removed the directory. The directory has the UID as its name, because a later
// database may have the same name.
func Example_externalResource() {
	root, err := os.MkdirTemp("", "databases")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)

	remove := func(ctx context.Context, o ownergraph.Object) error {
		fmt.Println("remove the directory of", o.Key.Text())
		err := os.RemoveAll(filepath.Join(root, string(o.UID)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // an earlier run has done it
		}
		return err
	}
	store, collector, stop := start(ownergraph.Config{
		Handlers: map[string]finalizer.Handler{directoryFinalizer: remove},
	})
	defer stop()

	ctx := context.Background()
	team := create(store, "team", "blue")
	database, err := store.Create(ctx, ownergraph.Object{
		Key:        ownergraph.Key{Kind: "database", Name: "orders"},
		Owners:     []ownergraph.Owner{team.ControllerRef()},
		Finalizers: []string{directoryFinalizer},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, string(database.UID)), 0o700); err != nil {
		log.Fatal(err)
	}

	if err := store.Delete(ctx, team.Key, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground}); err != nil {
		log.Fatal(err)
	}
	idle(collector)
	entries, err := os.ReadDir(root)
	fmt.Println(len(store.Objects()), "objects and", len(entries), "directories are left", err)
	// Output:
	// remove the directory of database/orders
	// 0 objects and 0 directories are left <nil>
}
