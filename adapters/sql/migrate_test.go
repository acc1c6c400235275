package sqlstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestMigrateUpgrades begins with tables of version 1, as that version of this package made
// them (testdata). A program of this version uses them before it migrates. Migrate then adds
// the records, and leaves the objects as they are.
func TestMigrateUpgrades(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		d.conf.Prefix = fmt.Sprintf("old%d_", schemas.Add(1)) // its schema may have newer tables
		if d.conf.Dialect == Postgres {
			d.mustHandle(t, func(c *Config) { c.Prefix = "og_" }) // it makes the schema
		}
		h := d.withoutMigrate(t)
		h.makeFirstTables(t, d.name)
		if d.conf.Dialect == Postgres {
			defer h.dropTables(t)
		}
		if err := h.AddKind(t.Context(), graph.KindInfo{Kind: "team"}); err != nil {
			t.Fatal(err)
		}
		a := h.mustCreate(t, object("team", "", "a"))
		if _, err := h.ReadRecord(t.Context(), "pause"); err == nil || errors.Is(err, graph.ErrNotFound) {
			t.Errorf("a read without a table answers %v, and proves nothing", err)
		}
		if _, err := h.WriteRecord(t.Context(), "pause", nil, ""); err == nil || errors.Is(err, graph.ErrConflict) {
			t.Errorf("a write without a table answers %v", err)
		}
		for n := range 2 {
			if err := h.Migrate(t.Context()); err != nil {
				t.Fatalf("migration %d: %v", n, err)
			}
			if v := h.schema(t); v != plainSchema {
				t.Errorf("after migration %d the version is %d", n, v)
			}
		}
		if _, err := h.ReadRecord(t.Context(), "pause"); !errors.Is(err, graph.ErrNotFound) {
			t.Errorf("a read of an upgraded table: %v", err)
		}
		version, err := h.WriteRecord(t.Context(), "pause", []byte("x"), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := h.ReadRecord(t.Context(), "pause"); err != nil || string(r.Value) != "x" || r.Version != version {
			t.Errorf("after another migration: %+v, %v", r, err)
		}
		if now, err := h.Get(t.Context(), a.Key); err != nil || !now.Equal(a) {
			t.Errorf("after the migrations: %v, %v, want %v", now, err, a)
		}
		h.watch(t).until(t, "the watch knows the object", func(events []graph.Event) bool { return replayed(events)[a.Key].Equal(a) })
	})
}

// withoutMigrate opens the database without a migration.
func (d *database) withoutMigrate(t *testing.T) *handle {
	t.Helper()
	db, err := d.open(d.faults)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(db, d.conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(s.Close(), db.Close()) })
	return &handle{s, t, d, db}
}

// makeFirstTables makes the tables of version 1.
func (h *handle) makeFirstTables(t *testing.T, dialect string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "version1_"+dialect+".sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range strings.Split(h.conf.names().Replace(string(text)), ";\n") {
		if statement = strings.TrimSpace(statement); statement == "" {
			continue
		}
		if _, err := h.db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if v := h.schema(t); v != firstSchema {
		t.Fatalf("the tables have version %d", v)
	}
}

// schema returns the version of the tables.
func (h *handle) schema(t *testing.T) (version int) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT version FROM {meta}`)).Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}
