package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// reader is a session of a role.
type reader struct {
	h *handle
	c *sql.Conn
}

// newReader makes a login role that has the rights of another one.
func (h *handle) newReader(t *testing.T, of string) (role string, r reader) {
	t.Helper()
	role = fmt.Sprintf("person_%d", schemas.Add(1))
	h.run(t, h.db, `CREATE ROLE `+role+` LOGIN; GRANT `+of+` TO `+role)
	db, err := openPostgres(strings.Replace(server.DSN(), "user=postgres", "user="+role, 1), h.d.faults)
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = errors.Join(c.Close(), db.Close())
		if _, err := h.db.ExecContext(context.WithoutCancel(t.Context()), `DROP OWNED BY `+role+`; DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	return role, reader{h, c}
}

// sees returns the names of the entries that the role sees, sorted, and whether it sees payloads and labels of all of them.
func (r reader) sees(t *testing.T) (names []string, payloads, labels bool) {
	t.Helper()
	payloads, labels = true, true
	rows, err := r.c.QueryContext(t.Context(), r.h.conf.names().Replace(`SELECT name, payload IS NOT NULL OR sealed IS NOT NULL, labels IS NOT NULL, at IS NOT NULL, kind FROM {archive_entries} ORDER BY name`))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name, kind string
		var payload, label, at bool
		if err := rows.Scan(&name, &payload, &label, &at, &kind); err != nil {
			t.Fatal(err)
		}
		names, payloads, labels = append(names, name), payloads && payload, labels && label
		if !at || kind == "" {
			t.Errorf("%s has no time or kind", name)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names, payloads, labels
}

func (r reader) exec(t *testing.T, text string) error {
	t.Helper()
	_, err := r.c.ExecContext(t.Context(), r.h.conf.names().Replace(text))
	return err
}

// asReader opens a store with entries of photos, with rows, and of a bucket, and makes the role of its readers.
func asReader(t *testing.T, edit ...func(*Config)) (h *handle, role string) {
	t.Helper()
	h = newPostgresDatabase(t).withRows(t, `n text`, edit...)
	a, b, bucket := h.withRow(t, "a", nil, quoteText(secretText)), h.withRow(t, "b", nil, quoteText(secretText)), h.mustCreate(t, object("bucket", "one", "c"))
	h.batchOf(t, deletion(h.labelled(t, a)), deletion(b), deletion(h.labelled(t, bucket)))
	role = fmt.Sprintf("reader_%d", schemas.Add(1))
	h.makeReader(t, role)
	t.Cleanup(func() {
		if _, err := h.db.ExecContext(context.WithoutCancel(t.Context()), h.conf.names().Replace(`DROP VIEW IF EXISTS {archive_entries}; DROP OWNED BY `+role+`; DROP ROLE `+role)); err != nil {
			t.Error(err)
		}
	})
	return h, role
}

func (h *handle) makeReader(t *testing.T, role string) {
	t.Helper()
	list, err := ReaderText(h.conf, role)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range list {
		h.run(t, h.db, text)
	}
}

// TestReaderText: a role sees the entries of those kinds whose tables it may read. The other ways to the entries are closed.
func TestReaderText(t *testing.T) {
	h, of := asReader(t)
	h.makeReader(t, of) // a second execution changes nothing
	role, r := h.newReader(t, of)
	h.run(t, h.db, `GRANT CREATE ON SCHEMA "`+h.conf.Schema+`" TO `+role)
	for _, step := range []struct {
		grant  string // before the look, by an administrator
		own    string // and by the role
		want   string
		labels bool
		reason string
	}{
		{"", "", "", true, "a role without rights"},
		{"", `CREATE TEMP TABLE photos (n text); SET search_path = pg_temp`, "", true, "a table of the role with the same name"},
		{`GRANT SELECT (uid, n) ON [photos] TO ` + role, "", "", true, "rights on columns"},
		{`GRANT INSERT, UPDATE, DELETE ON [photos] TO ` + role, "", "", true, "rights to write"},
		{`GRANT SELECT ON [photos] TO ` + role, "", "a b", false, "the right to read the table"},
		{`ALTER TABLE [photos] ENABLE ROW LEVEL SECURITY`, "", "", true, "a policy that may hide rows"},
		{"", `SET row_security = off`, "", true, "a role that refuses policies"},
		{`ALTER TABLE [photos] DISABLE ROW LEVEL SECURITY; GRANT SELECT ON {objects} TO ` + role, "", "a b c", true, "the right to read the objects, too"},
		{`REVOKE SELECT ON [photos] FROM ` + role, "", "c", true, "the right to read the objects alone"},
		{`GRANT SELECT ON [photos] TO ` + of, "", "a b c", true, "a right of the group"},
		{`REVOKE SELECT ON [photos] FROM ` + of, "", "c", true, "no right of the group"},
	} {
		if step.grant != "" {
			h.run(t, h.db, h.conf.names().Replace(strings.ReplaceAll(step.grant, "[photos]", h.photos())))
		}
		if step.own != "" {
			if err := r.exec(t, step.own); err != nil {
				t.Fatal(err)
			}
		}
		names, payloads, labels := r.sees(t)
		if strings.Join(names, " ") != step.want || labels != step.labels || !payloads && !slices.Contains(names, "c") {
			t.Errorf("%s: it sees %q, payloads %t, labels %t, want %q", step.reason, names, payloads, labels, step.want)
		}
		for _, table := range []string{"{archive}", "{archive_owners}", "{holds}", "{trails}", "{payloads}"} {
			if err := r.exec(t, `SELECT 1 FROM `+table); err == nil || !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("%s: %s: %v, want no permission", step.reason, table, err)
			}
		}
		if err := r.exec(t, `DELETE FROM {archive_entries}`); err == nil {
			t.Errorf("%s: it deletes entries", step.reason)
		}
	}
}

// TestReaderLeak: a function of the role, which is cheaper than the condition of the view, sees no hidden row. Without
// security_barrier it sees all of them.
func TestReaderLeak(t *testing.T) {
	h, of := asReader(t)
	_, r := h.newReader(t, of)
	if err := r.exec(t, `CREATE TEMP TABLE leaked (text text); CREATE FUNCTION pg_temp.leak(x text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS
		$f$ BEGIN INSERT INTO leaked VALUES (x); RETURN true; END $f$`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		barrier bool
		leaks   int
	}{{true, 0}, {false, 3}} {
		h.run(t, h.db, h.conf.names().Replace(fmt.Sprintf(`ALTER VIEW {archive_entries} SET (security_barrier = %t)`, c.barrier)))
		if err := r.exec(t, `SELECT * FROM {archive_entries} WHERE pg_temp.leak(name)`); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := r.c.QueryRowContext(t.Context(), `SELECT count(*) FROM leaked`).Scan(&n); err != nil || n != c.leaks {
			t.Errorf("security_barrier %t: the function saw %d rows, %v, want %d", c.barrier, n, err, c.leaks)
		}
	}
}

// TestReaderPrograms: the programs of another role go on: they delete, list, restore and purge. The view goes before its tables.
func TestReaderPrograms(t *testing.T) {
	h, _ := asReader(t, sealing("photo"))
	role := h.roleWithoutDDL(t)
	db, err := openPostgres(strings.Replace(server.DSN(), "user=postgres", "user="+role, 1), h.d.faults)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := New(db, h.conf)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	program := &handle{s, t, h.d, db}
	if err := program.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := program.withRow(t, "d", nil, quoteText(secretText))
	program.removes(t, o, graph.DeleteOptions{})
	if list := program.entries(t, archive.Query{}); len(list) != 4 || list[0].Unreadable != "" {
		t.Errorf("the program lists %v", list)
	}
	key := program.mustRestore(t, item(o))[0]
	if got := program.rowOf(t, key.UID, "n"); got != secretText {
		t.Errorf("the row is %s", got)
	}
	if n, err := program.PurgeEntries(t.Context(), []graph.UID{o.UID}); n != 1 || err != nil {
		t.Errorf("a purge: %d, %v", n, err)
	}
	if _, err := h.db.ExecContext(t.Context(), `DROP TABLE `+h.photos()); err == nil || !strings.Contains(err.Error(), "depend") {
		t.Errorf("the table goes before the view: %v", err)
	}
}

// TestReaderFormerTable: an entry with a row whose kind has no table now is shown to no role of readers.
func TestReaderFormerTable(t *testing.T) {
	h, of := asReader(t)
	role, r := h.newReader(t, of)
	h.run(t, h.db, h.conf.names().Replace(`GRANT SELECT ON ALL TABLES IN SCHEMA "`+h.conf.Schema+`" TO `+role+`; REVOKE SELECT ON {archive} FROM `+role))
	c := h.conf
	archive := *c.Archive
	archive.Tables = nil
	c.Archive = &archive
	list, err := ReaderText(c, of)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range list {
		h.run(t, h.db, text)
	}
	if names, _, _ := r.sees(t); strings.Join(names, " ") != "c" {
		t.Errorf("it sees %q", names)
	}
}

// TestReaderTextErrors: a wrong setting is an error that names it.
func TestReaderTextErrors(t *testing.T) {
	good := Config{Dialect: Postgres, Policies: true, Archive: &ArchiveConfig{}}
	for _, c := range []struct {
		edit   func(*Config)
		role   string
		want   string
		reason string
	}{
		{func(*Config) {}, "", "role", "no role"},
		{func(*Config) {}, `a"b`, "role", "a role with a quote"},
		{func(c *Config) { c.Dialect = SQLite }, "r", "no roles", "SQLite"},
		{func(c *Config) { c.Dialect = DialectUnset }, "r", "Dialect", "no dialect"},
		{func(c *Config) { c.Archive = nil }, "r", "Archive", "no archive"},
		{func(c *Config) { c.Archive = &ArchiveConfig{Tables: map[graph.Kind]Table{"a": {}}} }, "r", `Tables["a"]`, "a table without a name"},
	} {
		conf := good
		c.edit(&conf)
		if _, err := ReaderText(conf, c.role); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
	if list, err := ReaderText(good, "r"); err != nil || len(list) != 4 {
		t.Errorf("%q, %v", list, err)
	}
}
