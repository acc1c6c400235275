package main

import (
	"context"
	"errors"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/examples/controlplane/folder"
	"github.com/ownergraph/ownergraph/graph"
)

// directoryFinalizer holds a marked database until its directory is in the trash.
const directoryFinalizer = "controlplane.example/directory"

// directories are the directories of the databases. Their names are UIDs, which never return.
type directories struct {
	*folder.Folder
	store store
}

// remove is the handler of directoryFinalizer. It may run again: no directory is no error.
func (d directories) remove(_ context.Context, o graph.Object) error {
	return d.Discard(string(o.UID), time.Now())
}

// ensure makes the directory of a stored database. If the database is not live but going, its
// handler may have run before, so ensure discards the directory again.
func (d directories) ensure(ctx context.Context, key graph.Key) (live bool, err error) {
	made := d.Make(string(key.UID))
	o, err := d.store.Get(ctx, key)
	if errors.Is(err, ownergraph.ErrNotFound) || err == nil && (o.UID != key.UID || o.Deleting) {
		return false, d.Discard(string(key.UID), time.Now())
	}
	return err == nil, errors.Join(made, err)
}

// openDirectories also makes missing directories, and discards those without a database.
func openDirectories(ctx context.Context, path string, s store) (d directories, err error) {
	d.store = s
	if d.Folder, err = folder.Open(ctx, path, s); err != nil {
		return d, err
	}
	return d, d.Repair(func() (uids []string, err error) {
		page := graph.SelectPage{}
		for more := true; more && err == nil; more = page.More != "" {
			page, err = s.Select(ctx, graph.SelectRequest{Kind: "databases", Selector: everything, After: page.More})
			for _, found := range page.Objects {
				live, wrong := d.ensure(ctx, found.Key)
				if err = errors.Join(err, wrong); live {
					uids = append(uids, string(found.Key.UID))
				}
			}
		}
		return uids, err
	})
}
