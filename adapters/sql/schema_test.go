package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestSchemaIsMigrate executes the printed statements by hand, in another schema than that of
// Migrate. Both databases have the same catalog, also after a step from the tables of each older
// version, and after a second execution. Migrate then makes nothing.
func TestSchemaIsMigrate(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		for version := SchemaVersion; version <= ArchiveVersion; version++ {
			want := catalogOf(t, migrated(t, d, version))
			if len(want) < 11 {
				t.Fatalf("the catalog has %d lines: %v", len(want), want)
			}
			for from := range version {
				t.Run(fmt.Sprintf("from %d to %d", from, version), func(t *testing.T) {
					h := newDatabases[d.name](t).withNames(t, version)
					if from > 0 {
						h.makeVersion(t, from)
					}
					for range 2 {
						for v := from + 1; v <= version; v++ {
							h.makeByHand(t, v)
						}
					}
					h.isMigrated(t, want)
				})
			}
		}
	})
}

// isMigrated compares the catalog with that of Migrate, which then makes nothing.
func (h *handle) isMigrated(t *testing.T, want []string) {
	t.Helper()
	if got := catalogOf(t, h); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	ask := func(text string) error {
		for _, word := range []string{"CREATE", "ALTER", "LOCK", "SET LOCAL"} {
			if strings.HasPrefix(strings.TrimSpace(text), word) {
				t.Errorf("Migrate executes %.60s", text)
			}
		}
		return nil
	}
	h.d.faults.fail.Store(&ask)
	defer h.d.faults.fail.Store(nil)
	if err := h.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.mustCreate(t, object("team", "", "a"))
	h.watch(t).until(t, "the watch lists the object", func(events []graph.Event) bool { return len(replayed(events)) == 1 })
}

// migrated returns a store with tables of Migrate, which have a prefix of their own.
func migrated(t *testing.T, d *database, version int) *handle {
	h := d.withNames(t, version)
	if err := h.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

// withNames opens the database without a migration, with kinds and a prefix of its own. Its schema
// on Postgres may be new.
func (d *database) withNames(t *testing.T, version int) *handle {
	t.Helper()
	d.conf.Prefix, d.conf.Kinds, d.conf.Policies = fmt.Sprintf("by%d_", schemas.Add(1)), kindsOfTests(), version >= PoliciesVersion
	if d.conf.Archive = nil; version == ArchiveVersion {
		d.conf.Archive = &ArchiveConfig{}
	}
	if d.conf.Dialect == Postgres {
		d.mustHandle(t, func(c *Config) { c.Prefix, c.Policies, c.Archive = "og_", false, nil }) // the rig empties these tables
	}
	h := d.withoutMigrate(t)
	if d.conf.Dialect == Postgres {
		t.Cleanup(func() {
			h.drop(t, h.conf.names().Replace(`DROP TABLE IF EXISTS {objects}, {owners}, {log}, {records}, {members}, {restricts}, {archive}, {archive_owners}, {holds}, {trails}, {payloads}, {archive_settings}, {kinds}, {meta}; DROP SEQUENCE IF EXISTS {seq}`))
		})
	}
	return h
}

// makeVersion makes the tables as a program of an older version did.
func (h *handle) makeVersion(t *testing.T, version int) {
	t.Helper()
	if version == firstSchema {
		h.makeFirstTables(t, h.d.name)
		return
	}
	for v := range version {
		h.makeByHand(t, v+1)
	}
}

// makeByHand executes the statements of a version in one transaction.
func (h *handle) makeByHand(t *testing.T, version int) {
	t.Helper()
	list, err := Schema(h.d.conf, version)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range list {
		if _, err := tx.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, errors.Join(err, tx.Rollback()))
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// pgCatalog has the columns, constraints, indexes, options and sequences of a schema.
const pgCatalog = `SELECT 'column ' || r.relname || ' ' || a.attnum || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' || a.attidentity::text
		|| ' ' || coalesce(l.collname, '') || ' ' || coalesce(pg_get_expr(f.adbin, f.adrelid), '')
	FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_collation l ON l.oid = a.attcollation
	LEFT JOIN pg_attrdef f ON f.adrelid = r.oid AND f.adnum = a.attnum WHERE r.relkind = 'r' AND r.relnamespace = $1::regnamespace
UNION ALL SELECT 'constraint ' || c.conname || ' ' || pg_get_constraintdef(c.oid) FROM pg_constraint c WHERE c.connamespace = $1::regnamespace
UNION ALL SELECT 'index ' || pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class r ON r.oid = i.indexrelid WHERE r.relnamespace = $1::regnamespace
UNION ALL SELECT 'relation ' || r.relname || ' ' || r.relkind::text || ' ' || r.relpersistence::text || ' ' || coalesce(r.reloptions::text, '')
	FROM pg_class r WHERE r.relnamespace = $1::regnamespace
UNION ALL SELECT 'sequence ' || q.seqrelid::regclass || ' ' || q.seqtypid::regtype || ' ' || q.seqstart || ' ' || q.seqincrement || ' ' || q.seqmax || ' ' || q.seqcycle
	FROM pg_sequence q JOIN pg_class r ON r.oid = q.seqrelid WHERE r.relnamespace = $1::regnamespace
UNION ALL SELECT 'function ' || p.proname || ' ' || p.prosrc FROM pg_proc p WHERE p.pronamespace = $1::regnamespace`

// catalogOf returns the catalog of the tables of a store, with the prefix "og_", and its settings
// that are not random.
func catalogOf(t *testing.T, h *handle) (list []string) {
	t.Helper()
	text, args := `SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_master`, []any(nil)
	settings := `SELECT 'settings ' || id || ' ' || version || ' ' || floor || epoch || reason || (kinds >= 0) FROM {meta}`
	if h.conf.Dialect == Postgres {
		text, args = pgCatalog, []any{h.conf.Schema}
		settings = `SELECT 'settings ' || id || ' ' || version || ' ' || floor || base || epoch || reason || (kinds >= 0) FROM {meta}`
	}
	for _, query := range []string{text, h.conf.names().Replace(settings)} {
		if query != text {
			args = nil
		}
		rows, err := h.db.QueryContext(t.Context(), query, args...)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, linesOf(t, rows, h)...)
	}
	slices.Sort(list)
	return list
}

// linesOf returns the lines of a query that name the prefix, without names that differ.
func linesOf(t *testing.T, rows *sql.Rows, h *handle) (list []string) {
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, h.conf.Prefix) || strings.HasPrefix(line, "settings") {
			line = strings.ReplaceAll(line, h.conf.Prefix, "og_")
			if h.conf.Schema != "" {
				line = strings.ReplaceAll(line, h.conf.Schema+".", "")
			}
			list = append(list, strings.Join(strings.Fields(line), " "))
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSchemaWithoutRights: a person makes the tables and the triggers by hand. A role without a
// right to create anything then runs the store, with Migrate and InstallTriggers.
func TestSchemaWithoutRights(t *testing.T) {
	d := newPostgresDatabase(t)
	d.mustHandle(t, nil) // the rig empties these tables
	d.conf.Schema = fmt.Sprintf("by_hand_%d", schemas.Add(1))
	h := d.withoutMigrate(t)
	t.Cleanup(func() { h.drop(t, `DROP SCHEMA "`+h.conf.Schema+`" CASCADE`) })
	for version := range SchemaVersion {
		h.makeByHand(t, version+1)
	}
	h.define(t, teamsTable, projectsTable("", "ON DELETE SET NULL"))
	teams, projects := h.guarded()
	for _, table := range []Table{teams, projects} {
		list, err := TriggerText(Config{Dialect: Postgres, Schema: h.conf.Schema}, table)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for _, text := range list {
				h.mustExec(t, text)
			}
		}
	}
	s := h.storeOf(t, h.roleWithoutDDL(t))
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.InstallTriggers(t.Context(), teams, projects); err != nil {
		t.Errorf("triggers that are there: %v", err)
	}
	team, err := s.Create(t.Context(), object("team", "", "a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.ExecContext(t.Context(), `INSERT INTO `+h.tableOf("teams")+` (id, uid) VALUES (1, $1)`, team.UID); err != nil {
		t.Errorf("a row of the role: %v", err)
	}
	if err := s.Delete(t.Context(), team.Key, graph.DeleteOptions{}); err != nil || h.rows(t, h.tableOf("teams")) != 0 {
		t.Errorf("a deletion by the role: %v", err)
	}
	projects.Owners = nil
	if err := s.InstallTriggers(t.Context(), projects); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("other triggers without a right: %v", err)
	}
}

// TestTriggerText: the printed triggers are those of InstallTriggers.
func TestTriggerText(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.define(t, teamsTable, projectsTable("", "ON DELETE SET NULL"))
		teams, projects := h.guarded()
		for _, table := range []Table{teams, projects} {
			list, err := TriggerText(h.d.conf, table)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range list {
				h.mustExec(t, text)
			}
		}
		if current, err := h.haveTriggers(t.Context(), h.mustComplete(t, teams, projects)); err != nil || !current {
			t.Errorf("the triggers are those of the store: %t, %v", current, err)
		}
	})
}

func (h *handle) mustComplete(t *testing.T, tables ...Table) []Table {
	list, err := h.completeAll(tables)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSchemaErrors(t *testing.T) {
	for _, c := range []struct {
		conf         Config
		version      int
		want, reason string
	}{
		{Config{}, 1, "schema: Dialect: unset: want SQLite or Postgres", "no driver tells the dialect"},
		{Config{Dialect: 9}, 1, "schema: Dialect: dialect(9): want SQLite or Postgres", "no such dialect"},
		{Config{Dialect: SQLite}, 0, "schema: version 0: want 1 to 4", "an empty database"},
		{Config{Dialect: Postgres}, 5, "schema: version 5: want 1 to 4", "a later version"},
		{Config{Dialect: Postgres, Prefix: `x"`}, 1, `schema: Prefix: "x\"": want a name`, "a name with a quote"},
		{Config{Dialect: SQLite, Schema: "a b"}, 1, `schema: Schema: "a b": want a name`, "a name with a blank"},
	} {
		if list, err := Schema(c.conf, c.version); list != nil || !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, version %d: %v, %v, want %s: %s", c.conf, c.version, list, err, c.want, c.reason)
		}
	}
	if _, err := TriggerText(Config{}, Table{Name: "x"}); !errors.Is(err, graph.ErrInvalid) || err.Error() != "trigger text: Dialect: unset: want SQLite or Postgres: invalid" {
		t.Errorf("triggers of no dialect: %v", err)
	}
	if _, err := TriggerText(Config{Dialect: SQLite}, Table{Name: "x", Schema: "s"}); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "Schema") {
		t.Errorf("a schema on SQLite: %v", err)
	}
}
