package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// goneFamily is a family whose cascade an engine has ended.
func (h *handle) goneFamily(t *testing.T, prefix string) (root graph.Object, all []graph.UID, before string) {
	t.Helper()
	root, all = h.family(t, prefix)
	before = h.familyOf(t, prefix)
	h.removes(t, root, graph.DeleteOptions{})
	eventually(t, "the cascade ends", func() bool { return h.inScope(t, prefix) == 0 })
	return root, all, before
}

// inScope counts the objects of a scope.
func (h *handle) inScope(t *testing.T, scope string) (n int) {
	t.Helper()
	for _, o := range h.objects(t.Context(), t) {
		if o.Scope == scope {
			n++
		}
	}
	return n
}

// TestArchiveTwoRestores: two processes restore overlapping roots at once, beside a collector of a third one. One of them may be killed.
// Each object comes back once.
func TestArchiveTwoRestores(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		h.collect(t, ownergraph.Config{Policies: true})
		var ever []graph.UID
		for n := range 4 {
			prefix := fmt.Sprint("round", n)
			root, all, before := h.goneFamily(t, prefix)
			ever = append(ever, all...)
			var working sync.WaitGroup
			for _, killed := range []int{0, n * 2} {
				task := h.task(t)
				task.Root, task.Restore, task.KilledAt = root.Key, true, killed
				working.Go(func() { killsItself(t, archiveVariable, task) })
			}
			working.Wait()
			h.isWhole(t, prefix, ever)
			if got := h.familyOf(t, prefix); got != before {
				t.Errorf("%s: the objects are\n%s\nwant\n%s", prefix, got, before)
			}
		}
	})
}

// TestArchivePurgeUnderWay: a purge of expired entries runs beside a restore of them. Either the root is purged first, and nothing comes
// back. Or the whole set comes back, because the time of the root begins anew.
func TestArchivePurgeUnderWay(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		other := d.mustHandle(t, archivingRows)
		c := h.collect(t, ownergraph.Config{Policies: true})
		came := 0
		for n := range 8 {
			prefix := fmt.Sprint("round", n)
			root, _, before := h.goneFamily(t, prefix)
			h.later(t, 2*time.Hour)
			var working sync.WaitGroup
			ctx, stop := context.WithCancel(t.Context())
			working.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					if n%2 == 1 && i == 0 { // the restore begins first in every second round
						eventually(t, "a member is back", func() bool { return h.inScope(t, prefix) > 0 || ctx.Err() != nil })
					}
					if _, err := other.PurgeEntries(ctx, nil); err != nil && ctx.Err() == nil {
						t.Errorf("purge: %v", err)
					}
				}
			})
			_, err := restore.Run(t.Context(), c.Collector, archive.Request{Roots: []graph.UID{root.UID}}, nil)
			stop()
			working.Wait()
			var refused *archive.RefusedError
			switch got := h.familyOf(t, prefix); {
			case err == nil && got == before:
				came++
			case errors.As(err, &refused) && refused.Refused[0].Why == archive.Purged && got == "":
			default:
				t.Errorf("%s: %v, and the objects are\n%s", prefix, err, got)
			}
		}
		if came < 4 {
			t.Errorf("%d of 8 restores came first", came)
		}
	})
}

// TestArchiveHoldBeside: of a hold and a purge at once one comes first. A hold that has succeeded keeps its entry.
func TestArchiveHoldBeside(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h, other := d.mustHandle(t, archiving), d.mustHandle(t, archiving)
		for n := range 20 {
			o := h.mustCreate(t, object("team", "", fmt.Sprint("t", n)))
			h.removes(t, o, graph.DeleteOptions{})
			h.later(t, 2*time.Hour)
			uids := [][]graph.UID{nil, {o.UID}}[n%2]
			var working sync.WaitGroup
			var held, purged error
			working.Go(func() { held = h.HoldEntry(t.Context(), o.Key, archive.Hold{By: "court"}) })
			working.Go(func() { _, purged = other.PurgeEntries(t.Context(), uids) })
			working.Wait()
			left := len(h.entries(t, archive.Query{UIDs: []graph.UID{o.UID}}))
			switch {
			case held == nil && left == 1 && (purged == nil || errors.Is(purged, graph.ErrRefused)):
			case errors.Is(held, graph.ErrNotFound) && left == 0 && purged == nil:
			default:
				t.Errorf("hold %v, purge %v, %d entries", held, purged, left)
			}
		}
	})
}

// awaitLocked waits until some sessions of Postgres wait for a lock.
func (h *handle) awaitLocked(t *testing.T, sessions int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d sessions wait for a lock", sessions), func() bool {
		var n int
		err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(&n)
		return err == nil && n >= sessions
	})
}

// TestArchiveOneEntryTwice: two restores of one entry begin at once, under two names. They make one object, and both return it.
func TestArchiveOneEntryTwice(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		o := h.mustCreate(t, object("team", "", "t"))
		h.removes(t, o, graph.DeleteOptions{})
		lock, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.name == "postgres" { // both wait for the entry
			h.run(t, lock, h.archiveText(`SELECT uid FROM {archive} FOR UPDATE`))
		} else if err := lock.Commit(); err != nil { // SQLite has one writer
			t.Fatal(err)
		}
		var working sync.WaitGroup
		var keys [2][]graph.Key
		var errs [2]error
		for i := range keys {
			one := d.mustHandle(t, archiving)
			x := item(o)
			x.Name = fmt.Sprint("t", i)
			working.Go(func() { keys[i], errs[i] = one.RestoreEntries(t.Context(), []archive.Item{x}) })
		}
		if d.name == "postgres" {
			h.awaitLocked(t, 2)
			if err := lock.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		working.Wait()
		if err := errors.Join(errs[:]...); err != nil || len(keys[0]) != 1 || len(keys[1]) != 1 || keys[0][0] != keys[1][0] || h.inScope(t, "") != 1 {
			t.Errorf("the keys are %v, %v, and there are %d objects, want one", keys, err, h.inScope(t, ""))
		}
	})
}

// TestArchiveUserBeside: a user deletes a member that a restore has just brought back. The restore ends. What the user has deleted stays
// gone, and is explicit.
func TestArchiveUserBeside(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		c := h.collect(t, ownergraph.Config{Policies: true})
		root, ever, _ := h.goneFamily(t, "one")
		deleted, progress := graph.UID(""), 0
		out, err := restore.Run(t.Context(), c.Collector, archive.Request{Roots: []graph.UID{root.UID}}, func(archive.Progress) {
			if progress++; progress > 1 {
				return
			}
			for uid, o := range h.objects(t.Context(), t) {
				if o.Name == "sub" {
					deleted = uid
					h.removes(t, o, graph.DeleteOptions{})
				}
			}
		})
		if err != nil || deleted == "" {
			t.Fatalf("%+v, %v, deleted %s", out, err, deleted)
		}
		c.idle()
		if e := h.entry(t, deleted); !e.Explicit || len(h.entries(t, archive.Query{Owners: []graph.UID{deleted}})) == 0 {
			t.Errorf("the entry of what the user has deleted: %+v", e)
		}
		h.isWhole(t, "the end", append(ever, deleted))
	})
}
