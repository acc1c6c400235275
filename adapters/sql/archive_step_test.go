package sqlstore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// TestArchiveShutsOut: a program without an archive works before the step. After it no call of that program reads or
// writes, also one that knows the kinds. A program with an archive works from the step on.
func TestArchiveShutsOut(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		before := d.mustHandle(t, acting)
		o := before.mustCreate(t, object("team", "", "a"))
		marked := object("team", "", "marked")
		marked.Finalizers = []string{"x/y"}
		marked = before.mustCreate(t, marked)
		before.removes(t, marked, graph.DeleteOptions{})
		after := d.mustHandle(t, archiving)
		if v := after.schema(t); v != archiveSchema {
			t.Fatalf("the tables have version %d", v)
		}
		for name, call := range before.callsOf(o) {
			if err := call(t.Context()); !errors.Is(err, errNewer) || !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "without Config.Archive") {
				t.Errorf("%s of a program without an archive: %v", name, err)
			}
		}
		if err := after.formerChange(t); answerOf(err) != answerRefused {
			t.Errorf("a change of a program from before the check of the version: %v", err)
		}
		if _, err := d.handleOn(t, acting); !errors.Is(err, errNewer) {
			t.Errorf("Migrate without an archive: %v", err)
		}
		after.removes(t, marked, graph.DeleteOptions{Cause: engineCause})
		after.mustPatch(t, marked, graph.Change{DropFinalizer: "x/y"})
		if e := after.entry(t, marked.UID); !e.Explicit || e.Cause != *engineCause {
			t.Errorf("the entry of an object that was marked before the step: %+v", e)
		}
	})
}

// TestArchiveBeforeStep: a store with an archive refuses to write tables without one. Its removals would fail.
func TestArchiveBeforeStep(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		o := d.mustHandle(t, acting).mustCreate(t, object("team", "", "a"))
		archiving(&d.conf)
		h := d.withoutMigrate(t)
		if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "call Migrate") {
			t.Errorf("a deletion before the step: %v", err)
		}
	})
}

// TestArchiveSettings: a wrong setting is an error that names its field.
func TestArchiveSettings(t *testing.T) {
	for _, c := range []struct {
		conf         Config
		want, reason string
	}{
		{Config{Archive: &ArchiveConfig{}}, "Archive: its step is after that of Policies", "without policies"},
		{Config{Policies: true, Archive: &ArchiveConfig{Config: archive.Config{Keep: -1}}}, "Archive: archive: Keep", "a negative time"},
		{Config{Policies: true, Archive: &ArchiveConfig{Tables: map[graph.Kind]Table{"photo": {}}}}, `Archive: Tables["photo"]`, "a table without a name"},
	} {
		d := newSQLiteDatabase(t)
		c.conf.Dialect = SQLite
		d.conf = c.conf
		if _, err := d.handleOn(t, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
}

// TestArchiveTables: Migrate refuses a table whose column is no unique text. A table that is not there yet is not
// checked.
func TestArchiveTables(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`)
		for column, want := range map[string]string{"n": "no unique key", "none": "no column"} {
			_, err := d.handleOn(t, func(c *Config) {
				archiving(c)
				c.Archive.Tables = map[graph.Kind]Table{"photo": {Schema: h.conf.Archive.Tables["photo"].Schema, Name: "photos", UID: column}, "bucket": {Name: "later"}}
			})
			if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), `Tables["photo"]`) || !strings.Contains(err.Error(), want) {
				t.Errorf("column %s: %v, want %s", column, err, want)
			}
		}
	})
}

// TestNoArchive: without an archive the calls are refused, or return nothing.
func TestNoArchive(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	ctx, key := t.Context(), graph.Key{Kind: "team", Name: "a", UID: "u"}
	_, restored := h.RestoreEntries(ctx, []archive.Item{{UID: "u"}})
	_, purged := h.PurgeEntries(ctx, nil)
	for name, err := range map[string]error{"restore": restored, "purge": purged, "hold": h.HoldEntry(ctx, key, archive.Hold{By: "x"}), "end hold": h.EndHold(ctx, key, "x")} {
		if !errors.Is(err, graph.ErrRefused) {
			t.Errorf("%s: %v, want ErrRefused", name, err)
		}
	}
	page, err := h.Entries(ctx, archive.Query{})
	x, err2 := h.Extent(ctx)
	if h.HasArchive() || len(page.Entries) != 0 || x != (archive.Extent{}) || errors.Join(err, err2) != nil {
		t.Errorf("%v, %v, %v", page, x, errors.Join(err, err2))
	}
}

// TestArchiveTablesAgree: Migrate refuses a program whose archive lacks the table of another one. A further table
// is noted.
func TestArchiveTablesAgree(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n text`)
		photos := h.conf.Archive.Tables["photo"]
		other := photos
		other.Name = "other"
		for _, c := range []struct {
			tables  map[graph.Kind]Table
			refused bool
			reason  string
		}{
			{map[graph.Kind]Table{"photo": photos}, false, "the same table"},
			{nil, true, "no table"},
			{map[graph.Kind]Table{"photo": other}, true, "another table"},
			{map[graph.Kind]Table{"photo": photos, "bucket": other}, false, "a further table"},
			{map[graph.Kind]Table{"photo": photos}, true, "the further table is missing"},
		} {
			_, err := d.handleOn(t, func(conf *Config) { archiving(conf); conf.Archive.Tables = c.tables })
			if (err != nil) != c.refused || c.refused && (!errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "payloads")) {
				t.Errorf("%s: %v", c.reason, err)
			}
		}
	})
}

// TestArchiveHiddenRows: Migrate refuses a role that may not see all rows, and a setting that rounds real numbers.
func TestArchiveHiddenRows(t *testing.T) {
	h := newPostgresDatabase(t).withRows(t, `n text`)
	h.run(t, h.db, `ALTER TABLE `+h.photos()+` ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`)
	role := h.roleWithoutDDL(t)
	c, err := h.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = c.ExecContext(context.Background(), `RESET ALL`); _ = c.Close() }()
	pg := h.tables.(*postgresTables)
	for _, x := range []struct{ text, want string }{
		{`SET extra_float_digits = 1`, ""}, {`SET extra_float_digits = 0`, "extra_float_digits is 0"},
		{`SET DateStyle = 'SQL, DMY'`, "DateStyle is SQL, DMY"}, {`RESET DateStyle`, "extra_float_digits is 0"},
		{`SET IntervalStyle = sql_standard`, "IntervalStyle sql_standard"}, {`RESET IntervalStyle`, "extra_float_digits is 0"},
		{`SET ROLE ` + quoteName(role), "row-level security"}, {`RESET ROLE`, "extra_float_digits is 0"},
	} {
		text, want := x.text, x.want
		if _, err := c.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		err := pg.checkExact(t.Context(), &conn{s: h.Store, only: c}, h.conf.Archive.Tables["photo"])
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
