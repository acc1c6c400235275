package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// resealing opens a further store on the database, whose sealing is for a new key, and opens by an old one.
func (h *handle) resealing(t *testing.T, seals, opens byte, edit ...func(*archive.Sealing)) *handle {
	t.Helper()
	return h.d.mustHandle(t, func(c *Config) {
		archiving(c)
		c.Archive.Tables = h.conf.Archive.Tables
		c.Archive.Sealing = sealingWith(seals, "photo")
		c.Archive.Sealing.Open = sealingWith(opens).Open
		for _, e := range edit {
			e(&c.Archive.Sealing)
		}
	})
}

// resealAll reseals page by page.
func (h *handle) resealAll(t *testing.T, limit int) (out Resealed) {
	t.Helper()
	for after := ""; ; {
		page, err := h.Reseal(t.Context(), after, limit)
		if err != nil {
			t.Fatal(err)
		}
		if page.Sealed+len(page.Kept) > limit {
			t.Errorf("a page has %d entries, want %d at most", page.Sealed+len(page.Kept), limit)
		}
		out.Sealed, out.Clear, out.Kept = out.Sealed+page.Sealed, out.Clear+page.Clear, append(out.Kept, page.Kept...)
		if after = page.More; after == "" {
			return out
		}
	}
}

// TestReseal: the entries get the new recipients, page by page, also those in the clear. The wrong identity changes
// nothing. A crash between two pages, or within one, leaves each entry readable by one of the keys, and a second run does the rest.
func TestReseal(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`)
		var list []graph.Object
		end := func(h *handle, n int) {
			for range n {
				o := h.withRow(t, fmt.Sprint("p", len(list)), nil, quoteText(fmt.Sprint(secretText, len(list))))
				h.removes(t, o, graph.DeleteOptions{})
				list = append(list, o)
			}
		}
		end(h, 2)
		h.removes(t, h.mustCreate(t, object("team", "", "other")), graph.DeleteOptions{})
		h.run(t, h.db, h.conf.names().Replace(`DELETE FROM {payloads}`)) // as a person does
		end(h.resealing(t, 1, 1), 5)
		slices.SortFunc(list, func(a, b graph.Object) int { return cmp.Compare(a.UID, b.UID) }) // those of one moment have any order
		if e := h.resealing(t, 1, 1).entry(t, list[0].UID); !strings.Contains(e.Unreadable, "Reseal") {
			t.Errorf("an entry from before: %+v", e)
		}
		stopped := errors.New("stopped")
		calls := 0
		crash := h.resealing(t, 2, 1, func(s *archive.Sealing) {
			seal := s.Seal
			s.Seal = func(ctx context.Context, b []byte) ([]byte, error) {
				if calls++; calls > 5 {
					return nil, stopped
				}
				return seal(ctx, b)
			}
		})
		first, err := crash.Reseal(t.Context(), "", 3)
		if err != nil || first.Sealed != 3 || first.Clear != 2 || first.More == "" {
			t.Fatalf("the first page: %+v, %v", first, err)
		}
		if _, err := crash.Reseal(t.Context(), first.More, 3); !errors.Is(err, stopped) || !errors.Is(err, graph.ErrRefused) {
			t.Errorf("a page that stops: %v", err)
		}
		for i, o := range list {
			old, fresh := h.resealing(t, 1, 1).entry(t, o.UID), h.resealing(t, 2, 2).entry(t, o.UID)
			if (fresh.Unreadable == "") != (i < 3) || (old.Unreadable == "") == (i < 3) {
				t.Errorf("after the crash entry %d: %q, %q", i, old.Unreadable, fresh.Unreadable)
			}
		}
		if out := h.resealing(t, 2, 9).resealAll(t, 2); out.Sealed != 0 || len(out.Kept) != 7 || out.Kept[0].Object.Key != list[0].Key || !strings.Contains(out.Kept[0].Unreadable, archive.ErrIdentity.Error()) {
			t.Errorf("the wrong identity: %+v", out)
		}
		if out := h.resealing(t, 2, 1).resealAll(t, 2); out.Sealed != 4 || out.Clear != 0 || len(out.Kept) != 3 {
			t.Errorf("the second run: %+v", out)
		}
		if h.holdsText(t, secretText) {
			t.Error("the archive has the secret")
		}
		last := h.resealing(t, 2, 2)
		for _, o := range list {
			if got := last.rowOf(t, last.mustRestore(t, item(o))[0].UID, "n"); !strings.Contains(got, secretText+strings.TrimPrefix(o.Name, "p")) {
				t.Errorf("the row is %s", got)
			}
		}
	})
}

// TestResealBeside: a purge beside a page waits for it. The page neither loses an entry nor brings one back.
func TestResealBeside(t *testing.T) {
	h := newPostgresDatabase(t).withRows(t, `n text`, sealing("photo"))
	a, b := h.withRow(t, "a", nil, quoteText("a")), h.withRow(t, "b", nil, quoteText("b"))
	h.batchOf(t, deletion(a), deletion(b))
	h.behind(t, func(tx *Tx) error {
		_, err := tx.ses.reseal(t.Context(), "", 10)
		return err
	}, func() error {
		n, err := h.PurgeEntries(t.Context(), []graph.UID{a.UID})
		if err == nil && n != 1 {
			err = fmt.Errorf("%d entries are purged", n)
		}
		return err
	})
	h.behind(t, func(tx *Tx) error {
		_, err := tx.ses.dropEntries(t.Context(), []string{string(b.UID)})
		return err
	}, func() error {
		out, err := h.Reseal(t.Context(), "", 0)
		if err == nil && (out.Sealed != 0 || len(out.Kept) != 0) {
			err = fmt.Errorf("a page has %+v", out)
		}
		return err
	})
	if n := h.rowsIn(t, `{archive}`); n != 0 {
		t.Errorf("%d entries", n)
	}
}

// TestResealRefused: a wrong page, and a store that cannot seal and open, are refused.
func TestResealRefused(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		none := d.mustHandle(t, nil)
		if _, err := none.Reseal(t.Context(), "", 0); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("no archive: %v", err)
		}
		h := d.withRows(t, `n text`, sealing("photo"))
		for _, c := range []struct {
			after  string
			limit  int
			reason string
		}{{"\x00", 0, "a text that no UID has"}, {"", -1, "a negative limit"}, {"", MaxReseal + 1, "a limit that is too large"}} {
			if _, err := h.Reseal(t.Context(), c.after, c.limit); !errors.Is(err, graph.ErrRefused) || !errors.Is(err, graph.ErrInvalid) {
				t.Errorf("%s: %v", c.reason, err)
			}
		}
		closed := h.resealing(t, 1, 1, func(s *archive.Sealing) { s.Open = nil })
		if _, err := closed.Reseal(t.Context(), "", 0); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "Open") {
			t.Errorf("a program without an identity: %v", err)
		}
	})
}
