package sqlstore

import (
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// loose adds a table without foreign keys, whose rows may name a bucket that is not there.
func (a *old) loose() (table string, list []AdoptedTable) {
	table = a.in + `"loose"`
	a.do(`CREATE TABLE ` + table + ` (id integer PRIMARY KEY, bucket integer, second integer, uid text)`)
	list = append(a.tables(), AdoptedTable{Kind: "note", Schema: a.conf.Schema, Table: "loose", Key: "id", UID: "uid", Name: "(r.id)", Scope: "('s')",
		Owners: []AdoptedOwner{{Kind: "bucket", Key: "bucket"}, {Kind: "bucket", Key: "second"}}})
	return table, list
}

// TestAdoptNeverGuesses: a row names a bucket that is not there, beside one that is. Its object has no
// references, so that the end of the other bucket does not take it along. Once the bucket is there, the
// object has both. The row of a bucket goes, and a row still names it: the object stays, too.
func TestAdoptNeverGuesses(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		table, list := a.loose()
		a.do(`INSERT INTO ` + table + ` (id, bucket, second) VALUES (1, 10, 99), (2, 10, NULL)`)
		c := a.collect(t, guardTeams())
		defer c.stop()
		refs := func(id string) string {
			o, found := a.objects(t.Context(), t)[graph.UID(a.one(`SELECT uid FROM `+table+` WHERE id = `+id))]
			text := "none:"
			if found {
				text = ""
			}
			for _, r := range o.Owners {
				text += r.Name + " "
			}
			return text
		}
		step := func(findings int64, one, two string) {
			t.Helper()
			r, err := a.Adopt(t.Context(), list, AdoptConfig{Batch: 1})
			if r.Findings != findings || (err == nil) != (findings == 0) || err != nil && !strings.Contains(err.Error(), `column second: its owner "99" is not in table`) && !strings.Contains(err.Error(), `column bucket: its owner "10" is not in table`) {
				t.Errorf("%+v, %v, want %d findings", r, err, findings)
			}
			c.idle()
			if refs("1") != one || refs("2") != two {
				t.Errorf("owners: %q and %q, want %q and %q", refs("1"), refs("2"), one, two)
			}
		}
		step(1, "", "b10 ")
		a.do(`INSERT INTO {buckets} (no, space, title) VALUES (99, 's', 'b99')`)
		step(0, "b10 b99 ", "b10 ")
		a.do(`DELETE FROM {buckets} WHERE no = 99`)
		step(1, "", "b10 ")
		a.do(`DELETE FROM {buckets} WHERE no = 10`)
		step(2, "", "")
	})
}

// TestAdoptOwnerInDeletion: an owner is marked. An object that has the reference keeps it. Another one
// gets no reference to it.
func TestAdoptOwnerInDeletion(t *testing.T) {
	for _, strict := range []bool{false, true} {
		onEach(t, func(t *testing.T, d *database) {
			a := d.mustHandle(t, func(c *Config) { c.Strict = strict }).withOld(t)
			a.fill()
			a.adopt(AdoptConfig{})
			team := a.objects(t.Context(), t)[graph.UID(a.one(`SELECT uid FROM {teams} WHERE id = 1`))]
			if err := a.Delete(t.Context(), team.Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
				t.Fatal(err)
			}
			a.do(`INSERT INTO {buckets} (no, "team id", space, title) VALUES (20, 1, 's', 'b20')`)
			r, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{})
			if !errors.Is(err, graph.ErrInvalid) || r.Findings != 1 || !strings.Contains(err.Error(), `row "20": column team id: its owner team/red@`) {
				t.Errorf("%+v, %v", r, err)
			}
			all := a.objects(t.Context(), t)
			for no, want := range map[string]int{"10": 1, "20": 0} {
				if o := all[graph.UID(a.one(`SELECT uid FROM {buckets} WHERE no = `+no))]; len(o.Owners) != want {
					t.Errorf("bucket %s has the owners %v, want %d", no, o.Owners, want)
				}
			}
		})
	}
}

// TestAdoptOwnerDeleted: new code deletes a bucket through the store, and its row goes with it. A row
// without a foreign key still names it. Adopt leaves the reference to the engine, which deletes the
// object.
func TestAdoptOwnerDeleted(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		table, list := a.loose()
		a.do(`INSERT INTO ` + table + ` (id, bucket) VALUES (1, 12)`)
		if _, err := a.Adopt(t.Context(), list, AdoptConfig{}); err != nil {
			t.Fatal(err)
		}
		uid := graph.UID(a.one(`SELECT uid FROM ` + table))
		bucket := a.objects(t.Context(), t)[uid].Owners[0]
		if err := a.Delete(t.Context(), bucket.Key, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		a.do(`DELETE FROM {buckets} WHERE no = 12`)
		if r, err := a.Adopt(t.Context(), list, AdoptConfig{}); !errors.Is(err, graph.ErrInvalid) || r.Findings != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		c := a.collect(t, guardTeams())
		c.idle()
		c.stop()
		if o, is := a.objects(t.Context(), t)[uid]; is {
			t.Errorf("the dependent of a deleted bucket is there: %v", o)
		}
	})
}

// TestAdoptFinalizer: the row of an object with a finalizer goes. The object is marked once, and stays.
func TestAdoptFinalizer(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.do(`INSERT INTO {teams} (id, title) VALUES (2, 'blue')`)
		a.adopt(AdoptConfig{})
		uid := graph.UID(a.one(`SELECT uid FROM {teams} WHERE id = 2`))
		a.do(`DELETE FROM {teams} WHERE id = 2`)
		for run, want := range []int64{1, 0} {
			if r := a.adopt(AdoptConfig{}); r.Deleted != want {
				t.Errorf("run %d: %+v", run, r)
			}
		}
		if o := a.objects(t.Context(), t)[uid]; !o.Deleting {
			t.Errorf("the object of a row that has gone: %v", o)
		}
	})
}

// TestAdoptCopies: a row is copied with its UID. The copy is a finding, and the first row has the
// object. Without the first row the copy has it.
func TestAdoptCopies(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		a.adopt(AdoptConfig{})
		a.do(`INSERT INTO {photos} (code, bucket, title, uid) SELECT 'copy', 12, title, uid FROM {photos} WHERE code = 'b'`)
		before := a.state()
		r, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{})
		if !errors.Is(err, graph.ErrInvalid) || r.Findings != 1 || !strings.Contains(err.Error(), `row "copy": column uid: row "b" has the same UID`) || a.state() != before {
			t.Errorf("%+v, %v", r, err)
		}
		a.do(`DELETE FROM {photos} WHERE code = 'b'`)
		a.adopt(AdoptConfig{})
		a.check("the copy is the row")
	})
}

// TestAdoptWrongTable: a declaration names other columns, or the table of another kind. No object is
// deleted or marked, and the objects keep their UIDs.
func TestAdoptWrongTable(t *testing.T) {
	for _, tc := range []struct {
		edit   func(x *AdoptedTable)
		want   string // in the error
		reason string
	}{
		{func(x *AdoptedTable) { x.UID = "other" }, `is taken by the object`, "the column is empty"},
		{func(x *AdoptedTable) { x.UID, x.Key = "other", "slug" }, `is taken by the object`, "no record has the keys either"},
		{func(x *AdoptedTable) { x.Key = "slug" }, ``, "the UIDs are there"},
		{func(x *AdoptedTable) { x.Table, x.Key, x.Name = "photos", "code", "title" }, `is no object of the kind`, "the UIDs are those of photos"},
		{func(x *AdoptedTable) { x.Table, x.Key, x.UID = "photos", "code", "title" }, `is no object of the kind`, "the titles are no UIDs"},
	} {
		onEach(t, func(t *testing.T, d *database) {
			a := d.mustHandle(t, nil).withOld(t)
			a.fill()
			a.do(`ALTER TABLE {teams} ADD other text`)
			a.do(`ALTER TABLE {teams} ADD slug text`)
			a.do(`ALTER TABLE {photos} ADD slug text`)
			a.do(`UPDATE {teams} SET slug = 'slug ' || title`)
			a.do(`CREATE UNIQUE INDEX ` + onSQLite(d.conf.Dialect, a.in) + `"slugs" ON {teams} (slug)`)
			a.adopt(AdoptConfig{})
			before := a.state()
			x := a.tables()[2]
			x.Name = "slug"
			if tc.edit(&x); x.Table == "teams" {
				x.Name = "title"
			}
			if _, err := a.Adopt(t.Context(), []AdoptedTable{x}, AdoptConfig{}); (tc.want != "") != errors.Is(err, graph.ErrInvalid) || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q: %s", err, tc.want, tc.reason)
			}
			if after := a.state(); after != before {
				t.Errorf("%s:\n%s\nwas\n%s", tc.reason, after, before)
			}
			a.adopt(AdoptConfig{})
			if after := a.state(); after != before {
				t.Errorf("%s: after the right declaration:\n%s\nwas\n%s", tc.reason, after, before)
			}
		})
	}
}

// TestAdoptTableAnew: a table of Postgres was made anew with the same name. It is another table, and
// no object is deleted because its rows are missing there.
func TestAdoptTableAnew(t *testing.T) {
	a := newPostgresDatabase(t).mustHandle(t, nil).withOld(t)
	a.fill()
	a.adopt(AdoptConfig{})
	before := a.actual()
	a.do(`ALTER TABLE {photos} RENAME TO loose`)
	a.do(`CREATE TABLE {photos} (LIKE ` + a.in + `"loose" INCLUDING ALL)`)
	if r := a.adopt(AdoptConfig{}); r.Deleted != 0 || !slices.Equal(a.actual(), before) {
		t.Errorf("%+v", r)
	}
	a.do(`INSERT INTO {photos} SELECT * FROM ` + a.in + `"loose" WHERE code <> 'b'`)
	a.do(`UPDATE {photos} SET bucket = 11`)
	if r := a.adopt(AdoptConfig{}); r.Deleted != 0 || r.Changed != 3 {
		t.Errorf("the rows are back, but one: %+v", r)
	}
}

// TestAdoptLocks: old code moves a row in a transaction that is open. Adopt waits for its end, so no
// state of the object has the former owner.
func TestAdoptLocks(t *testing.T) {
	a := newPostgresDatabase(t).mustHandle(t, nil).withOld(t)
	a.fill()
	tx, err := a.db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), a.text(`UPDATE {photos} SET bucket = 12 WHERE code = 'b'`))
	}
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{})
		done <- err
	}()
	for waits := false; !waits; {
		err := a.db.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"photos" r%')`).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tx.Commit(), <-done); err != nil {
		t.Fatal(err)
	}
	a.check("after the move")
	for _, e := range a.past(t) {
		for _, r := range e.Object.Owners {
			if e.Object.Name == "pb" && r.Name == "b10" {
				t.Errorf("a state of the object has the former owner: %v", e.Object)
			}
		}
	}
}

// TestAdoptLockTimeout: a transaction keeps a row locked. Adopt gives up with an error that has a
// RetryAfter, and the next run goes on.
func TestAdoptLockTimeout(t *testing.T) {
	a := newPostgresDatabase(t).mustHandle(t, nil).withOld(t)
	a.fill()
	tx, err := a.db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), a.text(`UPDATE {photos} SET bucket = 12 WHERE code = 'b'`))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Adopt(t.Context(), a.tables(), AdoptConfig{}); !isNotDone(err) || !strings.Contains(err.Error(), "is open for longer") {
		t.Errorf("a locked row: %v", err)
	}
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		t.Fatal(err)
	}
	a.adopt(AdoptConfig{})
	a.check("after the lock")
}

// TestAdoptGoneOwnerLocks: one run gives a row a reference to a bucket, and has not committed. The row
// of the bucket goes meanwhile, and another run deletes its object. It takes the new reference away
// first, so that at no moment the object of the row has only an owner that is gone.
func TestAdoptGoneOwnerLocks(t *testing.T) {
	d := newPostgresDatabase(t)
	a := d.mustHandle(t, nil).withOld(t)
	a.fill()
	a.do(`UPDATE {photos} SET bucket = 12`)
	table, list := a.loose()
	a.do(`INSERT INTO ` + table + ` (id, bucket) VALUES (1, 12)`)
	if _, err := a.Adopt(t.Context(), list, AdoptConfig{}); err != nil {
		t.Fatal(err)
	}
	uid := a.one(`SELECT uid FROM ` + table)
	a.do(`CREATE FUNCTION ` + a.in + `waits() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END'`)
	defer a.do(`DROP FUNCTION ` + a.in + `waits() CASCADE`)
	a.do(a.conf.names().Replace(`CREATE CONSTRAINT TRIGGER waits AFTER UPDATE ON {objects} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.uid = '`+uid+`') EXECUTE FUNCTION `) + a.in + `waits()`)
	gate, err := a.db.Conn(t.Context())
	if err == nil {
		_, err = gate.ExecContext(t.Context(), `SELECT pg_advisory_lock(4711)`)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	waiting := func(n string) {
		for is := ""; is < n; {
			is = a.one(`SELECT count(*) FROM pg_locks WHERE NOT granted`)
		}
	}
	other, begun := d.mustHandle(t, nil), false
	done := make(chan error, 2)
	_, err = a.Adopt(t.Context(), list, AdoptConfig{OnProgress: func(p AdoptProgress) {
		if p.Kind != "note" || begun {
			return
		}
		begun = true // this run has read all rows
		a.do(`UPDATE ` + table + ` SET bucket = 10`)
		go func() {
			_, err := other.Adopt(t.Context(), list, AdoptConfig{})
			done <- err
		}()
		waiting("1") // with its commit
		a.do(`DELETE FROM {buckets} WHERE no = 10`)
		go func() {
			waiting("2") // this run, for the other one
			_, err := gate.ExecContext(t.Context(), `SELECT pg_advisory_unlock(4711)`)
			done <- err
		}()
	}})
	for _, err := range []error{err, <-done, <-done} {
		if err != nil && !errors.Is(err, graph.ErrInvalid) { // the row names no bucket now
			t.Error(err)
		}
	}
	refs, gone := 0, false
	for _, e := range a.past(t) {
		switch {
		case string(e.Object.UID) == uid:
			refs = len(e.Object.Owners)
		case e.Key.Name == "b10":
			if gone = true; refs > 0 {
				t.Error("the bucket is gone, and a row that remains has a reference to it")
			}
		}
	}
	if !gone {
		t.Error("the bucket is not gone")
	}
}

// TestAdoptOwnerOrphans: new code deletes a bucket and orphans its dependents. The row of the other owner
// of a dependent goes meanwhile. The object of the dependent loses the reference to that one before it
// is deleted, so it stays.
func TestAdoptOwnerOrphans(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.fill()
		a.do(`UPDATE {photos} SET bucket = 12`)
		table, list := a.loose()
		a.do(`INSERT INTO ` + table + ` (id, bucket, second) VALUES (1, 10, 11)`)
		if _, err := a.Adopt(t.Context(), list, AdoptConfig{}); err != nil {
			t.Fatal(err)
		}
		bucket := a.objects(t.Context(), t)[graph.UID(a.one(`SELECT uid FROM {buckets} WHERE no = 11`))]
		if err := a.Delete(t.Context(), bucket.Key, graph.DeleteOptions{Propagation: graph.Orphan}); err != nil {
			t.Fatal(err)
		}
		a.do(`DELETE FROM {buckets} WHERE no = 10`)
		if r, err := a.Adopt(t.Context(), list, AdoptConfig{}); !errors.Is(err, graph.ErrInvalid) || r.Findings != 1 || r.Deleted != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		c := a.collect(t, guardTeams())
		c.idle()
		c.stop()
		if o, is := a.objects(t.Context(), t)[graph.UID(a.one(`SELECT uid FROM `+table))]; !is || len(o.Owners) > 0 {
			t.Errorf("the dependent is there: %v, with the owners %v", is, o.Owners)
		}
	})
}

// TestAdoptPart: a call declares the table of the owners, and not that of their dependents, or not as
// dependents. The row of an owner has gone, and a dependent no longer names it. The object of the owner
// stays until a call declares both, because the engine would delete that of the dependent.
func TestAdoptPart(t *testing.T) {
	for _, tc := range []struct {
		part   func(list []AdoptedTable) []AdoptedTable
		reason string
	}{
		{func(list []AdoptedTable) []AdoptedTable { return list[2:] }, "the table of the dependents is missing"},
		{func(list []AdoptedTable) []AdoptedTable { list[1].Owners = nil; return list[1:] }, "their declaration lacks the owner"},
	} {
		onEach(t, func(t *testing.T, d *database) {
			a := d.mustHandle(t, nil).withOld(t)
			a.fill()
			tables := func() []AdoptedTable {
				list := a.tables()
				list[2].Finalizers = nil
				return list
			}
			if _, err := a.Adopt(t.Context(), tables(), AdoptConfig{}); err != nil {
				t.Fatal(err)
			}
			a.do(`UPDATE {buckets} SET "team id" = NULL WHERE no = 10`)
			a.do(`DELETE FROM {teams} WHERE id = 1`)
			r, err := a.Adopt(t.Context(), tc.part(tables()), AdoptConfig{})
			if !errors.Is(err, graph.ErrInvalid) || r.Findings != 1 || r.Deleted != 0 || !strings.Contains(err.Error(), `row "1", which has gone: its object stays`) {
				t.Errorf("%s: %+v, %v", tc.reason, r, err)
			}
			if r, err := a.Adopt(t.Context(), tables(), AdoptConfig{}); err != nil || r.Deleted != 1 {
				t.Errorf("%s: with all declarations: %+v, %v", tc.reason, r, err)
			}
			a.check(tc.reason)
		})
	}
}

// TestAdoptSeveralOwners: the column of an owner is a number, and two keys of text are equal to it. That
// is a finding, and the object has no owner. The run ends, and the next one writes nothing.
func TestAdoptSeveralOwners(t *testing.T) {
	a := newSQLiteDatabase(t).mustHandle(t, nil).withOld(t)
	a.do(`CREATE TABLE places (code text PRIMARY KEY, uid text)`)
	a.do(`INSERT INTO places (code) VALUES ('1'), ('01'), ('2')`)
	a.do(`CREATE TABLE things (id integer PRIMARY KEY, place integer, uid text)`)
	a.do(`INSERT INTO things (id, place) VALUES (1, 1), (2, 2), (3, 1), (4, NULL)`)
	list := []AdoptedTable{{Kind: "team", Table: "places", Key: "code", UID: "uid", Name: "code"},
		{Kind: "bucket", Table: "things", Key: "id", UID: "uid", Name: "id", Scope: "('s')", Owners: []AdoptedOwner{{Kind: "team", Key: "place"}}}}
	before := ""
	for run, batch := range []int{1, 2, 0} {
		r, err := a.Adopt(t.Context(), list, AdoptConfig{Batch: batch})
		if !errors.Is(err, graph.ErrInvalid) || r.Findings != 2 || r.Rows != 7 || !r.Complete || !strings.Contains(err.Error(), `row "1": column place: several rows`) {
			t.Errorf("run %d: %+v, %v", run, r, err)
		}
		if run > 0 && a.state() != before {
			t.Errorf("run %d has written", run)
		}
		before = a.state()
		for _, o := range a.objects(t.Context(), t) {
			if want := o.Name == "2" && o.Kind == "bucket"; want != (len(o.Owners) > 0) {
				t.Errorf("%s has the owners %v", o.Key, o.Owners)
			}
		}
	}
}
