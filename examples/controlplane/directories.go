package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/examples/controlplane/folder"
	"github.com/ownergraph/ownergraph/graph"
)

// directoryFinalizer holds a marked database until its directory is in the trash.
const directoryFinalizer = "controlplane.example/directory"

// directories are the directories of the databases. Their names are UIDs, which never return.
type directories struct {
	*folder.Folder
	store   store
	archive archive.Store // without an undo it has no entries
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

// openDirectories also makes missing directories, and discards those without a database. The files
// of databases that came back are put into their places first.
func openDirectories(ctx context.Context, path string, s store) (d directories, err error) {
	d.store, d.archive = s, archiveOf(s)
	if d.Folder, err = folder.Open(ctx, path, s); err != nil {
		return d, err
	}
	if err := d.reclaim(ctx, ""); err != nil {
		return d, err
	}
	return d, d.Repair(func() (uids []string, err error) {
		err = d.each(ctx, func(key graph.Key) error {
			live, err := d.ensure(ctx, key)
			if live {
				uids = append(uids, string(key.UID))
			}
			return err
		})
		return uids, err
	})
}

// each calls a function for each database, also for a marked one. It ends with the page of the first error.
func (d directories) each(ctx context.Context, do func(graph.Key) error) error {
	for after := ""; ; {
		page, err := d.store.Select(ctx, graph.SelectRequest{Kind: "databases", Selector: everything, After: after})
		for _, found := range page.Objects {
			err = errors.Join(err, do(found.Key))
		}
		if after = page.More; err != nil || after == "" {
			return err
		}
	}
}

// tidy removes what has expired: entries of the archive, and then directories in the trash. Each process does so, and the
// files of databases that came back are in safety before.
func (d directories) tidy(ctx context.Context, keep time.Duration) error {
	err := d.reclaim(ctx, "")
	if err == nil && d.archive.HasArchive() {
		_, err = d.archive.PurgeEntries(ctx, nil)
	}
	return errors.Join(err, d.Empty(time.Now(), keep, func() ([]string, error) { return d.needed(ctx) }))
}

// tidyHourly tidies now and every hour, until ctx ends.
func (d directories) tidyHourly(ctx context.Context, keep time.Duration) {
	for tick := time.Tick(time.Hour); ctx.Err() == nil; {
		if err := d.tidy(ctx, keep); err != nil {
			slog.Warn("tidy the trash and the archive", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-tick:
		}
	}
}
