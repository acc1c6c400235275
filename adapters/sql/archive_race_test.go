package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// behind runs a call that waits for a transaction of the user, and commits the transaction then.
func (h *handle) behind(t *testing.T, in func(tx *Tx) error, call func() error) {
	t.Helper()
	tx, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	var pid int
	if err := tx.QueryRowContext(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	if err := in(h.Tx(tx)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- call() }()
	eventually(t, "the call waits", func() bool {
		var n int
		err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity a WHERE $1 = ANY (pg_blocking_pids(a.pid))`, pid).Scan(&n)
		return err == nil && n > 0
	})
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestArchiveWordsBeside: the deletion of a user that changes nothing commits beside the write that removes the
// object. The entry is explicit, also for an object that was marked before the archive.
func TestArchiveWordsBeside(t *testing.T) {
	for _, level := range []func(*Config){archiving, func(c *Config) { archiving(c); c.Strict = false }} {
		h := newPostgresDatabase(t).mustHandle(t, level)
		for i, batch := range []bool{false, true} {
			o := object("team", "", fmt.Sprint("a", i))
			o.Finalizers = []string{"x/y"}
			o = h.mustCreate(t, o)
			h.removes(t, o, graph.DeleteOptions{Cause: engineCause})
			h.behind(t, func(tx *Tx) error { return tx.Delete(t.Context(), o.Key, graph.DeleteOptions{}) }, func() error {
				change := graph.Change{DropFinalizer: "x/y"}
				if !batch {
					return h.Patch(t.Context(), o.Key, graph.Precondition{}, change)
				}
				results, err := h.Batch(t.Context(), []graph.Write{{Type: graph.WritePatch, Key: o.Key, Change: change}})
				if err == nil {
					err = results[0]
				}
				return err
			})
			if e := h.entry(t, o.UID); !e.Explicit || e.Cause != *engineCause {
				t.Errorf("strict %t, batch %t: the entry %+v", h.conf.Strict, batch, e)
			}
		}
	}
}

// removesBehindChange removes an object, alone or in a batch with its neighbour, while a transaction changes its row.
func (h *handle) removesBehindChange(t *testing.T, o, neighbour graph.Object, batch bool) {
	t.Helper()
	h.behind(t, func(tx *Tx) error {
		_, err := tx.ses.c.exec(t.Context(), `UPDATE `+h.photos()+` SET n = 2 WHERE uid = `+quoteText(string(o.UID)))
		return err
	}, func() error {
		if !batch {
			return h.Delete(t.Context(), o.Key, graph.DeleteOptions{})
		}
		results, err := h.Batch(t.Context(), []graph.Write{deletion(o), deletion(neighbour)})
		if err == nil {
			err = results[0]
		}
		return err
	})
}

// TestArchiveRowChanges: a transaction changes the row, and commits after the removal of the object has begun. The
// payload is the last row.
func TestArchiveRowChanges(t *testing.T) {
	h := newPostgresDatabase(t).withRows(t, `n integer`)
	for i, batch := range []bool{false, true} {
		o, neighbour := h.withRow(t, fmt.Sprint("p", i), nil, `1`), h.withRow(t, fmt.Sprint("q", i), nil, `1`)
		h.removesBehindChange(t, o, neighbour, batch)
		if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, "n"); got != "2" {
			t.Errorf("batch %t: the row has %s", batch, got)
		}
	}
}

// TestArchivePurgeBeside: a hold, or a restore, that commits beside a purge keeps the entry.
func TestArchivePurgeBeside(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, archiving)
	for _, c := range []struct { // the time of the restored entry is over in the next round, so that is the last one
		name string
		do   func(tx *Tx, o graph.Object) error
	}{
		{"hold", func(tx *Tx, o graph.Object) error {
			return tx.ses.hold(t.Context(), o.Key, archive.Hold{By: "court"})
		}},
		{"restore", func(tx *Tx, o graph.Object) error {
			r := revival{ses: tx.ses, items: []archive.Item{item(o)}, keys: make([]graph.Key, 1), made: map[graph.UID]graph.Key{}}
			return r.run(t.Context())
		}},
	} {
		o := h.mustCreate(t, object("team", "", c.name))
		h.removes(t, o, graph.DeleteOptions{})
		h.later(t, 2*time.Hour)
		n := 0
		h.behind(t, func(tx *Tx) error { return c.do(tx, o) }, func() (err error) {
			n, err = h.PurgeEntries(t.Context(), nil)
			return err
		})
		if n != 0 || len(h.entries(t, archive.Query{UIDs: []graph.UID{o.UID}})) != 1 {
			t.Errorf("%s: %d entries are purged", c.name, n)
		}
	}
}

// plan returns the last column of a plan, a line for each row.
func (h *handle) plan(t *testing.T, q interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, text string, args ...any) string {
	t.Helper()
	rows, err := q.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var plan []string
	for rows.Next() {
		into, line := make([]any, len(columns)), ""
		for i := range into {
			into[i] = new(any)
		}
		into[len(into)-1] = &line
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, line)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}

// TestArchiveWordsPlan: a removal of many objects compares no object with the words of all others. The planner expects one
// object.
func TestArchiveWordsPlan(t *testing.T) {
	h := newPostgresDatabase(t).withRows(t, `n integer`)
	text := `EXPLAIN (ANALYZE) WITH o AS MATERIALIZED (SELECT * FROM (SELECT 'uid-' || n AS uid FROM generate_series(1, 400) n) u WHERE uid > '' AND uid > 'a'),
		ew AS MATERIALIZED (SELECT 'uid-' || n AS uid FROM generate_series(1, 400) n), et AS MATERIALIZED (SELECT * FROM ew WHERE uid > '' AND uid > 'a' AND uid > 'b')
		SELECT o.uid, x.uid, t.uid FROM ` + pgGone + ` WHERE ` + pgIsGone
	if plan := h.plan(t, h.db, text); strings.Contains(plan, "Join Filter") || !strings.Contains(plan, "rows=400 loops=1") {
		t.Errorf("the plan is\n%s", plan)
	}
}

// TestArchiveRowPlan: a removal finds the row of the user by the index of its column, whatever its collation.
func TestArchiveRowPlan(t *testing.T) {
	for _, collation := range []string{`"default"`, `"C"`, `"POSIX"`} {
		h := newPostgresDatabase(t).withRows(t, `n integer, key text COLLATE `+collation+` UNIQUE`, func(c *Config) {
			table := c.Archive.Tables["photo"]
			table.UID = "key"
			c.Archive.Tables["photo"] = table
		})
		h.run(t, h.db, `ALTER TABLE `+h.photos()+` DROP CONSTRAINT photos_pkey, ALTER COLUMN uid DROP NOT NULL`)
		h.run(t, h.db, `INSERT INTO `+h.photos()+` (n, key) SELECT n, 'key-' || n FROM generate_series(1, 20000) n`)
		h.run(t, h.db, `ANALYZE `+h.photos())
		o := h.mustCreate(t, object("photo", "one", "p"))
		h.run(t, h.db, `INSERT INTO `+h.photos()+` (n, key) VALUES (0, `+quoteText(string(o.UID))+`)`)
		text := h.conf.names().Replace(`EXPLAIN WITH o AS (SELECT * FROM {objects} WHERE uid = `+quoteText(string(o.UID))+`),`) + strings.TrimSuffix(h.conf.names().Replace(pgRows(h.conf, false)), ",") + ` SELECT * FROM ev0`
		if plan := h.plan(t, h.db, text); !strings.Contains(plan, "photos_key_key") || strings.Contains(plan, "Seq Scan on photos") {
			t.Errorf("collation %s: the plan is\n%s", collation, plan)
		}
		h.removes(t, o, graph.DeleteOptions{})
		if e := h.entry(t, o.UID); e.Size == 0 {
			t.Errorf("collation %s: the entry has no row: %+v", collation, e)
		}
	}
}

// TestArchiveOfCollector: a collector restores a deleted bucket with its photos and their rows, and nothing that a
// user has deleted.
func TestArchiveOfCollector(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		bucket := h.mustCreate(t, object("bucket", "one", "b"))
		var photos []graph.Object
		for i := range 5 {
			photos = append(photos, h.withRow(t, fmt.Sprint("p", i), refTo(bucket), fmt.Sprint(i)))
		}
		c, err := ownergraph.New(h.Store, ownergraph.Config{Policies: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx) }()
		defer func() { stop(); <-done }()
		h.removes(t, photos[4], graph.DeleteOptions{})
		h.removes(t, bucket, graph.DeleteOptions{})
		eventually(t, "the cascade ends", func() bool { return h.rowsIn(t, `{archive}`) == 6 })
		result, err := restore.Run(ctx, c, archive.Request{Roots: []graph.UID{bucket.UID}}, nil)
		if err != nil || result.Created != 5 {
			t.Fatalf("%+v, %v", result, err)
		}
		for i, o := range photos[:4] {
			now, err := h.Get(ctx, o.Key)
			if err != nil || len(now.Owners) != 1 || now.Owners[0].UID != result.Restored[bucket.UID].UID {
				t.Errorf("%s: %v, %v", o.Key, now, err)
			}
			if got := h.rowOf(t, now.UID, "n", "owner"); !strings.Contains(got, fmt.Sprint(i)) || !strings.Contains(got, string(now.Owners[0].UID)) {
				t.Errorf("%s: its row is %s", o.Key, got)
			}
		}
		if _, err := h.Get(ctx, photos[4].Key); err == nil {
			t.Error("what a user has deleted is back")
		}
		again, err := restore.Run(ctx, c, archive.Request{Roots: []graph.UID{bucket.UID}}, nil)
		if err != nil || again.Created != 0 || again.Restored[bucket.UID] != result.Restored[bucket.UID] {
			t.Errorf("the second restore: %+v, %v", again, err)
		}
	})
}

// TestArchiveNotePlan: a note of restored objects finds its entries by their index, also without statistics. Otherwise a restore
// would become slower with the archive.
func TestArchiveNotePlan(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, archiving)
	h.run(t, h.db, h.conf.names().Replace(`INSERT INTO {archive} SELECT 'uid-' || n, 1, 0, 1, '', 'n', 1, 1, '', '', false, false, '', '', '', '', '', NULL, NULL, 0 FROM generate_series(1, 5000) n`))
	text := h.archiveText(`UPDATE {archive} AS a SET restored = x.back FROM ` + noteFrom(Postgres))
	tx := h.begin(t, 0)
	h.run(t, tx, `SET LOCAL plan_cache_mode = force_generic_plan`)
	h.run(t, tx, `PREPARE note (text[], text[], text[], text[], bigint[], boolean[]) AS `+text)
	rows, err := tx.QueryContext(t.Context(), `EXPLAIN EXECUTE note (ARRAY['a'], ARRAY['a'], ARRAY['a'], ARRAY['a'], ARRAY[1], ARRAY[true])`)
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	_ = rows.Close()
	if !strings.Contains(plan.String(), "og_archive_pkey") {
		t.Errorf("the plan is\n%s", plan.String())
	}
	h.run(t, tx, `DEALLOCATE note`)
}

// TestArchiveOwnersPlan: a page below owners looks each of them up by the index, with and without statistics, and with
// conditions on the entries. All references have one owner. Postgres compiles no statement.
func TestArchiveOwnersPlan(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		series, explain, whole := `generate_series(1, 5000) n`, `EXPLAIN `, []string{"Seq Scan"}
		if d.name == "sqlite" {
			series = `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 5000) SELECT n FROM s)`
			explain, whole = `EXPLAIN QUERY PLAN `, []string{"SCAN n", "SCAN a"}
		}
		h.run(t, h.db, h.conf.names().Replace(`INSERT INTO {archive} SELECT 'uid-' || n, 1, 0, 1, '', 'n', 1, 1, '', '', false, false, '', '', '', '', '', NULL, NULL, 0, NULL FROM `+series))
		h.run(t, h.db, h.conf.names().Replace(`INSERT INTO {archive_owners} SELECT 'wide', 'uid-' || n || '-' || m.i, true FROM `+series+` CROSS JOIN (SELECT 1 AS i UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) m`))
		many := make([]graph.UID, archive.MaxPage)
		for i := range many {
			many[i] = graph.UID(fmt.Sprint("absent-", i))
		}
		for _, analyzed := range []bool{false, true} {
			if analyzed {
				h.run(t, h.db, `ANALYZE`)
			}
			for _, q := range []archive.Query{
				{Owners: many}, {Owners: many, Unrestored: true}, {Owners: many, After: "uid-1"},
				{Owners: []graph.UID{"wide"}}, {Owners: []graph.UID{"wide"}, After: "uid-1"},
			} {
				w := selection{s: h.Store}
				if err := w.add(q, &kindSet{}, endPlace{uid: q.After}); err != nil {
					t.Fatal(err)
				}
				text := h.archiveText(explain + `SELECT a.uid` + w.of(q, 2))
				plan := h.plan(t, h.db, text, w.args...)
				if len(q.Owners) == 1 && strings.Contains(plan, "Bitmap") {
					t.Errorf("with statistics: %t, %s has the plan\n%s", analyzed, text, plan)
				}
				for _, step := range append(slices.Clone(whole), "JIT") {
					if strings.Contains(plan, step) {
						t.Errorf("with statistics: %t, %s has the plan\n%s", analyzed, text, plan)
					}
				}
			}
		}
	})
}
