package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// TestArchivePurgeChanged: an entry is held, or restored, after the purge has read it. The purge drops neither that one nor an
// entry that hangs from it, and reads everything anew.
func TestArchivePurgeChanged(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		for _, tc := range []struct { // the entry that came back may go in a later case
			reason string
			change func(o graph.Object) error
		}{
			{"a hold", func(o graph.Object) error {
				return h.HoldEntry(t.Context(), o.Key, archive.Hold{By: "court"})
			}},
			{"a restore", func(o graph.Object) error { h.mustRestore(t, item(o)); return nil }},
		} {
			reason := tc.reason
			root, member := h.removedPair(t, strings.ReplaceAll(reason, " ", "-"))
			h.later(t, 2*time.Hour)
			ended, err := h.findEnded(t.Context())
			if err != nil || len(ended) != 2 || ended[0].UID != root.UID {
				t.Fatalf("%s: %v may go, %v, want the root and its member", reason, ended, err)
			}
			if err := tc.change(root); err != nil {
				t.Fatal(err)
			}
			err = h.transact(t.Context(), func(ses *session) error {
				_, err := ses.dropEnded(t.Context(), ended)
				return err
			})
			if !errors.Is(err, errPurgeChanged) || !strings.Contains(err.Error(), string(root.UID)) {
				t.Errorf("%s: %v, want a change of %s", reason, err, root.UID)
			}
			if h.mustPurge(t, 0); len(h.entries(t, archive.Query{UIDs: []graph.UID{root.UID, member.UID}})) != 2 {
				t.Errorf("%s: entries are purged", reason)
			}
		}
	})
}

// removedPair removes an owner as a user does, and its dependent as an engine does.
func (h *handle) removedPair(t *testing.T, prefix string) (root, member graph.Object) {
	t.Helper()
	root = h.mustCreate(t, object("bucket", prefix, "root"))
	member = object("photo", prefix, "member")
	member.Owners = refTo(root)
	member = h.mustCreate(t, member)
	h.removes(t, root, graph.DeleteOptions{})
	h.removes(t, member, graph.DeleteOptions{Cause: &graph.Cause{Root: root.Key}})
	return root, member
}

// TestArchivePurgeBesideRestore: a cascade entry comes back as a root, after the time of the entry that it hangs from. What hangs from
// it does not expire meanwhile.
func TestArchivePurgeBesideRestore(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		root, member := h.removedPair(t, "one")
		below := object("photo", "one", "below")
		below.Owners = refTo(h.mustCreate(t, object("photo", "one", "other")))
		below = h.mustCreate(t, below)
		h.removes(t, below, graph.DeleteOptions{Cause: &graph.Cause{Root: root.Key}})
		h.run(t, h.db, h.conf.names().Replace(`UPDATE {archive_owners} SET owner = `+quoteText(string(member.UID))+` WHERE uid = `+quoteText(string(below.UID))))
		h.later(t, 2*time.Hour)
		x := item(member)
		x.Root = true
		h.mustRestore(t, x)
		h.mustPurge(t, 1)
		if e := h.entry(t, member.UID); !e.Explicit || e.Until.IsZero() {
			t.Errorf("the entry of the root is %+v", e)
		}
		h.entry(t, below.UID)
		h.later(t, 2*time.Hour)
		h.mustPurge(t, 2)
	})
}

// TestArchivePurgeContended: entries that change again and again give an error with a RetryAfter, and none is lost.
func TestArchivePurgeContended(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, func(c *Config) { archiving(c); c.RetryLimit = 2 })
		h.removedPair(t, "one")
		h.later(t, 2*time.Hour)
		reads := 0
		change := func(text string) error {
			if strings.Contains(text, "UNION ALL SELECT 4") {
				reads++
			} else if strings.Contains(text, "DELETE FROM") {
				return errPurgeChanged
			}
			return nil
		}
		d.faults.fail.Store(&change)
		n, err := h.PurgeEntries(t.Context(), nil)
		d.faults.fail.Store(nil)
		var later interface{ RetryAfter() time.Duration }
		if n != 0 || !errors.As(err, &later) || reads != 3 {
			t.Errorf("%d, %v, with %d reads, want a RetryAfter with 3 reads", n, err, reads)
		}
		h.mustPurge(t, 2)
	})
}

// TestArchivePurgeMarked: the entry of a dependent stays as long as its owner is marked, because the entry of that one comes later.
func TestArchivePurgeMarked(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		owner := object("bucket", "one", "owner")
		owner.Finalizers = []string{"x/y"}
		owner = h.mustCreate(t, owner)
		o := object("photo", "one", "dependent")
		o.Owners = refTo(owner)
		o = h.mustCreate(t, o)
		h.removes(t, owner, graph.DeleteOptions{})
		h.removes(t, o, graph.DeleteOptions{Cause: &graph.Cause{Root: owner.Key}})
		h.later(t, 2*time.Hour)
		h.mustPurge(t, 0)
		h.mustPatch(t, owner, graph.Change{DropFinalizer: "x/y"})
		h.mustPurge(t, 0)
		h.later(t, 2*time.Hour)
		h.mustPurge(t, 2)
	})
}

// TestArchivePurgeBrokenOff: a purge of many entries is broken off in its third transaction. The root went first, and the entries
// that are left hang from none. The next purge drops them.
func TestArchivePurgeBrokenOff(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		const members = 2*purgeBatch + 10
		root := h.mustCreate(t, object("bucket", "one", "root"))
		h.removes(t, root, graph.DeleteOptions{})
		h.later(t, 2*time.Hour)
		for _, text := range []string{
			`INSERT INTO {archive} SELECT 'a' || n, 1, 0, 1, '', 'n', 1, 1, '', '', false, false, '', '', '', '', '', NULL, NULL, 0, NULL FROM n`,
			`INSERT INTO {archive_owners} SELECT ` + quoteText(string(root.UID)) + `, 'a' || n, true FROM n`,
		} {
			h.run(t, h.db, fmt.Sprintf(`WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %d) `, members)+h.conf.names().Replace(text))
		}
		batches := 0
		cut := func(text string) error {
			if strings.Contains(text, "DELETE FROM") && strings.Contains(text, "archive_owners") {
				if batches++; batches == 3 {
					return context.DeadlineExceeded
				}
			}
			return nil
		}
		d.faults.fail.Store(&cut)
		n, err := h.PurgeEntries(t.Context(), nil)
		d.faults.fail.Store(nil)
		if n != 2*purgeBatch || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d entries are purged, %v, want %d and the end of the time", n, err, 2*purgeBatch)
		}
		if len(h.entries(t, archive.Query{UIDs: []graph.UID{root.UID}})) != 0 {
			t.Error("the root is left")
		}
		h.mustPurge(t, members+1-2*purgeBatch)
		if h.rowsIn(t, `{archive}`) != 0 || h.rowsIn(t, `{archive_owners}`) != 0 {
			t.Error("entries or names are left")
		}
	})
}
