package sqlstore

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// formerStamp is the condition in each statement of a program of version 2 that writes, as that
// version has it. It is a text of its own, so that it stays when a later version changes stampText.
var formerStamp = map[Dialect]string{
	SQLite: `CASE WHEN m.version < 1 THEN -2 WHEN m.version > 2 THEN -m.version ELSE m.kinds END >= 0`,
	Postgres: `CASE WHEN pg_is_in_recovery() THEN -1 WHEN m.version < 1 THEN -2 WHEN m.version > 2 THEN -m.version
		ELSE m.kinds # (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint END >= 0`,
}

// formerWrite writes a record as a program of version 2 does.
func (h *handle) formerWrite(t *testing.T, name string) {
	t.Helper()
	text := h.recordText(`INSERT INTO {records} (name, version, value) SELECT $1, $2, {value} FROM {meta} m WHERE m.id = 1 AND ` +
		formerStamp[h.conf.Dialect] + ` ON CONFLICT (name) DO NOTHING`)
	r, err := h.db.ExecContext(t.Context(), text, name, "v", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.RowsAffected(); err != nil || n != 1 {
		t.Errorf("a statement of version 2 writes %d rows, %v", n, err)
	}
}

// TestGroupBesideFormer: a rolling update. A program of version 2 that knows no groups runs beside a
// new one that has a group. It goes on: its statements write, its watch reports, its Migrate finds
// current tables. The tables that it knows are as they were.
func TestGroupBesideFormer(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		former, next := d.mustHandle(t, nil), d.mustHandle(t, nil)
		o := former.mustCreate(t, object("team", "", "a"))
		w := former.watch(t)
		w.until(t, "the watch has listed", listed)
		former.formerWrite(t, "before")
		before := catalogOf(t, former)

		g := next.mustGroup(t, "g")
		g.joins(t, memberOf("x"), "x")
		after := slices.DeleteFunc(catalogOf(t, former), func(line string) bool { return strings.Contains(line, "members") })
		if !slices.Equal(after, before) || former.schema(t) != 2 {
			t.Errorf("the tables of the former program are now\n%s\nversion %d, and were\n%s", strings.Join(after, "\n"), former.schema(t), strings.Join(before, "\n"))
		}

		former.formerWrite(t, "after")
		if err := former.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
		calls := former.callsOf(o)
		for _, name := range []string{"Get", "Create", "Update", "Patch", "Label", "Tx.Create", "Tx.CreateAll", "AddKind", "WriteRecord", "Fence", "List", "Select", "Compact", "Tx.Delete"} {
			if err := calls[name](t.Context()); err != nil {
				t.Errorf("%s of the former program: %v", name, err)
			}
		}
		w.until(t, "the watch reports the new objects", func(events []graph.Event) bool {
			return slices.ContainsFunc(events, func(e graph.Event) bool { return e.Object.Name == "new" })
		})
		g.joins(t, memberOf("x"), "x")
	})
}
