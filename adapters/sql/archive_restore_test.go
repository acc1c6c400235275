package sqlstore

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// item restores an entry under its name, with some owners.
func item(o graph.Object, owners ...graph.Owner) archive.Item {
	return archive.Item{UID: o.UID, Scope: o.Scope, Name: o.Name, Owners: owners}
}

func (h *handle) mustRestore(t *testing.T, items ...archive.Item) []graph.Key {
	t.Helper()
	keys, err := h.RestoreEntries(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestArchiveRestore: the objects come back with new UIDs, their labels and their references. A second call
// returns the same keys.
func TestArchiveRestore(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		a := h.mustCreate(t, object("bucket", "one", "a"))
		b := object("photo", "one", "b")
		b.Owners, b.Finalizers = []graph.Owner{{Key: a.Key, Block: true}}, []string{"x/y"}
		b = h.mustCreate(t, b)
		if _, err := h.Label(t.Context(), b.Key, graph.Precondition{}, map[string]string{"color": "red"}); err != nil {
			t.Fatal(err)
		}
		h.removes(t, a, graph.DeleteOptions{})
		h.removes(t, b, graph.DeleteOptions{Cause: &graph.Cause{Root: a.Key}})
		h.mustPatch(t, b, graph.Change{DropFinalizer: "x/y"})
		if e := h.entry(t, b.UID); e.Size != len(`{"color":"red"}`) || !slices.Equal(e.Object.Finalizers, []string{"x/y"}) {
			t.Errorf("the entry: %+v", e)
		}
		shifted := h.conf.names().Replace(`UPDATE {archive} SET at = at - 60000000, until = 1 WHERE until > 0`)
		h.run(t, h.db, shifted)
		keys := h.mustRestore(t, item(a), item(b, b.Owners...))
		again := h.mustRestore(t, item(b, b.Owners...), item(a))
		if again[0] != keys[1] || again[1] != keys[0] || keys[0].UID == a.UID || keys[0].Place() != a.Key.Place() {
			t.Errorf("the keys are %v and then %v", keys, again)
		}
		now, err := h.Get(t.Context(), b.Key)
		if err != nil || now.Key != keys[1] || now.Deleting || len(now.Finalizers) > 0 || len(now.Owners) != 1 || now.Owners[0] != (graph.Owner{Key: keys[0], Block: true}) {
			t.Errorf("b is %v, %v", now, err)
		}
		page, err := h.Select(t.Context(), graph.SelectRequest{Kind: "photo", Selector: "color=red"})
		if err != nil || len(page.Objects) != 1 || page.Objects[0].Key != now.Key || page.Objects[0].Version != now.Version {
			t.Errorf("the labels: %v, %v", page, err)
		}
		e := h.entry(t, a.UID)
		if e.Restored != keys[0] || !e.IsRestored() || e.Until.Before(time.Now().Add(50*time.Minute)) {
			t.Errorf("the entry of a: %+v", e)
		}
		if e := h.entry(t, b.UID); e.Restored != keys[1] || !e.Until.IsZero() {
			t.Errorf("the entry of b: %+v", e)
		}
		if x, err := h.Extent(t.Context()); err != nil || x.Entries != 2 || x.Restored != 2 || x.Bytes != int64(len(`{"color":"red"}`)) || x.Oldest.IsZero() {
			t.Errorf("the extent: %+v, %v", x, err)
		}
		h.removes(t, now, graph.DeleteOptions{})
		if e := h.entry(t, now.UID); !e.Explicit || e.IsRestored() || e.Size == 0 {
			t.Errorf("the new object's own entry: %+v", e)
		}
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(a), {UID: "none", Name: "x"}}); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("an entry that is not there: %v", err)
		}
	})
}

// TestArchiveRing: objects that own each other come back together. At level 3 the store judges them as a whole. An
// owner of the call that a reference restricts is refused a deletion.
func TestArchiveRing(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		a, b := h.mustCreate(t, object("bucket", "one", "a")), object("bucket", "one", "b")
		b.Owners = []graph.Owner{withPolicy(a, graph.OnDeleteCascade)}
		b = h.mustCreate(t, b)
		h.mustPatch(t, a, graph.Change{AddOwner: &graph.Owner{Key: b.Key}})
		h.removes(t, a, graph.DeleteOptions{})
		h.removes(t, b, graph.DeleteOptions{})
		toA, toB := withPolicy(a, graph.OnDeleteRestrict), graph.Owner{Key: b.Key}
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(b, toA)}); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("half of a ring: %v, want ErrRefused", err)
		}
		if e := h.entry(t, b.UID); e.IsRestored() {
			t.Errorf("a refused restore has changed the entry: %+v", e)
		}
		keys := h.mustRestore(t, item(a, toB), item(b, toA))
		now, err := h.Get(t.Context(), a.Key)
		if err != nil || now.UID != keys[0].UID || now.Owners[0].UID != keys[1].UID {
			t.Errorf("a is %v, %v", now, err)
		}
		if err := h.Delete(t.Context(), a.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRestricted) {
			t.Errorf("a deletion of a restricted owner: %v", err)
		}
	})
}

// TestArchiveTaken: all taken names are in one error, and nothing is done. Two items of one place take it from
// each other.
func TestArchiveTaken(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		var gone []graph.Object
		for _, name := range []string{"a", "b", "c"} {
			o := h.mustCreate(t, object("bucket", "one", name))
			h.removes(t, o, graph.DeleteOptions{})
			gone = append(gone, o)
		}
		by := []graph.Object{h.mustCreate(t, object("bucket", "one", "a")), h.mustCreate(t, object("bucket", "one", "b"))}
		_, err := h.RestoreEntries(t.Context(), []archive.Item{item(gone[2]), item(gone[0]), item(gone[1])})
		var taken *archive.TakenError
		if !errors.As(err, &taken) || !errors.Is(err, graph.ErrConflict) || len(taken.Taken) != 2 || taken.Taken[gone[0].UID] != by[0].Key || taken.Taken[gone[1].UID] != by[1].Key {
			t.Errorf("%v, want both names", err)
		}
		if _, err := h.Get(t.Context(), gone[2].Key); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("the free one: %v, want ErrNotFound", err)
		}
		same := archive.Item{UID: gone[1].UID, Scope: "one", Name: "c"}
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(gone[2]), same}); !errors.As(err, &taken) || len(taken.Taken) != 1 {
			t.Errorf("two items of one place: %v", err)
		}
		if keys := h.mustRestore(t, item(gone[2]), archive.Item{UID: gone[1].UID, Scope: "one", Name: "new"}); keys[1].Name != "new" || h.entry(t, gone[1].UID).Restored != keys[1] {
			t.Errorf("the new name: %v", keys)
		}
		for reason, x := range map[string]archive.Item{
			"a scope of a scoped kind is missing": {UID: gone[0].UID, Name: "x"},
			"the name is empty":                   {UID: gone[0].UID, Scope: "one"},
		} {
			if _, err := h.RestoreEntries(t.Context(), []archive.Item{x}); !errors.Is(err, graph.ErrRefused) {
				t.Errorf("%s: %v, want ErrRefused", reason, err)
			}
		}
	})
}

// TestArchiveStatements: a batch with an archive takes as many statements as one without, on Postgres. A single
// deletion does, too. A restore takes the same number for any number of objects.
func TestArchiveStatements(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, archiving)
	a := h.mustCreate(t, object("team", "", "a"))
	if one := h.statementsOf(t, func() error { return h.Delete(t.Context(), a.Key, graph.DeleteOptions{}) }); one != 1 {
		t.Errorf("a deletion takes %d statements", one)
	}
	var restores []int64
	for _, n := range []int{2, 200} {
		var list []graph.Object
		var writes []graph.Write
		for i := range n {
			o := h.mustCreate(t, object("team", "", fmt.Sprint(n, "-", i)))
			list, writes = append(list, o), append(writes, deletion(o))
		}
		if got := h.statementsOf(t, func() error { _, err := h.Batch(t.Context(), writes); return err }); got != 1 {
			t.Errorf("a batch of %d takes %d statements", n, got)
		}
		var items []archive.Item
		for _, o := range list {
			items = append(items, item(o))
		}
		restores = append(restores, h.statementsOf(t, func() error { _, err := h.RestoreEntries(t.Context(), items); return err }))
	}
	if restores[0] != restores[1] || restores[0] > 7 {
		t.Errorf("restores of 2 and of 200 objects take %d statements", restores)
	}
}

// TestArchiveRelink: a relink moves a reference, in a batch, too. A strict store judges it as a new one.
func TestArchiveRelink(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		a, b := h.mustCreate(t, object("bucket", "one", "a")), h.mustCreate(t, object("bucket", "one", "b"))
		dep := object("photo", "one", "p")
		dep.Owners = refTo(a)
		dep = h.mustCreate(t, dep)
		gone := b.Key
		gone.UID = "none"
		move := func(from, to graph.Key) graph.Write {
			return graph.Write{Type: graph.WritePatch, Key: dep.Key, Change: graph.Change{Relink: []graph.Relink{{From: from, To: to}}}}
		}
		if err := h.Patch(t.Context(), dep.Key, graph.Precondition{}, move(a.Key, gone).Change); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("a relink to an owner that is gone: %v", err)
		}
		results, err := h.Batch(t.Context(), []graph.Write{move(a.Key, gone)})
		if err != nil || !errors.Is(results[0], graph.ErrRefused) {
			t.Errorf("the same in a batch: %v, %v", results, err)
		}
		h.batchOf(t, move(a.Key, b.Key))
		if now := h.owner(t, dep); now != b.UID {
			t.Errorf("the owner is %s, want %s", now, b.UID)
		}
		h.mustPatch(t, dep, move(b.Key, a.Key).Change)
		if now := h.owner(t, dep); now != a.UID {
			t.Errorf("the owner is %s, want %s", now, a.UID)
		}
	})
}

func (h *handle) owner(t *testing.T, o graph.Object) graph.UID {
	t.Helper()
	now, err := h.Get(t.Context(), o.Key)
	if err != nil || len(now.Owners) != 1 {
		t.Fatalf("%v, %v", now, err)
	}
	return now.Owners[0].UID
}
