package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// withRows opens a store whose archive has the rows of a table photos. Their column owner has the UID of the owner.
func (d *database) withRows(t *testing.T, columns string, edit ...func(*Config)) *handle {
	t.Helper()
	h := d.mustHandle(t, func(c *Config) {
		archiving(c)
		c.Archive.Tables = map[graph.Kind]Table{"photo": {Schema: map[Dialect]string{Postgres: c.Schema}[c.Dialect], Name: "photos", Owners: []OwnerColumn{{Column: "owner"}}}}
		for _, e := range edit {
			e(c)
		}
	})
	h.run(t, h.db, h.conf.names().Replace(`CREATE TABLE `+h.photos()+` (uid text PRIMARY KEY REFERENCES {objects} (uid) ON DELETE CASCADE, owner text, `+columns+`)`))
	if err := h.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

// photos is the name of the table.
func (h *handle) photos() string { return h.conf.Archive.Tables["photo"].place(h.conf, "photos") }

// withRow creates an object with a row. Values are the SQL of the further columns.
func (h *handle) withRow(t *testing.T, name string, owners []graph.Owner, values string) graph.Object {
	t.Helper()
	o := object("photo", "one", name)
	o.Owners = owners
	o = h.mustCreate(t, o)
	owner := "NULL"
	if len(owners) > 0 {
		owner = quoteText(string(owners[0].UID))
	}
	h.run(t, h.db, fmt.Sprintf(`INSERT INTO %s VALUES (%s, %s, %s)`, h.photos(), quoteText(string(o.UID)), owner, values))
	return o
}

// rowOf returns a row as one text, in which equal texts are equal values.
func (h *handle) rowOf(t *testing.T, uid graph.UID, columns ...string) (text string) {
	t.Helper()
	var parts []string
	for _, c := range columns {
		if h.conf.Dialect == Postgres {
			parts = append(parts, `coalesce(`+c+`::text, 'NULL')`)
		} else {
			parts = append(parts, `typeof(`+c+`) || ' ' || quote(`+c+`)`)
		}
	}
	err := h.db.QueryRowContext(t.Context(), `SELECT `+strings.Join(parts, ` || '|' || `)+` FROM `+h.photos()+` WHERE uid = `+quoteText(string(uid))).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return "no row"
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// hostileRows are the columns and the values of a row, by database.
var hostileRows = map[string]struct{ columns, values string }{
	"postgres": {
		`big bigint, n numeric, r double precision, s real, t timestamptz, d date, i interval, b bytea, j jsonb, raw json, l text[], x text, e text, f bytea, y boolean, g integer GENERATED ALWAYS AS (1 + 1) STORED, z bigint GENERATED ALWAYS AS IDENTITY, "odd ""name" uuid`,
		`9223372036854775807, 12345678901234567890.12345678900, 0.1::double precision + 0.2, 'NaN', '2024-02-29 23:59:59.123456+03', 'infinity', '1 mon 2 days 00:00:03.5', '\x00ff27', '{"a": 1.10}', '{"b":  1, "b": 2, "c": "\u0000"}', ARRAY['a,"b', NULL], 'it''s "é" \ <&>', '', '', true, DEFAULT, DEFAULT, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'`,
	},
	"sqlite": {
		`big INTEGER, n NUMERIC, r REAL, s REAL, t TIMESTAMP, d DATE, i, b BLOB, j, raw TEXT, l BLOB, x TEXT, e TEXT, f BLOB, y BOOLEAN, g INTEGER GENERATED ALWAYS AS (1 + 1) STORED, "odd ""name" TEXT`,
		`9223372036854775807, 12345678901234567890.5, 0.1 + 0.2, 9e999, '2024-02-29 23:59:59.123456+03', '2024-02-29', 5.0, x'00ff27', '5', CAST(x'41ff' AS TEXT), CAST(x'410042' AS TEXT), 'it''s "é" \ <&>', '', x'', 1, NULL`,
	},
}

// TestArchiveRows: the row of an object is the payload. It comes back with each value, and with the new UIDs.
func TestArchiveRows(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) { d.keepsHostileRow(t) })
}

func (d *database) keepsHostileRow(t *testing.T, edit ...func(*Config)) {
	t.Helper()
	of := hostileRows[d.conf.Dialect.String()]
	h := d.withRows(t, of.columns, edit...)
	columns := []string{"big", "n", "r", "s", "t", "d", "i", "b", "j", "raw", "l", "x", "e", "f", "y", "g", `"odd ""name"`}
	bucket := h.mustCreate(t, object("bucket", "one", "b"))
	if h.conf.Dialect == Postgres {
		h.rowComesBack(t, bucket, h.withRow(t, "p", refTo(bucket), of.values), columns)
		return
	}
	o := object("photo", "one", "p") // a generated column takes no value
	o.Owners = refTo(bucket)
	o = h.mustCreate(t, o)
	given := strings.Join(slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return c == "g" }), ", ")
	h.run(t, h.db, fmt.Sprintf(`INSERT INTO photos (uid, owner, %s) VALUES ('%s', '%s', %s)`, given, o.UID, bucket.UID, of.values))
	h.rowComesBack(t, bucket, o, columns)
}

func (h *handle) rowComesBack(t *testing.T, bucket, o graph.Object, columns []string) {
	t.Helper()
	was := h.rowOf(t, o.UID, columns...)
	if was == "no row" || strings.Count(was, "|") < len(columns)-1 {
		t.Fatalf("the row is %s", was)
	}
	h.removes(t, bucket, graph.DeleteOptions{})
	for round := range 3 {
		h.removes(t, o, graph.DeleteOptions{Cause: &graph.Cause{Root: bucket.Key}})
		if got := h.rowOf(t, o.UID, columns...); got != "no row" {
			t.Errorf("the row is still there: %s", got)
		}
		e := h.entry(t, o.UID)
		if e.Unreadable != "" || e.Size < 100 {
			t.Errorf("the entry: %+v", e)
		}
		var keys []graph.Key
		if round == 0 {
			keys = h.mustRestore(t, item(bucket), item(o, refTo(bucket)...))
			bucket.Key = keys[0]
			keys = keys[1:]
		} else {
			keys = h.mustRestore(t, item(o, graph.Owner{Key: bucket.Key}))
		}
		o.Key = keys[0]
		if got := h.rowOf(t, o.UID, columns...); got != was {
			t.Errorf("round %d: the row is\n%s\nwant\n%s", round, got, was)
		}
		if got := h.rowOf(t, o.UID, "owner"); !strings.Contains(got, string(bucket.UID)) {
			t.Errorf("round %d: its owner is %s, want %s", round, got, bucket.UID)
		}
	}
}

// TestArchiveRowsWithoutOwner: a column of an owner that does not come back gets NULL.
func TestArchiveRowsWithoutOwner(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		bucket := h.mustCreate(t, object("bucket", "one", "b"))
		o := h.withRow(t, "p", refTo(bucket), `7`)
		h.removes(t, bucket, graph.DeleteOptions{})
		h.batch(t, o, graph.DeleteOptions{}, h.withRow(t, "q", nil, `8`))
		if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, "owner", "n"); !strings.Contains(got, "NULL") || !strings.Contains(got, "7") {
			t.Errorf("the row is %s", got)
		}
		plain := object("photo", "one", "without a row")
		plain = h.mustCreate(t, plain)
		h.removes(t, plain, graph.DeleteOptions{})
		if key := h.mustRestore(t, item(plain))[0]; h.rowOf(t, key.UID, "n") != "no row" {
			t.Error("an object without a row has one now")
		}
	})
}

// TestArchiveChangedColumns: a column that has gone, has another type, or is new and needs a value makes the entry
// unreadable. Its name is in the entry and in the error. Another new column gets its default.
func TestArchiveChangedColumns(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		for i, c := range []struct {
			change []string
			wants  []string
			reason string
		}{
			{[]string{`ADD COLUMN fresh text DEFAULT 'new'`}, nil, "a new column with a default"},
			{[]string{`RENAME COLUMN n TO m`}, []string{"column n (", "has gone"}, "a renamed column"},
			{[]string{`DROP COLUMN x`}, []string{"column x (", "has gone"}, "a dropped column"},
			{[]string{`DROP COLUMN x`, `ADD COLUMN x bigint`}, []string{"column x was text, and is bigint"}, "a column of another type"},
		} {
			h := newDatabases[d.name](t).withRows(t, `n integer, x text`)
			o := h.withRow(t, fmt.Sprint("p", i), nil, `7, 'text'`)
			h.removes(t, o, graph.DeleteOptions{})
			for _, text := range c.change {
				h.run(t, h.db, `ALTER TABLE `+h.photos()+` `+text)
			}
			e := h.entry(t, o.UID)
			_, err := h.RestoreEntries(t.Context(), []archive.Item{item(o)})
			for _, want := range c.wants {
				if !strings.Contains(strings.ToLower(e.Unreadable), want) || !errors.Is(err, graph.ErrRefused) || !strings.Contains(strings.ToLower(err.Error()), want) {
					t.Errorf("%s: %q, %v, want %q", c.reason, e.Unreadable, err, want)
				}
			}
			if c.wants == nil && (e.Unreadable != "" || err != nil) {
				t.Errorf("%s: %q, %v", c.reason, e.Unreadable, err)
			}
			if e = h.entry(t, o.UID); c.wants != nil && e.IsRestored() {
				t.Errorf("%s: the entry is restored", c.reason)
			}
		}
	})
}

// TestMisfit: the text names each column that does not fit, sorted.
func TestMisfit(t *testing.T) {
	now := []payloadColumn{{name: "a", of: "text"}, {name: "b", of: "bigint"}, {name: "c", of: "text", needed: true}, {name: "d", of: "text"}}
	got := misfit(`{"a": "text", "b": "integer", "z": "text"}`, now)
	if want := "column b was integer, and is bigint; column c is new and needs a value; column z (text) has gone"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := misfit(`{`, now); !strings.Contains(got, "not readable") {
		t.Errorf("a shape that is cut: %q", got)
	}
}

// TestArchiveRefuses: an entry that cannot be written keeps its object and the row, by each way.
func TestArchiveRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`, func(c *Config) { c.Archive.MaxBytes = 200 })
		large := h.withRow(t, "large", nil, quoteText(strings.Repeat("x", 300)))
		small := h.withRow(t, "small", nil, quoteText("x"))
		for _, cause := range []*graph.Cause{nil, {Root: small.Key}} { // a user and an engine
			if err := h.Delete(t.Context(), large.Key, graph.DeleteOptions{Cause: cause}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "Archive.MaxBytes (200)") || !strings.Contains(err.Error(), "large") {
				t.Errorf("a payload above the bound, deleted because of %v: %v", cause, err)
			}
		}
		results, err := h.Batch(t.Context(), []graph.Write{deletion(small), deletion(large)})
		if err == nil {
			err = errors.Join(results...)
		}
		if !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "Archive.MaxBytes (200)") {
			t.Errorf("the same in a batch: %v, %v", results, err)
		}
		for _, o := range []graph.Object{large, small} {
			if _, err := h.Get(t.Context(), o.Key); err != nil || h.rowOf(t, o.UID, "n") == "no row" {
				t.Errorf("%s: %v, %s", o.Key, err, h.rowOf(t, o.UID, "n"))
			}
		}
		h.run(t, h.db, h.conf.names().Replace(`DROP TABLE `+h.photos()))
		if err := h.Delete(t.Context(), small.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("a table that is not there: %v, want ErrRefused", err)
		}
		if h.rowsIn(t, `{archive}`) != 0 {
			t.Error("there are entries")
		}
	})
}

// TestArchiveRefusesBeside: a batch whose other writes are done, and a transaction of the user that commits after the error, write
// no entry for an object that stays.
func TestArchiveRefusesBeside(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		for _, edit := range []func(*Config){sealing(), sealing("photo")} {
			h := newDatabases[d.name](t).withRows(t, `n text`, func(c *Config) { c.Archive.MaxBytes = 300 }, edit)
			large, small := h.withRow(t, "large", nil, quoteText(strings.Repeat("x", 400))), h.mustCreate(t, object("team", "", "small"))
			h.mustPatch(t, large, graph.Change{AddFinalizer: "x/y"})
			h.removes(t, large, graph.DeleteOptions{})
			_, _ = h.Batch(t.Context(), []graph.Write{{Type: graph.WritePatch, Key: large.Key, Change: graph.Change{DropFinalizer: "x/y"}}, {Type: graph.WritePatch, Key: small.Key, Change: graph.Change{AddFinalizer: "x/z"}}})
			tx, err := h.db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Tx(tx).Update(t.Context(), graph.Object{Key: large.Key}); !errors.Is(err, graph.ErrRefused) {
				t.Errorf("a payload above the bound: %v", err)
			}
			_ = tx.Commit()
			if _, err := h.Get(t.Context(), large.Key); err != nil || h.rowsIn(t, `{archive}`) != 0 || h.rowsIn(t, `{archive_owners}`) != 0 || h.rowsIn(t, h.photos()) != 1 {
				t.Errorf("the object: %v, and %d entries", err, h.rowsIn(t, `{archive}`))
			}
		}
	})
}

// TestArchiveFullDisk: a disk that is full when the entry is written holds the deletion. Nothing is removed.
func TestArchiveFullDisk(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, archiving)
	h.db.SetMaxOpenConns(1)
	var list []graph.Object
	for i := range 300 {
		list = append(list, h.mustCreate(t, object("team", "", fmt.Sprintf("%0200d", i))))
	}
	var pages int
	if err := h.db.QueryRow(`PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	h.run(t, h.db, fmt.Sprintf(`PRAGMA max_page_count = %d`, pages))
	for i, o := range list {
		err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{})
		if err == nil {
			continue
		}
		var later interface{ RetryAfter() time.Duration }
		if !errors.As(err, &later) || !strings.Contains(err.Error(), "nothing is done") {
			t.Errorf("a full disk: %v, want one with a RetryAfter", err)
		}
		if _, err := h.Get(t.Context(), o.Key); err != nil || len(h.entries(t, archive.Query{UIDs: []graph.UID{o.UID}})) != 0 || h.rowsIn(t, `{archive}`) != i {
			t.Errorf("the object: %v, %d entries, want %d", err, h.rowsIn(t, `{archive}`), i)
		}
		return
	}
	t.Fatal("the disk is not full")
}

// TestArchiveConstraints: a row of the user that refuses a removal leaves no entry. A row that does not fit at a restore
// refuses it, and nothing comes back.
func TestArchiveConstraints(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer UNIQUE`)
		a, b := h.withRow(t, "a", nil, `1`), h.withRow(t, "b", nil, `2`)
		loose := strings.Replace(h.photos(), "photos", "loose", 1)
		h.run(t, h.db, `CREATE TABLE `+loose+` (n integer REFERENCES `+strings.Replace(h.photos(), `"main".`, "", 1)+` (n))`)
		h.run(t, h.db, `INSERT INTO `+loose+` VALUES (1)`)
		results, err := h.Batch(t.Context(), []graph.Write{deletion(a), deletion(b)})
		if err == nil {
			err = errors.Join(results...)
		}
		if !errors.Is(err, graph.ErrRefused) || h.rowsIn(t, `{archive}`) != 0 || h.rowsIn(t, h.photos()) != 2 {
			t.Errorf("a refused batch: %v, %d entries, %d rows", err, h.rowsIn(t, `{archive}`), h.rowsIn(t, h.photos()))
		}
		if err := h.Delete(t.Context(), a.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRefused) || h.rowsIn(t, `{archive}`) != 0 {
			t.Errorf("a refused deletion: %v", err)
		}
		h.run(t, h.db, `DELETE FROM `+loose)
		h.removes(t, a, graph.DeleteOptions{})
		h.withRow(t, "c", nil, `1`)
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(a)}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "table photos") {
			t.Errorf("a restore of a row whose key is taken: %v", err)
		}
		if _, err := h.Get(t.Context(), a.Key); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("the object of a refused restore: %v", err)
		}
		if e := h.entry(t, a.UID); e.IsRestored() {
			t.Errorf("a refused restore has changed the entry: %+v", e)
		}
	})
}

// TestArchiveTriggers: the triggers of InstallTriggers let a restore pass, also with an owner.
func TestArchiveTriggers(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		if err := h.InstallTriggers(t.Context(), h.conf.Archive.Tables["photo"]); err != nil {
			t.Fatal(err)
		}
		bucket := h.mustCreate(t, object("bucket", "one", "b"))
		o := h.withRow(t, "p", refTo(bucket), `7`)
		h.removes(t, bucket, graph.DeleteOptions{})
		h.removes(t, o, graph.DeleteOptions{Cause: &graph.Cause{Root: bucket.Key}})
		keys := h.mustRestore(t, item(bucket), item(o, refTo(bucket)...))
		if got := h.rowOf(t, keys[1].UID, "n", "owner"); !strings.Contains(got, "7") || !strings.Contains(got, string(keys[0].UID)) {
			t.Errorf("the row is %s", got)
		}
	})
}
