package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// TestArchiveShutsOutCascade: the tables get an archive while a program without one carries a cascade out. That program writes nothing
// from then on, and its watch ends with an error. What it has removed before has no entry. All that goes later has one.
func TestArchiveShutsOutCascade(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		before := d.mustHandle(t, acting)
		root := before.mustCreate(t, object("bucket", "one", "root"))
		var ever []graph.UID
		for i := range 60 {
			o := object("photo", "one", fmt.Sprint("p", i))
			o.Owners = refTo(root)
			if i%2 == 0 {
				o.Finalizers = []string{"x/y"} // it is under way at the step
			}
			ever = append(ever, before.mustCreate(t, o).UID)
		}
		former := before.collect(t, ownergraph.Config{Policies: true})
		w := before.watch(t)
		before.removes(t, root, graph.DeleteOptions{})
		eventually(t, "the cascade is under way", func() bool { return before.inScope(t, "one") < 61 })
		after := d.mustHandle(t, archiving)
		left := after.objects(t.Context(), t) // the step has committed, so the former program removes nothing more
		if <-w.done; !errors.Is(w.err, errNewer) {
			t.Errorf("the watch of the former program ends with %v", w.err)
		}
		former.kill()
		<-former.done
		for uid, o := range left {
			if now, lives := after.objects(t.Context(), t)[uid]; !lives || now.Version != o.Version {
				t.Errorf("%s has changed after the step: %v", o.Key, now)
			}
		}
		after.collect(t, ownergraph.Config{Policies: true})
		for uid, o := range left {
			if o.HasFinalizer("x/y") {
				eventually(t, "the photo is marked", func() bool { return after.objects(t.Context(), t)[uid].Deleting })
				after.mustPatch(t, o, graph.Change{DropFinalizer: "x/y"})
			}
		}
		eventually(t, "the cascade ends", func() bool { return after.inScope(t, "one") == 0 })
		for _, uid := range ever {
			_, was := left[uid]
			if n := len(after.entries(t, archive.Query{UIDs: []graph.UID{uid}})); (n == 1) != was {
				t.Errorf("object %s was there at the step: %t, and has %d entries", uid, was, n)
			}
		}
	})
}

// TestArchiveKindsLater: a kind gets no entries for a time. Its entries from before come back. An object that was marked meanwhile may
// have been deleted by a user, so its later entry is explicit.
func TestArchiveKindsLater(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		on := d.mustHandle(t, archiving)
		on.run(t, on.db, on.conf.names().Replace(`DELETE FROM {archive_settings}`)) // without that Migrate refuses to keep less
		off := d.mustHandle(t, func(c *Config) { archiving(c); c.Archive.Kinds["photo"] = archive.KindConfig{Off: true} })
		bucket := on.mustCreate(t, object("bucket", "one", "b"))
		var list []graph.Object
		for i := range 4 {
			o := object("photo", "one", fmt.Sprint("p", i))
			o.Owners = []graph.Owner{withPolicy(bucket, []graph.OnDelete{graph.OnDeleteUnset, graph.OnDeleteCascade}[i%2])}
			if i > 0 {
				o.Finalizers = []string{"x/y"}
			}
			list = append(list, on.mustCreate(t, o))
		}
		on.removes(t, list[0], graph.DeleteOptions{Cause: engineCause})
		off.removes(t, list[1], graph.DeleteOptions{})
		off.removes(t, list[2], graph.DeleteOptions{})
		off.mustPatch(t, list[1], graph.Change{DropFinalizer: "x/y"})
		if n := len(on.entries(t, archive.Query{UIDs: []graph.UID{list[1].UID}})); n != 0 {
			t.Errorf("%d entries of a kind without", n)
		}
		on.mustPatch(t, list[2], graph.Change{DropFinalizer: "x/y"})
		if e := on.entry(t, list[2].UID); !e.Explicit {
			t.Errorf("an object that a user marked meanwhile: %+v", e)
		}
		on.removes(t, list[3], graph.DeleteOptions{Cause: engineCause})
		on.batchOf(t, graph.Write{Type: graph.WritePatch, Key: list[3].Key, Change: graph.Change{DropFinalizer: "x/y"}})
		if e := on.entry(t, list[3].UID); e.Explicit {
			t.Errorf("an object that an engine marked afterwards: %+v", e)
		}
		off.mustRestore(t, item(list[0], refTo(bucket)...), item(list[3]))
	})
}

// TestArchiveUnserved: an entry whose kind is not served is refused with the kind, and so is a relink to such an owner. Both pass when the
// kind is served again.
func TestArchiveUnserved(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		bucket, other := h.mustCreate(t, object("bucket", "one", "b")), h.mustCreate(t, object("bucket", "one", "other"))
		o := object("photo", "one", "p")
		o.Owners = refTo(other)
		o = h.mustCreate(t, o)
		h.removes(t, bucket, graph.DeleteOptions{})
		if err := h.RemoveKind(t.Context(), "bucket"); err != nil {
			t.Fatal(err)
		}
		if e := h.entry(t, bucket.UID); e.Unreadable != "" || e.Object.Kind != "bucket" {
			t.Errorf("the entry: %+v", e)
		}
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(bucket)}); !errors.Is(err, graph.ErrKindUnknown) || !strings.Contains(err.Error(), "bucket") {
			t.Errorf("a restore: %v, want ErrKindUnknown", err)
		}
		to := bucket.Key
		to.UID = "none"
		if err := h.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{Relink: []graph.Relink{{From: other.Key, To: to}}}); err == nil || !strings.Contains(err.Error(), "bucket") {
			t.Errorf("a relink: %v", err)
		}
		to = graph.Key{Kind: "nothing", Name: "x", UID: "none"}
		if err := h.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{Relink: []graph.Relink{{From: other.Key, To: to}}}); err == nil || !strings.Contains(err.Error(), "nothing") {
			t.Errorf("a relink to a kind that never was: %v", err)
		}
		if err := h.AddKind(t.Context(), graph.KindInfo{Kind: "bucket", Scoped: true}); err != nil {
			t.Fatal(err)
		}
		h.mustRestore(t, item(bucket))
	})
}

// TestArchiveAdoptAfter: rows that a restore has brought back are those of their new objects. Adopt creates none beside them, and
// deletes none.
func TestArchiveAdoptAfter(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archivingRows)
		h.run(t, h.db, h.conf.names().Replace(`CREATE TABLE `+h.photos()+` (code integer PRIMARY KEY, title text, owner text, uid text UNIQUE REFERENCES {objects} (uid) ON DELETE CASCADE)`))
		if err := h.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			h.run(t, h.db, fmt.Sprintf(`INSERT INTO %s (code, title) VALUES (%d, 't%[2]d')`, h.photos(), i))
		}
		tables := []AdoptedTable{{Kind: "photo", Schema: h.conf.Schema, Table: "photos", Key: "code", UID: "uid", Name: "title", Scope: `(lower('ONE'))`}}
		adopts := func(created int64) {
			t.Helper()
			r, err := h.Adopt(t.Context(), tables, AdoptConfig{})
			if err != nil || r.Created != created || r.Deleted+r.Changed != 0 {
				t.Errorf("adopt: %+v, %v, want %d new objects", r, err, created)
			}
		}
		adopts(3)
		var items []archive.Item
		var ever []graph.UID
		for uid, o := range h.objects(t.Context(), t) {
			items, ever = append(items, item(o)), append(ever, uid)
			h.removes(t, o, graph.DeleteOptions{})
		}
		if n := h.rowsIn(t, h.photos()); n != 0 {
			t.Fatalf("%d rows are left", n)
		}
		h.mustRestore(t, items...)
		adopts(0)
		h.isWhole(t, "adopt after a restore", ever)
		h.run(t, h.db, `INSERT INTO `+h.photos()+` (code, title) VALUES (7, 't7')`)
		adopts(1)
	})
}

// TestArchiveOtherTables: rows of other tables that refer to the row of an object with ON DELETE CASCADE go with it, and are no part of
// the entry. The row itself comes back.
func TestArchiveOtherTables(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer UNIQUE`)
		collector := h.collect(t, ownergraph.Config{Policies: true})
		loose := strings.Replace(h.photos(), "photos", "loose", 1)
		h.run(t, h.db, `CREATE TABLE `+loose+` (n integer REFERENCES `+strings.Replace(h.photos(), `"main".`, "", 1)+` (n) ON DELETE CASCADE)`)
		o := h.withRow(t, "p", nil, `1`)
		h.run(t, h.db, `INSERT INTO `+loose+` VALUES (1)`)
		h.removes(t, o, graph.DeleteOptions{})
		if n := h.rowsIn(t, loose); n != 0 {
			t.Errorf("%d rows refer to none", n)
		}
		out, err := restore.Run(context.WithoutCancel(t.Context()), collector.Collector, archive.Request{Roots: []graph.UID{o.UID}}, nil)
		if err != nil || !strings.Contains(h.rowOf(t, out.Restored[o.UID].UID, "n"), "1") || h.rowsIn(t, loose) != 0 {
			t.Errorf("%+v, %v", out, err)
		}
	})
}
