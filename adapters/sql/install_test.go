package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"github.com/ownergraph/ownergraph/graph"
)

// TestInstallTriggersErrors: each wrong table has an error that names it, and no table has
// triggers then.
func TestInstallTriggersErrors(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.define(t, teamsTable, projectsTable("", ""),
			`CREATE TABLE [loose] (uid text REFERENCES {objects} (uid), id integer)`, `CREATE TABLE [old] (uid text REFERENCES {objects} (uid) ON DELETE CASCADE)`)
		team, project := h.teamWithProject(t, false)
		h.mustExec(t, `INSERT INTO [old] (uid) VALUES (NULL), (NULL), ('`+string(team.UID)+`')`)
		if _, err := h.Update(t.Context(), graph.Object{Key: project.Key}); err != nil { // it drops the reference
			t.Fatal(err)
		}
		teams, projects := h.guarded()
		named := func(name string) Table { return Table{Schema: h.userSchema(), Name: name} }
		withOwner := func(o OwnerColumn) Table {
			return Table{Schema: h.userSchema(), Name: "projects", Owners: []OwnerColumn{o}}
		}
		for _, c := range []struct {
			table  Table
			is     error
			want   string
			reason string
		}{
			{Table{}, graph.ErrInvalid, `install triggers: table "": Name: empty: invalid`, "the zero value names no table"},
			{named("absent"), graph.ErrInvalid, `install triggers: table "absent": there is no such table: invalid`, "no such table"},
			{named(strings.Repeat("x", 64)), graph.ErrInvalid, "Name: 64 bytes, more than 63", "Postgres would cut the name"},
			{named("a\x00b"), graph.ErrInvalid, `Name: "a\x00b": a control character`, "no statement has it"},
			{Table{Schema: h.userSchema(), Name: "teams", UID: "object"}, graph.ErrInvalid, `column "object": there is no such column`, "no such column"},
			{named("loose"), graph.ErrInvalid, `table "loose": column "uid": it does not refer to og_objects (uid) with ON DELETE CASCADE`, "the row would stay"},
			{named("old"), graph.ErrRefused, `table "old": column "uid": 2 rows have no UID: give them objects first, for example by Adopt`, "rows of before"},
			{projects, graph.ErrRefused, `table "projects": column "team_id": 1 rows name an owner to which their object has no reference`, "a moved row of before"},
			{withOwner(OwnerColumn{Column: "none", Table: "teams"}), graph.ErrInvalid, `column "none": there is no such column`, "no such column"},
			{withOwner(OwnerColumn{Column: "team_id", Table: "none"}), graph.ErrInvalid, `column "team_id": table "none": there is no such table`, "no such table of owners"},
			{withOwner(OwnerColumn{Column: "team_id", Table: "teams", Key: "number"}), graph.ErrInvalid, `table "teams": column "number": there is no such column`, "no such key"},
			{withOwner(OwnerColumn{Column: "team_id", Key: "id"}), graph.ErrInvalid, "Owners[0].Key and UID: want a Table", "a key of no table"},
		} {
			err := h.InstallTriggers(t.Context(), teams, c.table)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %s: %s", c.table, err, c.want, c.reason)
			}
		}
		if err := h.RemoveTriggers(t.Context(), named("absent")); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("removal from no table: %v", err)
		}
		if n := h.countTriggers(t); n != 0 {
			t.Errorf("%d triggers of a refused call", n)
		}
	})
}

// countTriggers counts the triggers of the tables of the user.
func (h *handle) countTriggers(t *testing.T) (n int) {
	t.Helper()
	text := `SELECT count(*) FROM sqlite_master WHERE type = 'trigger'`
	if h.conf.Dialect == Postgres {
		text = `SELECT (SELECT count(*) FROM pg_trigger g JOIN pg_class r ON r.oid = g.tgrelid WHERE NOT g.tgisinternal AND r.relnamespace = to_regnamespace('` + h.conf.Schema + `'))
			+ (SELECT count(*) FROM pg_proc WHERE pronamespace = to_regnamespace('` + h.conf.Schema + `'))`
	}
	if err := h.db.QueryRowContext(t.Context(), text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTriggersAreIdempotent installs triggers twice. The second call executes no statement that
// writes or locks. A changed table gets other triggers, and a removal leaves none.
func TestTriggersAreIdempotent(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.withTriggers(t, projectsTable("", "ON DELETE SET NULL"))
		teams, projects := h.guarded()
		made := h.countTriggers(t)
		ask := func(text string) error {
			if word, _, _ := strings.Cut(strings.TrimSpace(text), " "); word != "SELECT" && word != "NEXT" {
				t.Errorf("the second call executes %.60s", text)
			}
			return nil
		}
		d.faults.fail.Store(&ask)
		h.mustInstall(t, teams, projects)
		d.faults.fail.Store(nil)
		projects.Owners = nil
		h.mustInstall(t, teams, projects)
		if n := h.countTriggers(t); n != made || made == 0 {
			t.Errorf("%d triggers, and %d after a change", made, n)
		}
		h.mustExec(t, `UPDATE [projects] SET team_id = NULL`) // no longer judged
		for range 2 {
			if err := h.RemoveTriggers(t.Context(), teams, projects); err != nil {
				t.Fatal(err)
			}
			if n := h.countTriggers(t); n != 0 {
				t.Errorf("%d triggers after the removal", n)
			}
		}
		h.mustExec(t, `DELETE FROM [projects]`)
	})
}

// TestTriggersNames installs triggers on tables and columns with names that need quotes.
func TestTriggersNames(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		for i, name := range []string{`Weird "table"`, `100% 'sure'; --`, `$$ $body$ {objects}`, strings.Repeat("é", 31), strings.Repeat("long", 15) + "abc"} {
			column := `the "UID" of '` + fmt.Sprint(i)
			of := Table{Schema: h.userSchema(), Name: name, UID: column}
			h.mustExec(t, `CREATE TABLE `+of.place(h.conf, name)+` (`+quoteName(column)+` text REFERENCES `+h.conf.names().Replace(`{objects}`)+` (uid) ON DELETE CASCADE)`)
			if d.conf.Dialect == Postgres {
				t.Cleanup(func() { h.drop(t, `DROP TABLE `+of.place(h.conf, name)+` CASCADE`) })
			}
			h.mustInstall(t, of)
			h.mustInstall(t, of)
			err := h.tryExec(t, `INSERT INTO `+of.place(h.conf, name)+` VALUES (NULL)`)
			if err == nil || !strings.Contains(err.Error(), "ownergraph: "+name+"."+column+": NULL") {
				t.Errorf("%s: %v", name, err)
			}
			o := h.mustCreate(t, object("team", "", fmt.Sprint(i)))
			h.mustExec(t, `INSERT INTO `+of.place(h.conf, name)+` VALUES ('`+string(o.UID)+`')`)
			if err := h.tryExec(t, `DELETE FROM `+of.place(h.conf, name)); err == nil {
				t.Errorf("%s: a row is deleted before its object", name)
			}
			if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil || h.rows(t, of.place(h.conf, name)) != 0 {
				t.Errorf("%s: the deletion of the object: %v", name, err)
			}
			if err := h.RemoveTriggers(t.Context(), of); err != nil {
				t.Error(err)
			}
		}
		if n := h.countTriggers(t); n != 0 {
			t.Errorf("%d triggers after the removals", n)
		}
	})
}

// drop drops something at the end of a test. A caller that was cancelled may still have locks for a
// moment.
func (h *handle) drop(t *testing.T, text string) {
	var err error
	for range 10 {
		if _, err = h.db.Exec(text); answerOf(err) != answerRetry {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// TestTriggersWithoutForeignKeys: a connection of SQLite without foreign_keys lets the rows stay
// after their objects, so the triggers would keep them for ever.
func TestTriggersWithoutForeignKeys(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	h.define(t, teamsTable)
	h.db.SetMaxOpenConns(1)
	h.mustExec(t, `PRAGMA foreign_keys = OFF`)
	teams, _ := h.guarded()
	if err := h.InstallTriggers(t.Context(), teams); !errors.Is(err, graph.ErrRefused) || !errors.Is(err, errForeignKeysOff) {
		t.Errorf("without foreign keys: %v", err)
	}
}

// TestTriggersInSchema: triggers find the tables of a store with another prefix, which are in an
// attached database on SQLite.
func TestTriggersInSchema(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		if d.conf.Dialect == SQLite {
			dir := t.TempDir()
			main := "file:" + filepath.Join(dir, "main") + "?_pragma=foreign_keys(1)&_txlock=immediate"
			d.open = func(*faults) (*sql.DB, error) {
				return sql.OpenDB(attaching{dsnConnector{&sqlite.Driver{}, main}, filepath.Join(dir, "app")}), nil
			}
			d.conf.Schema = "app"
		}
		if d.conf.Dialect == Postgres {
			d.mustHandle(t, nil) // the rig empties these tables
		}
		d.conf.Prefix = "own_"
		h := d.mustHandle(t, nil)
		if d.conf.Dialect == Postgres {
			t.Cleanup(func() {
				h.drop(t, h.conf.names().Replace(`DROP TABLE {objects}, {owners}, {log}, {records}, {kinds}, {meta}`))
			})
		}
		team, project := h.withTriggers(t, projectsTable("", "ON DELETE SET NULL"))
		if err := h.tryExec(t, `DELETE FROM [teams]`); err == nil {
			t.Error("a row is deleted before its object")
		}
		if c, ok := h.constraintOf(t, "projects", "team_id"); !ok || c.Effect != graph.EffectPasses || !slices.Equal(c.Owners, []graph.Kind{"team"}) {
			t.Errorf("the constraint: %+v", c)
		}
		if err := h.Delete(t.Context(), team.Key, graph.DeleteOptions{}); err != nil || !h.exists(t, project) {
			t.Errorf("the deletion of the team: %v", err)
		}
		teams, projects := h.guarded()
		if err := h.RemoveTriggers(t.Context(), teams, projects); err != nil {
			t.Error(err)
		}
		h.mustExec(t, `DELETE FROM [projects]`)
	})
}

// TestTriggersByDrivers: the further drivers read the catalogs, too.
func TestTriggersByDrivers(t *testing.T) {
	for _, name := range sortedNames(furtherDrivers) {
		t.Run(name, func(t *testing.T) {
			h := furtherDrivers[name](t).mustHandle(t, nil)
			h.withTriggers(t, projectsTable("NOT NULL", ""))
			if c, ok := h.constraintOf(t, "projects", "team_id"); !ok || c.Effect != graph.EffectRefuses || !slices.Equal(c.Owners, []graph.Kind{"team"}) || !c.Unindexed {
				t.Errorf("the constraint: %+v", c)
			}
			if err := h.tryExec(t, `DELETE FROM [projects]`); answerOf(err) != answerRefused {
				t.Errorf("a row is deleted before its object: %v", err)
			}
			teams, projects := h.guarded()
			h.mustInstall(t, teams, projects)
			if err := h.RemoveTriggers(t.Context(), teams, projects); err != nil {
				t.Error(err)
			}
		})
	}
}
