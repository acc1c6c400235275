package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	sqlite "modernc.org/sqlite"
)

// TestBatchOfOneUID: deletions of a batch that name one UID at different places have their own results. The entry has the
// words of the one that removes the object, and its row.
func TestBatchOfOneUID(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		for i, change := range []func(*graph.Key){func(k *graph.Key) { k.Name = "elsewhere" }, func(k *graph.Key) { k.Kind = "bucket" }, func(k *graph.Key) { k.Kind = "note" }} {
			o, neighbour := h.withRow(t, fmt.Sprint("p", i), nil, `7`), h.withRow(t, fmt.Sprint("q", i), nil, `8`)
			wrong := deletion(o)
			wrong.Options.Cause = engineCause
			change(&wrong.Key)
			results, err := h.Batch(t.Context(), []graph.Write{wrong, deletion(o), deletion(neighbour)})
			if err != nil {
				t.Fatalf("%s: %v", wrong.Key, err)
			}
			if !errors.Is(results[0], graph.ErrNotFound) || errors.Join(results[1:]...) != nil {
				t.Errorf("%s: %v", wrong.Key, results)
			}
			if e := h.entry(t, o.UID); !e.Explicit || e.Cause != (graph.Cause{}) {
				t.Errorf("%s: the entry has the words of another deletion: %+v", wrong.Key, e)
			}
			if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, "n"); !strings.Contains(got, "7") {
				t.Errorf("%s: the row is %s", wrong.Key, got)
			}
		}
	})
}

// TestArchiveEncoding: a file in UTF-16 takes no rows. Some texts are valid UTF-8 there, byte by byte, and would come back as others.
func TestArchiveEncoding(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "db") + "?_pragma=encoding('UTF-16le')&_pragma=busy_timeout(5000)&_txlock=immediate"
	open := func(f *faults) (*sql.DB, error) { return openFaulty(dsnConnector{&sqlite.Driver{}, dsn}, f), nil }
	d := &database{name: "sqlite", faults: &faults{}, conf: Config{Dialect: SQLite}, open: open, impatient: open}
	d.mustHandle(t, archiving)
	if _, err := d.handleOn(t, archivingRows); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "UTF-16le") {
		t.Errorf("%v, want one with UTF-16le", err)
	}
}

// TestArchiveSeveralRows: several rows with the UID of an object refuse its removal by each way, if the unique key went after Migrate.
func TestArchiveSeveralRows(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		a, b := h.withRow(t, "a", nil, `1`), h.withRow(t, "b", nil, `2`)
		if h.conf.Dialect == Postgres {
			h.run(t, h.db, `ALTER TABLE `+h.photos()+` DROP CONSTRAINT photos_pkey`)
		} else {
			h.run(t, h.db, `ALTER TABLE photos RENAME TO was; CREATE TABLE photos AS SELECT * FROM was; DROP TABLE was`)
		}
		h.run(t, h.db, `INSERT INTO `+h.photos()+` SELECT uid, owner, 5 FROM `+h.photos()+` WHERE n = 1`)
		_, err := h.Batch(t.Context(), []graph.Write{deletion(a), deletion(b)})
		for way, err := range map[string]error{"a batch": err, "a deletion": h.Delete(t.Context(), a.Key, graph.DeleteOptions{})} {
			if !errors.Is(err, graph.ErrRefused) || h.rowsIn(t, `{archive}`) != 0 {
				t.Errorf("%s: %v, want ErrRefused", way, err)
			}
		}
		h.removes(t, b, graph.DeleteOptions{})
	})
}

// TestArchiveRowsInAnyOrder: rows refer to the rows of their owners, and come back in each order of the items.
func TestArchiveRowsInAnyOrder(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		if h.conf.Dialect == Postgres {
			h.run(t, h.db, `ALTER TABLE `+h.photos()+` ADD FOREIGN KEY (owner) REFERENCES `+h.photos()+` (uid)`)
		} else {
			h.run(t, h.db, h.conf.names().Replace(`DROP TABLE photos; CREATE TABLE photos (uid text PRIMARY KEY REFERENCES {objects} (uid) ON DELETE CASCADE, owner text REFERENCES photos (uid), n integer)`))
		}
		a := h.withRow(t, "a", nil, `1`)
		b := h.withRow(t, "b", refTo(a), `2`)
		c := h.withRow(t, "c", refTo(b), `3`)
		h.run(t, h.db, `ALTER TABLE `+h.photos()+` ADD COLUMN m integer`) // rows of two shapes take two statements
		h.run(t, h.db, `UPDATE `+h.photos()+` SET m = 4`)
		h.removes(t, c, graph.DeleteOptions{})
		h.removes(t, b, graph.DeleteOptions{})
		h.run(t, h.db, `ALTER TABLE `+h.photos()+` ADD COLUMN o integer`)
		h.removes(t, a, graph.DeleteOptions{})
		keys := h.mustRestore(t, item(c, refTo(b)...), item(b, refTo(a)...), item(a))
		for i, k := range keys[:2] {
			if got := h.rowOf(t, k.UID, "owner", "n", "m"); !strings.Contains(got, string(keys[i+1].UID)) || !strings.Contains(got, "4") {
				t.Errorf("the row is %s", got)
			}
		}
	})
}

// TestArchiveEntriesAfter: a place that is of no page is refused, whatever the query selects.
func TestArchiveEntriesAfter(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		for _, after := range []string{"\x00", "\xff", "é"} {
			for _, q := range []archive.Query{{}, {UIDs: []graph.UID{"a"}}, {Owners: []graph.UID{"a"}}, {Owners: []graph.UID{"a", "b"}}} {
				q.After = after
				if _, err := h.Entries(t.Context(), q); !errors.Is(err, graph.ErrRefused) || !errors.Is(err, graph.ErrInvalid) {
					t.Errorf("%+v: %v, want ErrRefused and ErrInvalid", q, err)
				}
			}
		}
	})
}

// TestArchiveNestedJSON: json in arrays and in types of the user keeps its bytes.
func TestArchiveNestedJSON(t *testing.T) {
	h := newPostgresDatabase(t).withRows(t, `l json[]`)
	s := `"` + h.conf.Schema + `".`
	h.drops(t, `DROP DOMAIN IF EXISTS `+s+`doc CASCADE; DROP TYPE IF EXISTS `+s+`both CASCADE`)
	h.run(t, h.db, `CREATE DOMAIN `+s+`doc AS json; CREATE TYPE `+s+`both AS (a json, b text)`)
	h.run(t, h.db, `ALTER TABLE `+h.photos()+` ADD COLUMN d `+s+`doc; ALTER TABLE `+h.photos()+` ADD COLUMN c `+s+`both`)
	const text = `'{"b":  1, "b": "<&>"}'`
	o := h.withRow(t, "p", nil, `ARRAY[`+text+`::json], `+text+`, ROW(`+text+`, '<')`)
	was := h.rowOf(t, o.UID, "l", "d", "c")
	h.removes(t, o, graph.DeleteOptions{})
	if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, "l", "d", "c"); got != was {
		t.Errorf("the row is\n%s\nwant\n%s", got, was)
	}
}

// TestArchiveColumnNames: no name of a column is taken for another thing in a statement, also if its kind is sealed.
func TestArchiveColumnNames(t *testing.T) {
	names := []string{"u", "o", "p", "r", "v", "x", "key", "value", "payload", "shape", `"N"`, `"a'b"`, `"$1"`, `"?1"`, `"<&>"`}
	onEach(t, func(t *testing.T, d *database) {
		for _, edit := range []func(*Config){func(*Config) {}, sealing("photo")} {
			h := d.withRows(t, strings.Join(names, " text, ")+` text`, edit)
			o := h.withRow(t, "p", nil, `'`+strings.Join(make([]string, len(names)), `x', '`)+`y'`)
			was := h.rowOf(t, o.UID, names...)
			h.removes(t, o, graph.DeleteOptions{})
			if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, names...); got != was {
				t.Errorf("the row is\n%s\nwant\n%s", got, was)
			}
			h.run(t, h.db, `DROP TABLE `+h.photos()+`; DELETE FROM `+h.conf.names().Replace(`{payloads}`)+`; DELETE FROM `+h.conf.names().Replace(`{objects}`))
		}
	})
}

// TestArchiveGeneratedColumn: a generated column that is never NULL needs no value.
func TestArchiveGeneratedColumn(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer, g integer NOT NULL GENERATED ALWAYS AS (n + 1) STORED`)
		o := h.mustCreate(t, object("photo", "one", "p"))
		h.run(t, h.db, `INSERT INTO `+h.photos()+` (uid, n) VALUES (`+quoteText(string(o.UID))+`, 7)`)
		h.removes(t, o, graph.DeleteOptions{})
		if e := h.entry(t, o.UID); e.Unreadable != "" {
			t.Error(e.Unreadable)
		}
		if got := h.rowOf(t, h.mustRestore(t, item(o))[0].UID, "n", "g"); !strings.Contains(got, "8") {
			t.Errorf("the row is %s", got)
		}
	})
}
