package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// without stands for the archive of a store that has none.
type without struct{ archive.Store }

func (without) HasArchive() bool { return false }

// archiveOf returns the archive of a store.
func archiveOf(s store) archive.Store {
	if a, ok := ownergraph.As[archive.Store](s); ok {
		return a
	}
	return without{}
}

// entries calls a function for each entry of a query. The entries are in pages, the newest end first.
func (d directories) entries(ctx context.Context, q archive.Query, do func(*archive.Entry)) error {
	for d.archive.HasArchive() {
		page, err := d.archive.Entries(ctx, q)
		if err != nil {
			return err
		}
		for i := range page.Entries {
			do(&page.Entries[i])
		}
		if q.After = page.More; q.After == "" {
			break
		}
	}
	return nil
}

// reclaim gives each database of a team that came back its finalizer and its files, of all teams without one. The
// archive has the UID of each, so a killed process leaves the rest to the next call, of any process.
//
//	1  The files go to the new UID, within the trash. Nothing is left under the former one.
//	2  They go into their place.
//	3  The database gets its finalizer. Only then is all of this done.
//
// A database that ends meanwhile leaves its files in the trash under its own UID, for the next undo.
//
//test:by TestUndoFilesKilled TestUndoKilled
func (d directories) reclaim(ctx context.Context, team string) error {
	back, moves := map[string]graph.Key{}, map[string]string{}
	err := d.entries(ctx, archive.Query{Kind: "databases", Scope: team}, func(e *archive.Entry) {
		if e.IsRestored() {
			back[string(e.Restored.UID)] = e.Restored
			moves[string(e.Object.UID)] = string(e.Restored.UID)
		}
	})
	if err == nil {
		err = d.Give(moves, time.Now())
	}
	for _, uid := range slices.Sorted(maps.Keys(back)) {
		if _, again := moves[uid]; err == nil && !again {
			err = d.readmit(ctx, back[uid])
		}
	}
	return err
}

// readmit carries out the steps 2 and 3 of reclaim.
func (d directories) readmit(ctx context.Context, key graph.Key) error {
	o, err := d.store.Get(ctx, key)
	switch {
	case errors.Is(err, ownergraph.ErrNotFound) || err == nil && (o.UID != key.UID || o.Deleting):
		return d.Discard(string(key.UID), time.Now())
	case err != nil || o.HasFinalizer(directoryFinalizer):
		return err
	}
	if err := d.PutBack(string(key.UID)); err != nil {
		return err
	}
	err = d.store.Patch(ctx, key, graph.Precondition{UID: key.UID}, graph.Change{AddFinalizer: directoryFinalizer})
	live, wrong := d.ensure(ctx, key)
	if wrong == nil && !live { // a marked database takes no finalizer
		return nil
	}
	return errors.Join(err, wrong)
}

// needed returns the UIDs of the databases that are there, or have an entry. An object that ends in between has
// its entry by then.
func (d directories) needed(ctx context.Context) (uids []string, err error) {
	if !d.archive.HasArchive() {
		return nil, nil
	}
	err = d.each(ctx, func(key graph.Key) error {
		uids = append(uids, string(key.UID))
		return nil
	})
	if err == nil {
		err = d.entries(ctx, archive.Query{Kind: "databases"}, func(e *archive.Entry) { uids = append(uids, string(e.Object.UID)) })
	}
	return uids, err
}
