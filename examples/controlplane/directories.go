package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// directoryFinalizer holds a marked database until its directory is removed.
const directoryFinalizer = "controlplane.example/directory"

// directories are the directories of the databases. Their names are UIDs, which never return.
type directories struct {
	root  *os.Root
	store store
}

// remove is the handler of directoryFinalizer. It may run again: no directory is no error.
func (d directories) remove(_ context.Context, o graph.Object) error {
	return d.root.RemoveAll(string(o.UID))
}

// ensure makes the directory of a stored database. If the database is going, its handler may
// have run before, so ensure removes the directory again.
func (d directories) ensure(ctx context.Context, key graph.Key) error {
	if err := d.root.MkdirAll(string(key.UID), 0o755); err != nil {
		return err
	}
	o, err := d.store.Get(ctx, key)
	if errors.Is(err, ownergraph.ErrNotFound) || err == nil && (o.UID != key.UID || o.Deleting) {
		return d.root.RemoveAll(string(key.UID))
	}
	return err
}

// openDirectories also makes missing directories, and removes those without a database. It
// reads the directories first. Each came after its database, so a missing database is gone.
func openDirectories(ctx context.Context, path string, s store) (directories, error) {
	missing := os.MkdirAll(path, 0o755)
	root, err := os.OpenRoot(path)
	if err != nil {
		return directories{}, errors.Join(missing, err)
	}
	d := directories{root, s}
	entries, err := fs.ReadDir(d.root.FS(), ".")
	live, page := map[string]bool{}, graph.SelectPage{}
	for more := true; more && err == nil; more = page.More != "" {
		page, err = s.Select(ctx, graph.SelectRequest{Kind: "databases", Selector: everything, After: page.More})
		for _, found := range page.Objects {
			live[string(found.Key.UID)] = true
			err = errors.Join(err, d.ensure(ctx, found.Key))
		}
	}
	for _, e := range entries {
		if err == nil && !live[e.Name()] {
			err = d.root.RemoveAll(e.Name())
		}
	}
	return d, err
}
