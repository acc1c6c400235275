package sqlstore

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// journal keeps the log of a collector.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds a record.
func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// has reports whether the log has a text.
func (j *journal) has(text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Contains(j.text.String(), text)
}

// fill makes the archive have no room, and returns the end of that. A trigger of Postgres raises the error of a full disk, and the
// statement itself fails on SQLite. Its bound of pages is one of a connection, and a pool may make another one.
func (h *handle) fill(t *testing.T) (free func()) {
	t.Helper()
	names := h.conf.names()
	if h.conf.Dialect == SQLite {
		full := func(text string) error {
			if strings.Contains(text, names.Replace(`REPLACE INTO {archive} `)) {
				return code(13)
			}
			return nil
		}
		h.d.faults.fail.Store(&full)
		return func() { h.d.faults.fail.Store(nil) }
	}
	h.run(t, h.db, names.Replace(`CREATE FUNCTION "`+h.conf.Schema+`".full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`))
	h.run(t, h.db, names.Replace(`CREATE TRIGGER full_disk BEFORE INSERT ON {archive} FOR EACH ROW EXECUTE FUNCTION "`+h.conf.Schema+`".full_disk()`))
	return func() { h.run(t, h.db, `DROP FUNCTION "`+h.conf.Schema+`".full_disk() CASCADE`) }
}

// TestArchiveFullDiskOfEngine: an archive without room holds a cascade. No object goes without its entry, and the log of the collector has the cause. With
// room the cascade ends, and each object has its entry.
func TestArchiveFullDiskOfEngine(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer, x text`)
		bucket := h.mustCreate(t, object("bucket", "one", "b"))
		var ever []graph.UID
		for i := range 40 {
			o := h.withRow(t, fmt.Sprint("p", i), refTo(bucket), fmt.Sprintf(`%d, 'x'`, i))
			ever = append(ever, o.UID)
		}
		var logged journal
		h.removes(t, bucket, graph.DeleteOptions{Propagation: graph.Foreground})
		free := h.fill(t)
		collector := h.collect(t, ownergraph.Config{Policies: true, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		want := map[Dialect]string{SQLite: code(13).Error(), Postgres: "could not extend file"}[h.conf.Dialect]
		eventually(t, "the log has the cause", func() bool { return logged.has(want) })
		h.isWholeWith(t, "the disk is full", ever)
		if _, err := h.Get(t.Context(), bucket.Key); err != nil {
			t.Errorf("the owner: %v", err)
		}
		free()
		eventually(t, "the cascade ends", func() bool { return h.rowsIn(t, `{objects}`) == 0 })
		collector.idle()
		h.isWhole(t, "with room", append(ever, bucket.UID))
	})
}

// isWholeWith is isWhole beside marked objects.
func (h *handle) isWholeWith(t *testing.T, reason string, ever []graph.UID) {
	t.Helper()
	all := h.objects(t.Context(), t)
	for _, uid := range ever {
		_, lives := all[uid]
		if n := len(h.entries(t, archive.Query{UIDs: []graph.UID{uid}})); lives == (n == 1) {
			t.Errorf("%s: object %s: it lives: %t, and has %d entries", reason, uid, lives, n)
		}
		if has := h.rowOf(t, uid, "n") != "no row"; has != lives {
			t.Errorf("%s: object %s: it lives: %t, and has a row: %t", reason, uid, lives, has)
		}
	}
}

// TestArchiveUnknownOutcome: the answers of commits are lost, or the commits are. Called again, deletions and a restore end as with answers.
func TestArchiveUnknownOutcome(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		other := d.mustHandle(t, archivingRows)
		collector := other.collect(t, ownergraph.Config{Policies: true})
		var ever []graph.UID
		for n, done := range []bool{false, true, false, true} {
			prefix := fmt.Sprint("round", n)
			root, all := h.family(t, prefix)
			ever = append(ever, all...)
			before := h.familyOf(t, prefix)
			sound, err := h.failCommits(t.Context(), done)
			if err != nil {
				t.Fatal(err)
			}
			lost := h.Delete(t.Context(), root.Key, graph.DeleteOptions{})
			if err := sound(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := h.Delete(t.Context(), root.Key, graph.DeleteOptions{}); lost == nil || done != errors.Is(err, graph.ErrNotFound) {
				t.Errorf("commits done %t: %v, and again: %v", done, lost, err)
			}
			eventually(t, "the cascade ends", func() bool { return h.inScope(t, prefix) == 0 })
			collector.idle()
			req := archive.Request{Roots: []graph.UID{root.UID}}
			if sound, err = h.failCommits(t.Context(), done); err != nil {
				t.Fatal(err)
			}
			if _, err := restore.Run(t.Context(), collector.Collector, req, nil); err == nil || errors.Is(err, graph.ErrRefused) {
				t.Errorf("a restore whose commits have no answer: %v", err)
			}
			if err := sound(t.Context()); err != nil {
				t.Fatal(err)
			}
			out, err := restore.Run(t.Context(), collector.Collector, req, nil)
			if err != nil || len(out.Restored) != len(all) {
				t.Errorf("the restore again: %+v, %v", out, err)
			}
			h.isWhole(t, prefix, ever)
			if got := h.familyOf(t, prefix); got != before {
				t.Errorf("%s: the objects are\n%s\nwant\n%s", prefix, got, before)
			}
		}
	})
}

// TestArchiveStatementTimeout: a restore that waits for a lock is broken off by the server. Nothing is done, and the error says so. The
// next one passes.
func TestArchiveStatementTimeout(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.withRows(t, `n integer`)
	o := h.withRow(t, "p", nil, `1`)
	h.removes(t, o, graph.DeleteOptions{})
	slow := d.through(t, server.DSN()+" statement_timeout=100").with(t, archivingRows)
	tx := h.begin(t, 0)
	h.run(t, tx, h.conf.names().Replace(`SELECT uid FROM {archive} FOR UPDATE`))
	for name, call := range map[string]func() error{
		"restore": func() error { _, err := slow.RestoreEntries(t.Context(), []archive.Item{item(o)}); return err },
		"purge":   func() error { _, err := slow.PurgeEntries(t.Context(), []graph.UID{o.UID}); return err },
		"hold":    func() error { return slow.HoldEntry(t.Context(), o.Key, archive.Hold{By: "court"}) },
	} {
		var later interface{ RetryAfter() time.Duration }
		if err := call(); !errors.As(err, &later) || !strings.Contains(err.Error(), "nothing is done") {
			t.Errorf("%s: %v, want an error with RetryAfter", name, err)
		}
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := slow.RestoreEntries(t.Context(), []archive.Item{item(o)}); err != nil {
		t.Error(err)
	}
	h.isWhole(t, "the end", []graph.UID{o.UID})
}

// with returns another store on the connections of a handle.
func (h *handle) with(t *testing.T, edit func(*Config)) *handle {
	t.Helper()
	c := h.conf
	c.Kinds = kindsOfTests()
	edit(&c)
	s, err := New(h.db, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &handle{s, h.tb, h.d, h.db}
}

// TestArchiveBouncer: behind pgbouncer with pool_mode=transaction, a cascade, a restore, holds and a purge work.
func TestArchiveBouncer(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.withRows(t, `n integer`)
	behind := d.through(t, startBouncer(t, 2)+" default_query_exec_mode=exec").with(t, archivingRows)
	collector := behind.collect(t, ownergraph.Config{Policies: true})
	root, all := h.family(t, "one")
	before := h.familyOf(t, "one")
	h.removes(t, h.mustCreate(t, object("team", "", "other")), graph.DeleteOptions{})
	behind.removes(t, root, graph.DeleteOptions{})
	eventually(t, "the cascade ends", func() bool { return h.inScope(t, "one") == 0 })
	collector.idle()
	out, err := restore.Run(t.Context(), collector.Collector, archive.Request{Roots: []graph.UID{root.UID}}, nil)
	if got := h.familyOf(t, "one"); err != nil || got != before {
		t.Errorf("%+v, %v, and the objects are\n%s\nwant\n%s", out, err, got, before)
	}
	if err := errors.Join(behind.HoldEntry(t.Context(), root.Key, archive.Hold{By: "court"}), behind.EndHold(t.Context(), root.Key, "court")); err != nil {
		t.Error(err)
	}
	h.later(t, 2*time.Hour)
	if n, err := behind.PurgeEntries(t.Context(), nil); err != nil || n != len(all)+1 {
		t.Errorf("%d entries are purged, %v", n, err)
	}
}
