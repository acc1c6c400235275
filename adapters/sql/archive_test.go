package sqlstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// archiving opens a strict store with an archive.
func archiving(c *Config) {
	c.Strict, c.Policies = true, true
	c.Archive = &ArchiveConfig{Config: archive.Config{Keep: time.Hour, Kinds: map[graph.Kind]archive.KindConfig{"note": {Off: true}}}}
}

// entry returns the only entry of an object.
func (h *handle) entry(t *testing.T, uid graph.UID) archive.Entry {
	t.Helper()
	list := h.entries(t, archive.Query{UIDs: []graph.UID{uid}})
	if len(list) != 1 {
		t.Fatalf("the object %s has %d entries", uid, len(list))
	}
	return list[0]
}

func (h *handle) entries(t *testing.T, q archive.Query) []archive.Entry {
	t.Helper()
	page, err := h.Entries(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return page.Entries
}

func (h *handle) removes(t *testing.T, o graph.Object, opts graph.DeleteOptions) {
	t.Helper()
	if err := h.Delete(t.Context(), o.Key, opts); err != nil {
		t.Fatalf("delete %s: %v", o.Key, err)
	}
}

func (h *handle) mustPatch(t *testing.T, o graph.Object, c graph.Change) {
	t.Helper()
	if err := h.Patch(t.Context(), o.Key, graph.Precondition{UID: o.UID}, c); err != nil {
		t.Fatalf("patch %s: %v", o.Key, err)
	}
}

var engineCause = &graph.Cause{Root: graph.Key{Kind: "team", Name: "root", UID: "ROOT"}, Holder: graph.Key{Kind: "team", Name: "holder", UID: "HOLDER"}}

// TestArchiveWords: the words of an entry follow from the writes of its object, by each way that removes it.
func TestArchiveWords(t *testing.T) {
	byEngine, drop := graph.DeleteOptions{Cause: engineCause}, graph.Change{DropFinalizer: "x/y"}
	cases := []struct {
		reason              string
		finalizers          []string
		end                 func(t *testing.T, h *handle, o graph.Object)
		explicit, orphaning bool
		cause               bool
	}{
		{"a user deletes an object without finalizers", nil, func(t *testing.T, h *handle, o graph.Object) { h.removes(t, o, graph.DeleteOptions{}) }, true, false, false},
		{"an engine deletes it", nil, func(t *testing.T, h *handle, o graph.Object) { h.removes(t, o, byEngine) }, false, false, true},
		{"an engine deletes it by a batch of plain deletions", nil, func(t *testing.T, h *handle, o graph.Object) {
			h.batch(t, o, byEngine, h.mustCreate(t, object("team", "", "neighbour")))
		}, false, false, true},
		{"a user deletes it by a batch of plain deletions", nil, func(t *testing.T, h *handle, o graph.Object) {
			h.batch(t, o, graph.DeleteOptions{}, h.mustCreate(t, object("team", "", "neighbour")))
		}, true, false, false},
		{"an engine marks it, and a patch ends it", []string{"x/y"}, func(t *testing.T, h *handle, o graph.Object) { h.removes(t, o, byEngine); h.mustPatch(t, o, drop) }, false, false, true},
		{"a user deletes it after the mark of an engine, which changes nothing", []string{"x/y"}, func(t *testing.T, h *handle, o graph.Object) {
			h.removes(t, o, byEngine)
			h.removes(t, o, graph.DeleteOptions{})
			h.mustPatch(t, o, drop)
		}, true, false, true},
		{"a user deletes it by a batch after the mark of an engine", []string{"x/y"}, func(t *testing.T, h *handle, o graph.Object) {
			h.removes(t, o, byEngine)
			h.batch(t, o, graph.DeleteOptions{})
			h.mustPatch(t, o, drop)
		}, true, false, true},
		{"an engine deletes it after the mark of a user", []string{"x/y"}, func(t *testing.T, h *handle, o graph.Object) {
			h.removes(t, o, graph.DeleteOptions{})
			h.removes(t, o, byEngine)
			h.mustPatch(t, o, drop)
		}, true, false, true},
		{"an orphan deletion ends by an update", []string{"x/y"}, func(t *testing.T, h *handle, o graph.Object) {
			h.removes(t, o, graph.DeleteOptions{Propagation: graph.Orphan})
			h.mustPatch(t, o, graph.Change{DropFinalizer: graph.FinalizerOrphan})
			if _, err := h.Update(t.Context(), graph.Object{Key: o.Key}); err != nil {
				t.Fatal(err)
			}
		}, true, true, false},
		{"an orphan deletion ends with its finalizer, by a batch", nil, func(t *testing.T, h *handle, o graph.Object) {
			h.removes(t, o, graph.DeleteOptions{Propagation: graph.Orphan})
			h.batchOf(t, graph.Write{Type: graph.WritePatch, Key: o.Key, Change: graph.Change{DropFinalizer: graph.FinalizerOrphan}})
		}, true, true, false},
		{"a background deletion takes the orphaning back", nil, func(t *testing.T, h *handle, o graph.Object) {
			h.removes(t, o, graph.DeleteOptions{Propagation: graph.Orphan})
			h.removes(t, o, graph.DeleteOptions{Propagation: graph.Background})
		}, true, false, false},
		{"a user deletes it in a transaction", []string{"x/y"}, func(t *testing.T, h *handle, o graph.Object) {
			h.within(t, func(tx *Tx) error {
				if err := tx.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil {
					return err
				}
				_, err := tx.Update(t.Context(), graph.Object{Key: o.Key})
				return err
			})
		}, true, false, false},
	}
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		owner, released := h.mustCreate(t, object("bucket", "one", "owner")), h.mustCreate(t, object("bucket", "one", "released"))
		for i, c := range cases {
			o := object("photo", "one", fmt.Sprint("p", i))
			o.Finalizers, o.Owners = c.finalizers, []graph.Owner{{Key: owner.Key}, withPolicy(released, graph.OnDeleteRelease)}
			if i%2 == 0 {
				o.Owners = o.Owners[:1] // a plain deletion on Postgres has no policies
			}
			o = h.mustCreate(t, o)
			version := h.version(t, o)
			c.end(t, h, o)
			e := h.entry(t, o.UID)
			if e.Explicit != c.explicit || e.Orphaning != c.orphaning || (e.Cause == *engineCause) != c.cause {
				t.Errorf("%s: %+v", c.reason, e)
			}
			if !slices.Equal(e.Object.Finalizers, c.finalizers) || !slices.Equal(e.Object.Owners, o.Owners) && !strings.Contains(c.reason, "update") && !strings.Contains(c.reason, "in a transaction") || e.Object.Key != o.Key || !e.Object.Deleting {
				t.Errorf("%s: the entry has %v, want that of %v", c.reason, e.Object, o)
			}
			if c.finalizers == nil && !c.orphaning && !strings.Contains(c.reason, "back") && e.Object.Version != version {
				t.Errorf("%s: the entry has version %s, want %s", c.reason, e.Object.Version, version)
			}
			if e.Until.IsZero() == e.Explicit || e.Explicit && e.Until.Sub(e.At) != time.Hour {
				t.Errorf("%s: it stays until %v after %v", c.reason, e.Until, e.At)
			}
			if c.cause && len(h.entries(t, archive.Query{Owners: []graph.UID{"HOLDER"}, UIDs: []graph.UID{o.UID}})) != 1 {
				t.Errorf("%s: the holder does not lead to the entry", c.reason)
			}
		}
		if n := h.rowsIn(t, `{trails}`); n != 0 {
			t.Errorf("%d trails are left", n)
		}
		note := h.mustCreate(t, object("note", "one", "n"))
		h.removes(t, note, graph.DeleteOptions{})
		if list := h.entries(t, archive.Query{Kind: "note"}); len(list) != 0 {
			t.Errorf("a kind that is off has entries: %v", list)
		}
	})
}

func (h *handle) version(t *testing.T, o graph.Object) graph.Version {
	t.Helper()
	now, err := h.Get(t.Context(), o.Key)
	if err != nil {
		t.Fatal(err)
	}
	return now.Version
}

func (h *handle) rowsIn(t *testing.T, table string) (n int) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) FROM `+table)).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// batch deletes an object, and others beside it, under their UIDs and versions.
func (h *handle) batch(t *testing.T, o graph.Object, opts graph.DeleteOptions, others ...graph.Object) {
	t.Helper()
	var writes []graph.Write
	for _, o := range append(slices.Clone(others), o) {
		w := deletion(o)
		w.Options.Cause = opts.Cause
		w.Options.Precondition.Version = h.version(t, o)
		writes = append(writes, w)
	}
	h.batchOf(t, writes...)
}

func (h *handle) batchOf(t *testing.T, writes ...graph.Write) {
	t.Helper()
	results, err := h.Batch(t.Context(), writes)
	if err := errors.Join(append(results, err)...); err != nil {
		t.Fatal(err)
	}
}

// inTx runs writes in a transaction of the user, and commits it.
func (h *handle) within(t *testing.T, do func(tx *Tx) error) {
	t.Helper()
	tx, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := do(h.Tx(tx)); err != nil {
		t.Fatal(errors.Join(err, tx.Rollback()))
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestArchiveRollsBack: a transaction of the user that is rolled back leaves the object, and no entry.
func TestArchiveRollsBack(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		a := h.mustCreate(t, object("team", "", "a"))
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Tx(tx).Delete(t.Context(), a.Key, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Get(t.Context(), a.Key); err != nil || h.rowsIn(t, `{archive}`) != 0 {
			t.Errorf("the object: %v, %d entries", err, h.rowsIn(t, `{archive}`))
		}
	})
}

// TestArchiveEntries: pages bring each entry once, the newest end first. Each field narrows the selection.
func TestArchiveEntries(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		owner := h.mustCreate(t, object("bucket", "one", "owner"))
		var photos []graph.Object
		for i := range 7 {
			o := object("photo", "one", fmt.Sprint("p", i))
			o.Owners = refTo(owner)
			photos = append(photos, h.mustCreate(t, o))
		}
		h.batch(t, photos[0], graph.DeleteOptions{Cause: &graph.Cause{Root: owner.Key}}, photos[1:5]...)
		h.removes(t, photos[5], graph.DeleteOptions{})
		h.removes(t, photos[6], graph.DeleteOptions{Cause: &graph.Cause{Root: owner.Key}})
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(photos[6], refTo(owner)...)}); err != nil {
			t.Fatal(err)
		}
		var seen []archive.Entry
		for q := (archive.Query{Limit: 2}); ; {
			page, err := h.Entries(t.Context(), q)
			if err != nil || len(page.Entries) > 2 {
				t.Fatalf("%d entries, %v", len(page.Entries), err)
			}
			seen = append(seen, page.Entries...)
			if q.After = page.More; q.After == "" {
				break
			}
		}
		sorted := slices.IsSortedFunc(seen, func(a, b archive.Entry) int {
			if c := b.At.Compare(a.At); c != 0 {
				return c
			}
			return strings.Compare(string(a.Object.UID), string(b.Object.UID))
		})
		if len(seen) != 7 || !sorted {
			t.Errorf("the pages have %d entries, sorted: %t", len(seen), sorted)
		}
		for _, c := range []struct {
			q      archive.Query
			want   int
			reason string
		}{
			{archive.Query{}, 7, "all"},
			{archive.Query{UIDs: []graph.UID{photos[1].UID, "none", "\x00"}}, 1, "a UID, and texts that no UID has"},
			{archive.Query{UIDs: []graph.UID{"\x00"}}, 0, "a text that no UID has is not all"},
			{archive.Query{Owners: []graph.UID{owner.UID}}, 7, "the entries that name an owner"},
			{archive.Query{Owners: []graph.UID{photos[0].UID}}, 0, "an owner that none names"},
			{archive.Query{Explicit: true}, 1, "those of users"},
			{archive.Query{Unrestored: true}, 6, "one came back"},
			{archive.Query{Unrestored: true, UIDs: []graph.UID{photos[6].UID}}, 0, "the one that came back"},
			{archive.Query{Unrestored: true, Owners: []graph.UID{owner.UID}}, 6, "below an owner, too"},
			{archive.Query{Owners: []graph.UID{owner.UID, photos[0].UID}, Kind: "photo", Name: "p3", Unrestored: true}, 1, "each field narrows the entries below owners"},
			{archive.Query{Kind: "photo", Scope: "one", Name: "p3"}, 1, "a place"},
			{archive.Query{Kind: "none"}, 0, "a kind that is not known"},
			{archive.Query{Name: "\xff"}, 0, "a name that no object has"},
			{archive.Query{Before: seen[0].At}, 6, "the ends before the newest"},
			{archive.Query{Before: seen[6].At}, 0, "the ends before the oldest"},
		} {
			if got := len(h.entries(t, c.q)); got != c.want {
				t.Errorf("%s: %d entries, want %d", c.reason, got, c.want)
			}
		}
		for _, q := range []archive.Query{{After: "x"}, {After: "1"}, {Limit: -1}, {Limit: archive.MaxPage + 1}, {UIDs: make([]graph.UID, archive.MaxPage+1)}} {
			if _, err := h.Entries(t.Context(), q); !errors.Is(err, graph.ErrRefused) || !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("%.40v: %v, want ErrRefused and ErrInvalid", q, err)
			}
		}
	})
}

// TestQuoteTexts: each list of texts comes back.
func TestQuoteTexts(t *testing.T) {
	for _, list := range [][]string{nil, {"x.io/y"}, {"", " ", "\"", "\xff\x00", "ü\n"}} {
		if got, err := unquoteTexts(quoteTexts(list)); err != nil || !slices.Equal(got, list) {
			t.Errorf("%q, %v, want %q", got, err, list)
		}
	}
	if _, err := unquoteTexts(`"a" x`); err == nil {
		t.Error("a text that is cut has no error")
	}
}
