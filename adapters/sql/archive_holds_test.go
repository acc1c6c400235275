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

// later moves the archive back in time, as if the time had passed.
func (h *handle) later(t *testing.T, d time.Duration) {
	t.Helper()
	for _, text := range []string{
		`UPDATE {archive} SET at = at - %d, until = CASE WHEN until > 0 THEN until - %[1]d ELSE 0 END`, `UPDATE {holds} SET until = until - %d WHERE until > 0`,
	} {
		h.run(t, h.db, h.conf.names().Replace(fmt.Sprintf(text, d.Microseconds())))
	}
}

func (h *handle) mustPurge(t *testing.T, want int, uids ...graph.UID) {
	t.Helper()
	if n, err := h.PurgeEntries(t.Context(), uids); err != nil || n != want {
		t.Errorf("%d entries are purged, %v, want %d", n, err, want)
	}
}

// TestArchivePurge: an explicit entry goes after its time, and its cascade entries go with it. A restore begins
// the time anew.
func TestArchivePurge(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		a, other := h.mustCreate(t, object("bucket", "one", "a")), h.mustCreate(t, object("bucket", "one", "other"))
		b := object("photo", "one", "b")
		b.Owners = refTo(a)
		b = h.mustCreate(t, b)
		h.removes(t, a, graph.DeleteOptions{})
		h.removes(t, b, graph.DeleteOptions{Cause: &graph.Cause{Root: a.Key}})
		h.removes(t, other, graph.DeleteOptions{})
		h.mustPurge(t, 0)
		if h.mustPurge(t, 1, other.UID, "none", "\x00"); h.rowsIn(t, `{archive}`) != 2 {
			t.Error("the named entry is there")
		}
		h.later(t, 59*time.Minute)
		h.mustPurge(t, 0)
		keys := h.mustRestore(t, item(a))
		h.later(t, 59*time.Minute)
		h.mustPurge(t, 0)
		h.mustRestore(t, item(b, graph.Owner{Key: keys[0]}))
		h.later(t, 2*time.Minute)
		if n, err := h.PurgeEntries(t.Context(), []graph.UID{}); err != nil || n != 2 { // as in memory, an empty list is none
			t.Errorf("%d entries are purged, %v", n, err)
		}
		if h.rowsIn(t, `{archive}`) != 0 || h.rowsIn(t, `{archive_owners}`) != 0 {
			t.Error("entries or names are left")
		}
		if x, err := h.Extent(t.Context()); err != nil || x != (archive.Extent{}) {
			t.Errorf("the extent: %+v, %v", x, err)
		}
	})
}

// TestArchivePurgeAsEnded: the statement of a purge drops what archive.Ended says.
func TestArchivePurgeAsEnded(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, func(c *Config) { archiving(c); c.Strict = false })
		for round := range 24 {
			h.randomEntries(t, round)
			h.later(t, 61*time.Minute)
			all := h.entries(t, archive.Query{})
			want := archive.Ended(all, time.Now(), nil)
			if _, err := h.PurgeEntries(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			var left, stay []graph.UID
			for _, e := range h.entries(t, archive.Query{}) {
				left = append(left, e.Object.UID)
			}
			for _, e := range all {
				if !slices.Contains(want, e.Object.UID) {
					stay = append(stay, e.Object.UID)
				}
			}
			slices.Sort(left)
			if slices.Sort(stay); !slices.Equal(left, stay) {
				t.Fatalf("round %d: %v are left of %+v, want %v", round, left, all, stay)
			}
			for _, e := range all {
				for _, x := range e.Holds {
					_ = h.EndHold(t.Context(), e.Object.Key, x.By)
				}
			}
			h.run(t, h.db, h.conf.names().Replace(`DELETE FROM {archive}`))
			h.run(t, h.db, h.conf.names().Replace(`DELETE FROM {archive_owners}`))
		}
	})
}

// randomEntries makes entries that hang together, by the digits of a number.
func (h *handle) randomEntries(t *testing.T, round int) {
	t.Helper()
	draw := uint64(round)*2654435761 + 12345
	next := func(n uint64) int {
		draw = draw*6364136223846793005 + 1442695040888963407
		return int(draw >> 33 % n)
	}
	var list []graph.Object
	for i := range 6 {
		o := object("bucket", "one", fmt.Sprint(round, "-", i))
		for _, owner := range list {
			if next(2) == 0 {
				o.Owners = append(o.Owners, withPolicy(owner, []graph.OnDelete{0, graph.OnDeleteCascade, graph.OnDeleteRelease}[next(3)]))
			}
		}
		list = append(list, h.mustCreate(t, o))
	}
	for _, o := range slices.Backward(list) {
		opts := graph.DeleteOptions{Cause: &graph.Cause{Root: list[0].Key}}
		if next(3) == 0 {
			opts.Cause = nil
		} else if next(4) == 0 {
			opts.Cause.Holder = list[next(6)].Key
		}
		h.removes(t, o, opts)
		if next(4) == 0 {
			if err := h.HoldEntry(t.Context(), o.Key, archive.Hold{By: "court"}); err != nil {
				t.Fatal(err)
			}
		}
		if next(3) == 0 {
			h.mustRestore(t, archive.Item{UID: o.UID, Scope: "one", Name: "back-" + o.Name})
		}
		if next(3) == 0 { // its time is long
			h.run(t, h.db, h.conf.names().Replace(`UPDATE {archive} SET until = until * 2 WHERE until > 0 AND uid = `+quoteText(string(o.UID))))
		}
	}
}

// TestArchiveHolds: a hold keeps an entry from a purge. On a living object it puts the finalizer of protection on,
// and the entry inherits it. The finalizer goes with the last hold.
func TestArchiveHolds(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		ctx, a := t.Context(), h.mustCreate(t, object("team", "", "a"))
		holds := func(h *handle, by string, until time.Time) {
			t.Helper()
			if err := h.HoldEntry(ctx, a.Key, archive.Hold{By: by, Reason: "because", Until: until}); err != nil {
				t.Fatal(err)
			}
		}
		protected := func() bool {
			now, err := h.Get(ctx, a.Key)
			return err == nil && now.HasFinalizer(graph.FinalizerProtect)
		}
		holds(h, "court", time.Time{})
		holds(h, "audit", time.Now().Add(30*time.Minute))
		if !protected() {
			t.Fatal("the object is not protected")
		}
		h.later(t, 31*time.Minute)
		h.mustPurge(t, 0)
		if !protected() || h.rowsIn(t, `{holds}`) != 1 {
			t.Errorf("after the end of one hold: %t, %d holds", protected(), h.rowsIn(t, `{holds}`))
		}
		if err := h.EndHold(ctx, a.Key, "court"); err != nil || protected() {
			t.Errorf("after the last hold: %v, protected: %t", err, protected())
		}
		if err := h.EndHold(ctx, a.Key, "court"); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("a hold that is not there: %v", err)
		}
		holds(h, "court", time.Time{})
		h.removes(t, a, graph.DeleteOptions{})
		h.mustPatch(t, a, graph.Change{DropFinalizer: graph.FinalizerProtect})
		if e := h.entry(t, a.UID); len(e.Holds) != 1 || e.Holds[0] != (archive.Hold{By: "court", Reason: "because"}) {
			t.Errorf("the entry inherits %+v", e.Holds)
		}
		h.later(t, 2*time.Hour)
		h.mustPurge(t, 0)
		if _, err := h.PurgeEntries(ctx, []graph.UID{a.UID}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "court") {
			t.Errorf("a purge of a held entry: %v, want ErrRefused with the holder", err)
		}
		holds(h, "audit", time.Time{})
		holds(h, "audit", time.Now().Add(-time.Minute)) // it replaces the other one
		h.mustPurge(t, 0)
		if err := h.EndHold(ctx, a.Key, "court"); err != nil {
			t.Fatal(err)
		}
		h.mustPurge(t, 1)
		for reason, x := range map[string]archive.Hold{"no holder": {}, "a long holder": {By: strings.Repeat("x", archive.MaxHolder+1)},
			"a long reason": {By: "x", Reason: strings.Repeat("x", archive.MaxReason+1)}, "no text": {By: "\xff"}} {
			if err := h.HoldEntry(ctx, a.Key, x); !errors.Is(err, graph.ErrRefused) || !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("%s: %v, want ErrRefused and ErrInvalid", reason, err)
			}
		}
		if err := h.HoldEntry(ctx, a.Key, archive.Hold{By: "court"}); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("neither an object nor an entry: %v", err)
		}
		b := h.mustCreate(t, object("team", "", "b"))
		for i := range archive.MaxHolds + 1 {
			err := h.HoldEntry(ctx, b.Key, archive.Hold{By: fmt.Sprint(i)})
			if (err != nil) != (i == archive.MaxHolds) {
				t.Errorf("hold %d: %v", i, err)
			}
		}
	})
}

// TestArchiveHoldOfLarge: an object whose entry cannot be written keeps its hold, and stops no other expiry.
func TestArchiveHoldOfLarge(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`, func(c *Config) { c.Archive.MaxBytes = 200 })
		large, small := h.withRow(t, "large", nil, quoteText(strings.Repeat("x", 300))), h.withRow(t, "small", nil, `'x'`)
		ended := h.mustCreate(t, object("bucket", "one", "ended"))
		h.removes(t, ended, graph.DeleteOptions{})
		for _, o := range []graph.Object{large, small} {
			if err := h.HoldEntry(t.Context(), o.Key, archive.Hold{By: "court", Until: time.Now().Add(time.Hour)}); err != nil {
				t.Fatal(err)
			}
			if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		h.later(t, 2*time.Hour)
		n, err := h.PurgeEntries(t.Context(), nil)
		if n != 1 || !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "large") {
			t.Errorf("a purge: %d, %v, want the ended entry gone, and the reason for the large object", n, err)
		}
		if _, err := h.Get(t.Context(), small.Key); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("the other object with a hold: %v, want it gone with its protection", err)
		}
		if o, err := h.Get(t.Context(), large.Key); err != nil || !o.HasFinalizer(graph.FinalizerProtect) {
			t.Errorf("the large object is %v, %v, want it with its protection", o, err)
		}
	})
}
