package sqlstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// forgery edits the row of one entry by hand. Its error has want.
type forgery struct{ reason, text, want string }

// flip changes a byte of the body.
func flip(d Dialect, at int, by string) string {
	if d == Postgres {
		return fmt.Sprintf(`body = overlay(body placing '\x%s'::bytea from %d for 1)`, by, at+1)
	}
	return fmt.Sprintf(`body = CAST(substr(body, 1, %d) || x'%s' || substr(body, %d) AS BLOB)`, at, by, at+2)
}

func forgeries(d Dialect) []forgery {
	blob := map[Dialect]string{SQLite: `x'%s'`, Postgres: `'\x%s'::bytea`}[d]
	cut := map[Dialect]string{SQLite: `CAST(substr(body, 1, length(body) - 3) AS BLOB)`, Postgres: `substring(body from 1 for length(body) - 3)`}[d]
	list := []forgery{
		{"a body that is cut", `body = ` + cut, "body"},
		{"a body without a byte", `body = ` + fmt.Sprintf(blob, ""), "body"},
		{"a body of a later version", flip(d, 0, "04"), "body"},
		{"a body with more owners than bytes", flip(d, 5, "ff"), "body"},
		{"a cause that is cut", `cause = ` + fmt.Sprintf(blob, "0577"), "cause"},
		{"finalizers without an end", `finalizers = '"x/y'`, "finalizers"},
		{"a kind that does not exist", `kind = 4711`, "4711"},
		{"labels that are no JSON", `labels = '{"color": '`, "labels"},
		{"labels of another type", `labels = '{"color": 1}'`, "labels"},
		{"labels that no object may have", `labels = '{"not a label": "x"}'`, "labels"},
		{"a shape that is no JSON", `shape = '{"n": '`, "shape"},
		{"a shape of another type", `shape = '[1]'`, "shape"},
		{"a shape with another column", `shape = '{"z": "text"}'`, "column z"},
	}
	if d == SQLite {
		list = append(list, forgery{"a negative size", `size = -1`, "size"}, forgery{"a time that is a text", `at = 'never'`, "never"},
			forgery{"a kind that is a text", `kind = 'photo'`, "photo"}, forgery{"a position that is a blob", `pos = x'00ff'`, "Scan"})
	}
	return list
}

// hugeLabels are more labels than an object may have.
func hugeLabels() string {
	var list []string
	for i := range maxLabels + 1 {
		list = append(list, fmt.Sprintf(`"l%d": "x"`, i))
	}
	return `labels = '{` + strings.Join(list, ", ") + `}'`
}

// forged edits the entry of an object.
func (h *handle) forged(t *testing.T, uid graph.UID, text string) {
	t.Helper()
	h.run(t, h.db, h.conf.names().Replace(`UPDATE {archive} SET `+text+` WHERE uid = `+quoteText(string(uid))))
}

// TestArchiveForged: an entry that was edited by hand is listed, and named with the reason. It hides no other entry. No call
// restores it, as a root, as a member or by its UID. It can be purged.
func TestArchiveForged(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		collector := h.collect(t, ownergraph.Config{Policies: true})
		for i, f := range append(forgeries(h.conf.Dialect), forgery{"more labels than an object may have", hugeLabels(), "more than"}) {
			root := h.mustCreate(t, object("bucket", "one", fmt.Sprint("root", i)))
			bad := h.withRow(t, fmt.Sprint("bad", i), refTo(root), fmt.Sprint(i))
			good := h.withRow(t, fmt.Sprint("good", i), refTo(root), fmt.Sprint(i))
			h.removes(t, root, graph.DeleteOptions{})
			eventually(t, "the cascade ends", func() bool { return h.rowsIn(t, `{objects}`) == 2*i })
			h.forged(t, bad.UID, f.text)
			if e := h.entry(t, bad.UID); !strings.Contains(e.Unreadable, f.want) || len(e.Object.Owners) == 0 {
				t.Errorf("%s: %+v, want unreadable because of %s", f.reason, e, f.want)
			}
			if n := len(h.entries(t, archive.Query{})); n != 2*i+3 {
				t.Errorf("%s: %d entries are listed", f.reason, n)
			}
			if _, err := h.RestoreEntries(t.Context(), []archive.Item{item(bad)}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), f.want) || !strings.Contains(err.Error(), string(bad.UID)) {
				t.Errorf("%s: a restore by the UID: %v, want one with %s", f.reason, err, f.want)
			}
			if _, err := restore.Run(t.Context(), collector.Collector, archive.Request{Roots: []graph.UID{bad.UID}}, nil); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), f.want) {
				t.Errorf("%s: a restore as a root: %v, want one with %s", f.reason, err, f.want)
			}
			out, err := restore.Run(t.Context(), collector.Collector, archive.Request{Roots: []graph.UID{root.UID}}, nil)
			if err != nil || out.Created != 2 || len(out.Left) != 1 || out.Left[0].Entry.Object.UID != bad.UID || out.Left[0].Why != archive.PayloadUnreadable {
				t.Errorf("%s: a restore of its owner: %+v, %v, want the neighbour, and the entry left away", f.reason, out, err)
			}
			if got := h.rowOf(t, out.Restored[good.UID].UID, "n"); !strings.Contains(got, fmt.Sprint(i)) {
				t.Errorf("%s: the neighbour has the row %s", f.reason, got)
			}
			h.mustPurge(t, 1, bad.UID)
		}
	})
}

// TestArchiveForgedPayload: a payload that is no row of its table refuses the call with the name of its entry, also beside many
// others. Nothing comes back.
func TestArchiveForgedPayload(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer, x text`)
		for i, f := range []forgery{
			{"no JSON", `payload = '{"n": '`, "payload"},
			{"nothing", `payload = NULL`, "payload"},
			{"a null", `payload = 'null'`, "payload"},
			{"a list", `payload = '[1]'`, "payload"},
			{"a column more", `payload = replace(payload, '"x":', '"z": 1, "x":')`, "columns"},
			{"a column less", `payload = replace(payload, '"x":', '"z":')`, "columns"},
			{"no column at all", `payload = '{}'`, "columns"},
			{"a value of another type", `payload = replace(payload, '"n":77', '"n":"text", "n": {"real": "much"}')`, "photos"},
		} {
			var items []archive.Item
			for n := range 5 {
				o := h.withRow(t, fmt.Sprintf("p%d-%d", i, n), nil, fmt.Sprint(70+n+n/3, `, 'x'`))
				h.removes(t, o, graph.DeleteOptions{})
				items = append(items, item(o))
			}
			bad := fmt.Sprintf("p%d-%d", i, 4)
			h.run(t, h.db, h.conf.names().Replace(`UPDATE {archive} SET `+strings.ReplaceAll(f.text, "77", "75")+` WHERE name = `+quoteText(bad)))
			if _, err := h.RestoreEntries(t.Context(), items); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), f.want) {
				t.Errorf("%s: %v, want one with %s and %s", f.reason, err, bad, f.want)
			}
			if n := h.rowsIn(t, `{objects}`) + h.rowsIn(t, h.photos()); n != 0 {
				t.Errorf("%s: %d objects and rows are back", f.reason, n)
			}
		}
	})
}

// TestArchiveOfOtherDatabase: an entry with the UID of a living object is unreadable. The object's own end replaces it.
func TestArchiveOfOtherDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		lives, gone := h.mustCreate(t, object("bucket", "one", "lives")), h.mustCreate(t, object("bucket", "one", "gone"))
		h.removes(t, gone, graph.DeleteOptions{})
		h.forged(t, gone.UID, `uid = `+quoteText(string(lives.UID))+`, name = 'other'`)
		if e := h.entry(t, lives.UID); !strings.Contains(e.Unreadable, "lives") {
			t.Errorf("the entry: %+v", e)
		}
		if _, err := h.RestoreEntries(t.Context(), []archive.Item{{UID: lives.UID, Scope: "one", Name: "other"}}); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), string(lives.UID)) {
			t.Errorf("a restore of it: %v", err)
		}
		h.removes(t, lives, graph.DeleteOptions{})
		if e := h.entry(t, lives.UID); e.Unreadable != "" || e.Object.Name != "lives" {
			t.Errorf("the entry of the object's own end: %+v", e)
		}
		h.mustRestore(t, item(lives))
	})
}

// TestArchiveForgedOwners: references of an entry to itself, and rings of notes, end each call.
func TestArchiveForgedOwners(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, archiving)
		collector := h.collect(t, ownergraph.Config{Policies: true})
		a, b := h.mustCreate(t, object("bucket", "one", "a")), h.mustCreate(t, object("bucket", "one", "b"))
		for _, o := range []graph.Object{a, b} {
			h.removes(t, o, graph.DeleteOptions{})
		}
		h.run(t, h.db, h.conf.names().Replace(fmt.Sprintf(`INSERT INTO {archive_owners} (owner, uid, leads) VALUES ('%s', '%[1]s', true), ('%[1]s', '%s', true), ('%[2]s', '%[1]s', true)`, a.UID, b.UID)))
		h.forged(t, a.UID, `restored = `+quoteText(string(b.UID)))
		h.forged(t, b.UID, `restored = `+quoteText(string(a.UID)))
		if _, err := restore.Run(t.Context(), collector.Collector, archive.Request{Roots: []graph.UID{a.UID}}, nil); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("a ring of notes: %v", err)
		}
		h.forged(t, b.UID, `restored = ''`)
		h.forged(t, a.UID, `restored = uid`)
		if _, err := restore.Run(t.Context(), collector.Collector, archive.Request{Roots: []graph.UID{a.UID}}, nil); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("a note of the entry itself: %v", err)
		}
		h.mustPurge(t, 0)
		other := h.mustCreate(t, object("team", "", "other"))
		h.forged(t, a.UID, `restored = `+quoteText(string(other.UID)))
		if _, err := restore.Run(t.Context(), collector.Collector, archive.Request{Roots: []graph.UID{a.UID}}, nil); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "other") {
			t.Errorf("the note names an object of another kind: %v", err)
		}
	})
}
