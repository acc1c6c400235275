package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

type (
	entriesFunc        = func(ctx context.Context, q archive.Query) (archive.Page, error)
	restoreEntriesFunc = func(ctx context.Context, items []archive.Item) ([]graph.Key, error)
	holdEntryFunc      = func(ctx context.Context, key graph.Key, h archive.Hold) error
	purgeEntriesFunc   = func(ctx context.Context, uids []graph.UID) (int, error)
	archivePower       = archive.Store
)

// archiver is a wrapper of the power to keep an archive. Its other methods are those of the sound archive.
type archiver struct {
	*wrapper
	archivePower
	entries entriesFunc
	restore restoreEntriesFunc
	purge   purgeEntriesFunc
	hold    holdEntryFunc
}

func (a *archiver) Entries(ctx context.Context, q archive.Query) (archive.Page, error) {
	return a.entries(ctx, q)
}

func (a *archiver) RestoreEntries(ctx context.Context, items []archive.Item) ([]graph.Key, error) {
	return a.restore(ctx, items)
}

func (a *archiver) HoldEntry(ctx context.Context, key graph.Key, h archive.Hold) error {
	return a.hold(ctx, key, h)
}

func (a *archiver) PurgeEntries(ctx context.Context, uids []graph.UID) (int, error) {
	return a.purge(ctx, uids)
}

// archiving makes a subject with an archive, and replaces calls of it by those that change makes of the sound ones.
func archiving(change func(s *Subject, a *archiver)) func(TB, Subject) Subject {
	return archivingOf(archiveSubject, change)
}

func archivingOf(sound func(TB) Subject, change func(s *Subject, a *archiver)) func(TB, Subject) Subject {
	return func(tb TB, _ Subject) Subject {
		s := sound(tb)
		power, ok := ownergraph.As[archive.Store](s.Store)
		if !ok {
			tb.Fatalf("the sound store has no archive")
		}
		a := &archiver{&wrapper{Store: s.Store}, power, power.Entries, power.RestoreEntries, power.PurgeEntries, power.HoldEntry}
		s.Store = a
		change(&s, a)
		return s
	}
}

// editedEntries shows entries as the function leaves them, without those for which it returns false.
func editedEntries(edit func(e *archive.Entry) bool) func(TB, Subject) Subject {
	return archiving(func(_ *Subject, a *archiver) {
		sound := a.entries
		a.entries = func(ctx context.Context, q archive.Query) (archive.Page, error) {
			page, err := sound(ctx, q)
			page.Entries = slices.DeleteFunc(page.Entries, func(e archive.Entry) bool { return !edit(&e) })
			for i := range page.Entries {
				edit(&page.Entries[i])
			}
			return page, err
		}
	})
}

// otherRestores replaces RestoreEntries.
func otherRestores(restore func(s *Subject, a *archiver, sound restoreEntriesFunc) restoreEntriesFunc) func(TB, Subject) Subject {
	return archiving(func(s *Subject, a *archiver) { a.restore = restore(s, a, a.restore) })
}

func mutantsOfArchive() []mutant {
	return []mutant{
		{name: "an entry has no references", law: archiveEntry, reason: "they are in another table", plant: editedEntries(func(e *archive.Entry) bool {
			e.Object.Owners = nil
			return true
		})},
		{name: "only deletions write entries", law: archiveEntry, reason: "the removal by the last finalizer is in a patch", plant: editedEntries(func(e *archive.Entry) bool {
			return len(e.Object.Finalizers) == 0
		})},
		{name: "an entry has no cause", law: archiveEntry, reason: "the options of a deletion are not passed on", plant: editedEntries(func(e *archive.Entry) bool {
			e.Cause = graph.Cause{}
			return true
		})},
		{name: "the first mark decides who deleted", law: archiveExplicit, reason: "a deletion of a marked object changes nothing", plant: archiving(firstMarkDecides)},
		{name: "no entry is orphaning", law: "archive/orphaning", reason: "the finalizer has gone before the end", plant: editedEntries(func(e *archive.Entry) bool {
			e.Orphaning = false
			return true
		})},
		{name: "a batch drops causes", law: "archive/batch", reason: "a statement without the column", plant: causelessBatches},
		{name: "a refused deletion leaves an entry", law: "archive/nothing-lost", reason: "the entry is written before the condition is read", plant: archiving(entriesAfter(graph.ErrConflict))},
		{name: "a failed commit leaves an entry", law: "archive/commit-failed", reason: "the archive has a transaction of its own", plant: archiving(entriesAfter(errDisk))},
		{name: "each object of a restore comes by itself", law: archiveRestore, reason: "a loop over the items", plant: otherRestores(func(_ *Subject, _ *archiver, sound restoreEntriesFunc) restoreEntriesFunc {
			return func(ctx context.Context, items []archive.Item) (keys []graph.Key, err error) {
				for _, x := range items {
					k, err := sound(ctx, []archive.Item{x})
					if err != nil {
						return nil, err
					}
					keys = append(keys, k...)
				}
				return keys, nil
			}
		})},
		{name: "a second restore finds no entry", law: "archive/once", reason: "the entry is deleted with the restore", plant: otherRestores(restoresOnlyOnce)},
		{name: "a taken name is a plain conflict", law: "archive/taken", reason: "the error of the unique index", plant: otherRestores(func(_ *Subject, _ *archiver, sound restoreEntriesFunc) restoreEntriesFunc {
			return func(ctx context.Context, items []archive.Item) ([]graph.Key, error) {
				keys, err := sound(ctx, items)
				if errors.Is(err, graph.ErrConflict) {
					err = graph.ErrConflict
				}
				return keys, err
			}
		})},
		{name: "a taken name leaves the others restored", law: "archive/taken", reason: "a savepoint for each object", plant: otherRestores(restoresOthers)},
		{name: "a purge ignores holds", law: "archive/hold", reason: "DELETE FROM archive WHERE uid = ANY ($1)", plant: archiving(purgesHeld)},
		{name: "a hold protects no living object", law: "archive/hold", reason: "a hold is a row of the archive", plant: archiving(holdsOf(func(live bool) bool { return !live }))},
		{name: "an entry takes no hold", law: "archive/hold", reason: "the object is looked for, and is gone", plant: archiving(holdsOf(func(live bool) bool { return live }))},
		{name: "a purge counts what it was asked for", law: "archive/purge", reason: "the number of changed rows is not looked at", plant: archiving(func(_ *Subject, a *archiver) {
			sound := a.purge
			a.purge = func(ctx context.Context, uids []graph.UID) (int, error) {
				n, err := sound(ctx, uids)
				if err == nil {
					n = max(n, len(uids))
				}
				return n, err
			}
		})},
		{name: "a purge drops a cascade under way", law: "archive/purge-under-way", reason: "the root has no entry yet", plant: archiving(purgesUnderWay)},
		{name: "the first page is the last one", law: "archive/pages", reason: "LIMIT without a next page", plant: archiving(func(_ *Subject, a *archiver) {
			sound := a.entries
			a.entries = func(ctx context.Context, q archive.Query) (archive.Page, error) {
				page, err := sound(ctx, q)
				page.More = ""
				return page, err
			}
		})},
		{name: "no query finds the objects of a sweep", law: "archive/pages", reason: "the holder is in no table of references", plant: archiving(func(_ *Subject, a *archiver) {
			sound := a.entries
			a.entries = func(ctx context.Context, q archive.Query) (archive.Page, error) {
				page, err := sound(ctx, q)
				if len(q.Owners) > 0 {
					page.Entries = slices.DeleteFunc(page.Entries, func(e archive.Entry) bool { return e.Cause.Holder.UID != "" })
				}
				return page, err
			}
		})},
		{name: "a page of unrestored entries ends at a restored one", law: "archive/unrestored", reason: "the limit is that of the rows before the condition", plant: archiving(func(_ *Subject, a *archiver) {
			sound := a.entries
			a.entries = func(ctx context.Context, q archive.Query) (archive.Page, error) {
				all := q
				all.Unrestored = false
				page, err := sound(ctx, all)
				if q.Unrestored {
					n := len(page.Entries)
					page.Entries = slices.DeleteFunc(page.Entries, func(e archive.Entry) bool { return e.IsRestored() })
					if len(page.Entries) < n {
						page.More = ""
					}
				}
				return page, err
			}
		})},
		{name: "a moved reference loses its policy", law: "archive/relink", reason: "the reference is deleted and inserted", plant: archiving(relinksAnew)},
		{name: "labels stay away", law: "archive/labels", reason: "they are in another table", plant: otherRestores(restoresWithoutLabels)},
		{name: "restored references are not checked", law: "archive/restore-refused", reason: "the rows are inserted by another statement",
			plant: archivingOf(strictArchiveSubject, func(_ *Subject, a *archiver) {
				sound := a.restore
				a.restore = func(ctx context.Context, items []archive.Item) ([]graph.Key, error) {
					keys, err := sound(ctx, items)
					if errors.Is(err, graph.ErrRefused) {
						return make([]graph.Key, len(items)), nil
					}
					return keys, err
				}
			})},
		{name: "moved references are not checked", law: "archive/relink-refused", reason: "the trigger is for inserts",
			plant: archivingOf(strictArchiveSubject, func(_ *Subject, a *archiver) {
				sound := a.Store
				a.patch = func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
					err := sound.Patch(ctx, key, pre, c)
					if len(c.Relink) > 0 && errors.Is(err, graph.ErrRefused) {
						return nil
					}
					return err
				}
			})},
	}
}

// firstMarkDecides says of a user's deletion of a marked object that an engine has made it.
func firstMarkDecides(s *Subject, a *archiver) {
	client, store := s.Client, a.Store
	s.Client = &wrappedClient{Client: client, delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		live, err := store.Get(ctx, key)
		if err == nil && live.Deleting {
			opts.Cause = &graph.Cause{}
		}
		return client.Delete(ctx, key, opts)
	}}
}

// causelessBatches deletes in batches without the word of the engine.
func causelessBatches(tb TB, _ Subject) Subject {
	return batching(func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			writes = slices.Clone(writes)
			for i := range writes {
				writes[i].Options.Cause = nil
			}
			return sound(ctx, writes)
		}
	})(tb, archiveSubject(tb))
}

// entriesAfter shows an entry of each object whose deletion has ended with the error.
func entriesAfter(of error) func(s *Subject, a *archiver) {
	return func(_ *Subject, a *archiver) {
		store, entries := a.Store, a.entries
		late := map[graph.UID]archive.Entry{}
		a.delete = func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
			err := store.Delete(ctx, key, opts)
			if live, absent := store.Get(ctx, key); errors.Is(err, of) && absent == nil {
				late[live.UID] = archive.Entry{Object: live}
			}
			return err
		}
		a.entries = func(ctx context.Context, q archive.Query) (archive.Page, error) {
			page, err := entries(ctx, q)
			for _, uid := range q.UIDs {
				if e, ok := late[uid]; ok && len(page.Entries) == 0 {
					page.Entries = append(page.Entries, e)
				}
			}
			return page, err
		}
	}
}

func restoresOnlyOnce(_ *Subject, a *archiver, sound restoreEntriesFunc) restoreEntriesFunc {
	return func(ctx context.Context, items []archive.Item) ([]graph.Key, error) {
		for _, x := range items {
			page, err := a.entries(ctx, archive.Query{UIDs: []graph.UID{x.UID}})
			if err == nil && len(page.Entries) == 1 && page.Entries[0].IsRestored() {
				return nil, graph.ErrNotFound
			}
		}
		return sound(ctx, items)
	}
}

func restoresOthers(_ *Subject, _ *archiver, sound restoreEntriesFunc) restoreEntriesFunc {
	return func(ctx context.Context, items []archive.Item) ([]graph.Key, error) {
		keys, err := sound(ctx, items)
		var taken *archive.TakenError
		if errors.As(err, &taken) {
			_, _ = sound(ctx, slices.DeleteFunc(slices.Clone(items), func(x archive.Item) bool { return taken.Taken[x.UID].UID != "" }))
		}
		return keys, err
	}
}

// purgesHeld ends the holds on an entry before it purges that.
func purgesHeld(_ *Subject, a *archiver) {
	sound := a.purge
	a.purge = func(ctx context.Context, uids []graph.UID) (int, error) {
		if len(uids) == 0 {
			return sound(ctx, uids)
		}
		page, err := a.entries(ctx, archive.Query{UIDs: uids})
		if err != nil {
			return 0, err
		}
		for _, e := range page.Entries {
			for _, h := range e.Holds {
				if err := a.EndHold(ctx, e.Object.Key, h.By); err != nil {
					return 0, err
				}
			}
		}
		return sound(ctx, uids)
	}
}

// purgesUnderWay looks for no marked objects.
func purgesUnderWay(_ *Subject, a *archiver) {
	sound := a.purge
	a.purge = func(ctx context.Context, uids []graph.UID) (int, error) {
		page, err := a.entries(ctx, archive.Query{})
		if ended := archive.Ended(page.Entries, time.Now(), nil); err == nil && len(uids) == 0 && len(ended) > 0 {
			return sound(ctx, ended)
		}
		return sound(ctx, uids)
	}
}

// holdsOf takes holds on living objects or on entries, and answers that it has taken the other ones.
func holdsOf(takes func(live bool) bool) func(*Subject, *archiver) {
	return func(_ *Subject, a *archiver) {
		sound, store := a.hold, a.Store
		a.hold = func(ctx context.Context, key graph.Key, h archive.Hold) error {
			if _, err := store.Get(ctx, key); takes(err == nil) {
				return sound(ctx, key, h)
			}
			return nil
		}
	}
}

// relinksAnew drops the former reference and adds a plain one.
func relinksAnew(_ *Subject, a *archiver) {
	sound := a.Store
	a.patch = func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		live, err := sound.Get(ctx, key)
		if len(c.Relink) == 0 || err != nil {
			return sound.Patch(ctx, key, pre, c)
		}
		for _, r := range live.Owners {
			if r.Key == c.Relink[0].From && r.OnDelete != graph.OnDeleteUnset {
				return sound.Patch(ctx, key, pre, ownergraph.Change{DropOwners: []ownergraph.Owner{r}, AddOwner: &ownergraph.Owner{Key: c.Relink[0].To}})
			}
		}
		return sound.Patch(ctx, key, pre, c)
	}
}

func restoresWithoutLabels(s *Subject, _ *archiver, sound restoreEntriesFunc) restoreEntriesFunc {
	return func(ctx context.Context, items []archive.Item) ([]graph.Key, error) {
		keys, err := sound(ctx, items)
		for _, k := range keys {
			_ = s.Label(ctx, k, nil) // the object may have ended since an earlier restore
		}
		return keys, err
	}
}
