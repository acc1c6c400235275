package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// tableOf returns the quoted name of a table of the user, in the schema of the store.
func (h *handle) tableOf(name string) string {
	return Table{Schema: h.conf.Schema, Name: name}.place(h.conf, name)
}

// define executes statements that define tables of the user. {objects} is the table of the store,
// and [name] a table of the user. They are dropped in the end.
func (h *handle) define(t *testing.T, statements ...string) {
	t.Helper()
	var tables []string
	for _, text := range statements {
		for _, part := range strings.Split(text, "[")[1:] {
			name, _, _ := strings.Cut(part, "]")
			if h.conf.Dialect == SQLite {
				text = strings.ReplaceAll(text, "REFERENCES ["+name+"]", "REFERENCES "+name)
			}
			text = strings.ReplaceAll(text, "["+name+"]", h.tableOf(name))
			tables = append(tables, name)
		}
		if h.conf.Dialect == SQLite { // a key refers to a table of its own database
			text = strings.ReplaceAll(text, "{objects}", "{#objects}")
		}
		h.mustExec(t, h.conf.names().Replace(text))
	}
	t.Cleanup(func() {
		if h.conf.Dialect == SQLite { // the file goes as a whole
			return
		}
		slices.Sort(tables)
		for _, name := range slices.Compact(tables) {
			h.drop(t, `DROP TABLE IF EXISTS `+h.tableOf(name)+` CASCADE`)
			h.drop(t, `DROP FUNCTION IF EXISTS `+functionPlace(h.conf, Table{Schema: h.conf.Schema, Name: name})+` ()`)
		}
	})
}

func (h *handle) mustExec(t *testing.T, text string, args ...any) {
	t.Helper()
	if err := h.tryExec(t, text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// tryExec executes a statement as a program does that does not know the store.
func (h *handle) tryExec(t *testing.T, text string, args ...any) error {
	for strings.Contains(text, "[") {
		before, part, _ := strings.Cut(text, "[")
		name, after, _ := strings.Cut(part, "]")
		text = before + h.tableOf(name) + after
	}
	_, err := h.db.ExecContext(t.Context(), text, args...)
	return err
}

// teamsTable has rows of objects.
const teamsTable = `CREATE TABLE [teams] (id integer PRIMARY KEY, uid text NOT NULL UNIQUE REFERENCES {objects} (uid) ON DELETE CASCADE)`

// projectsTable has rows of objects, too. Each row refers to a team.
func projectsTable(column, action string) string {
	return `CREATE TABLE [projects] (id integer PRIMARY KEY, team_id integer ` + column + ` CONSTRAINT projects_team REFERENCES [teams] (id) ` + action +
		`, uid text NOT NULL UNIQUE REFERENCES {objects} (uid) ON DELETE CASCADE)`
}

// teamWithProject creates a team and a project below it, with a row each.
func (h *handle) teamWithProject(t *testing.T, block bool) (team, project graph.Object) {
	t.Helper()
	team = h.mustCreate(t, object("team", "", "a"))
	project = object("bucket", "one", "p")
	project.Owners = []graph.Owner{{Key: team.Key, Block: block}}
	project = h.mustCreate(t, project)
	h.mustExec(t, `INSERT INTO [teams] (id, uid) VALUES (1, '`+string(team.UID)+`')`)
	h.mustExec(t, `INSERT INTO [projects] (id, team_id, uid) VALUES (5, 1, '`+string(project.UID)+`')`)
	return team, project
}

func (h *handle) exists(t *testing.T, o graph.Object) bool {
	t.Helper()
	_, err := h.Get(t.Context(), o.Key)
	if err != nil && !errors.Is(err, graph.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// constraintOf returns the constraint of a table and a column.
func (h *handle) constraintOf(t *testing.T, table, column string) (graph.Constraint, bool) {
	t.Helper()
	list, err := h.Constraints(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if strings.HasSuffix(strings.ReplaceAll(c.Table, `"`, ""), table) && c.Columns[0] == column {
			return c, true
		}
	}
	return graph.Constraint{}, false
}

// TestConstraintEffects compares the effect of each action with a real removal of an owner whose
// dependent has a row that refers to the owner's row.
func TestConstraintEffects(t *testing.T) {
	for _, c := range []struct {
		column, action string
		want           graph.ConstraintEffect
		reason         string
	}{
		{"NOT NULL", "", graph.EffectRefuses, "no action is the default"},
		{"", "ON DELETE NO ACTION", graph.EffectRefuses, "a row refers, also where the column takes NULL"},
		{"NOT NULL", "ON DELETE RESTRICT", graph.EffectRefuses, "it restricts at once"},
		{"NOT NULL", "DEFERRABLE INITIALLY DEFERRED", graph.EffectRefuses, "COMMIT refuses"},
		{"", "ON DELETE SET NULL", graph.EffectPasses, "the row loses the reference"},
		{"NOT NULL", "ON DELETE SET NULL", graph.EffectRefuses, "the column takes no NULL"},
		{"", "ON DELETE SET DEFAULT", graph.EffectPasses, "without a default it is NULL"},
		{"DEFAULT 7", "ON DELETE SET DEFAULT", graph.EffectRefuses, "no team has the number of the default"},
		{"NOT NULL", "ON DELETE CASCADE", graph.EffectRemoves, "the row goes, and its object stays"},
	} {
		t.Run(c.column+" "+c.action, func(t *testing.T) {
			onEach(t, func(t *testing.T, d *database) {
				h := d.mustHandle(t, nil)
				h.define(t, teamsTable, projectsTable(c.column, c.action))
				if got, ok := h.constraintOf(t, "projects", "team_id"); !ok || got.Effect != c.want {
					t.Errorf("an empty table: %v has the effect %s, want %s: %s", got, got.Effect, c.want, c.reason)
				}
				team, project := h.teamWithProject(t, false)
				err := h.Delete(t.Context(), team.Key, graph.DeleteOptions{})
				refused := errors.Is(err, graph.ErrRefused)
				if err != nil && !refused || refused != (c.want == graph.EffectRefuses) || refused != h.exists(t, team) {
					t.Errorf("the deletion of the team: %v, want %s: %s", err, c.want, c.reason)
				}
				if kept := h.rows(t, h.tableOf("projects")) == 1; kept == (c.want == graph.EffectRemoves) || !h.exists(t, project) {
					t.Errorf("the row of the project is kept: %t, want %s: %s", kept, c.want, c.reason)
				}
			})
		})
	}
}

// TestConstraintPropagations shows the end of each deletion by a collector: of a team, and of the
// project below it whose row refers to the team's row.
func TestConstraintPropagations(t *testing.T) {
	refuses, clears, removes := projectsTable("NOT NULL", ""), projectsTable("", "ON DELETE SET NULL"), projectsTable("NOT NULL", "ON DELETE CASCADE")
	for _, c := range []struct {
		projects string
		how      graph.Propagation
		block    bool
		want     string
		reason   string
	}{
		{refuses, graph.Background, false, "refused; a, p; row", "the owner goes first"},
		{refuses, graph.Background, true, "refused; a, p; row", "a background deletion waits for no dependent"},
		{refuses, graph.Orphan, true, "held; a, p; row", "the dependent stays, and so does its row"},
		{refuses, graph.Foreground, true, "done; ", "a dependent that blocks goes first"},
		{refuses, graph.Foreground, false, "done; ", "the owner is refused first, and tried again after its dependent has gone"},
		{clears, graph.Background, false, "done; ", "the row loses the reference and then goes with its object"},
		{clears, graph.Orphan, true, "done; p; row", "the row stays without a team"},
		{clears, graph.Foreground, true, "done; ", "the dependent goes first"},
		{removes, graph.Background, false, "done; ", "the row goes before its object"},
		{removes, graph.Orphan, true, "done; p", "the object has lost its row"},
		{removes, graph.Foreground, true, "done; ", "the dependent goes first"},
	} {
		t.Run(fmt.Sprintf("%s block=%t %s", c.how, c.block, c.want), func(t *testing.T) {
			onEach(t, func(t *testing.T, d *database) {
				h := d.mustHandle(t, nil)
				h.define(t, teamsTable, c.projects)
				team, project := h.teamWithProject(t, c.block)
				run := h.collect(t, ownergraph.Config{})
				defer run.stop()
				end := "done"
				if err := h.Delete(t.Context(), team.Key, graph.DeleteOptions{Propagation: c.how}); errors.Is(err, graph.ErrRefused) {
					end = "refused"
				} else if err != nil {
					t.Fatal(err)
				}
				if held := run.idle(); held != "" {
					end = "held"
				}
				var left []string
				for _, o := range []graph.Object{team, project} {
					if h.exists(t, o) {
						left = append(left, o.Name)
					}
				}
				got := end + "; " + strings.Join(left, ", ")
				if h.rows(t, h.tableOf("projects")) > 0 {
					got += "; row"
				}
				if got != c.want {
					t.Errorf("%q, want %q: %s", got, c.want, c.reason)
				}
			})
		})
	}
}

// TestConstraints finds the constraints behind several tables, with the kinds of their rows.
func TestConstraints(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.define(t, teamsTable, projectsTable("NOT NULL", ""),
			`CREATE TABLE [parts] (a integer NOT NULL, b integer NOT NULL, team_id integer REFERENCES [teams] (id) ON DELETE CASCADE, PRIMARY KEY (a, b))`,
			`CREATE TABLE [uses] (id integer PRIMARY KEY, b integer, a integer, FOREIGN KEY (a, b) REFERENCES [parts] (a, b))`,
			`CREATE TABLE [notes] (id integer PRIMARY KEY, about text REFERENCES {objects} (uid))`,
			`CREATE TABLE [shares] (uid text PRIMARY KEY REFERENCES {objects} (uid) ON DELETE CASCADE, holder text REFERENCES {objects} (uid) ON DELETE CASCADE)`,
			`CREATE TABLE [other] (id integer PRIMARY KEY, same integer REFERENCES [other] (id))`,
			`CREATE INDEX projects_by_team ON `+map[Dialect]string{Postgres: `[projects]`, SQLite: `projects`}[d.conf.Dialect]+` (team_id) WHERE team_id IS NOT NULL`)
		team, project := h.teamWithProject(t, false)
		h.mustExec(t, `INSERT INTO [shares] (uid, holder) VALUES ('`+string(project.UID)+`', '`+string(team.UID)+`')`)
		list, err := h.Constraints(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range list {
			if want := d.conf.Dialect == Postgres; (c.Name != "") != want { // SQLite does not tell it
				t.Errorf("the name of %s is %q", c, c.Name)
			}
			c.Name = ""
			text := fmt.Sprintf("%s; %s; %v; %v", c, c.Effect, c.Owners, c.Dependents)
			if c.OfObjects {
				text += "; of objects"
			}
			if c.Unindexed {
				text += "; no index"
			}
			if h.conf.Schema != "" {
				text = strings.ReplaceAll(text, h.conf.Schema+".", "")
			}
			got = append(got, text)
		}
		want := []string{
			"notes.about refers to og_objects.uid (ON DELETE NO ACTION); refuses; []; []; no index",
			"parts.team_id refers to teams.id (ON DELETE CASCADE); passes; [team]; []; no index",
			"projects.team_id refers to teams.id (ON DELETE NO ACTION); refuses; [team]; [bucket]; of objects",
			"projects.uid refers to og_objects.uid (ON DELETE CASCADE); passes; [bucket]; [bucket]; of objects",
			"shares.holder refers to og_objects.uid (ON DELETE CASCADE); removes rows; [team]; [bucket]; of objects; no index",
			"shares.uid refers to og_objects.uid (ON DELETE CASCADE); passes; [bucket]; [bucket]; of objects",
			"teams.uid refers to og_objects.uid (ON DELETE CASCADE); passes; [team]; [team]; of objects",
			"uses (a, b) refers to parts (a, b) (ON DELETE NO ACTION); refuses; [team]; []; no index",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestConstraintsWithoutRights: the tables of a user may be closed to the role of the store. The
// constraint is there, and says that its kinds are not known.
func TestConstraintsWithoutRights(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	h.define(t, teamsTable, projectsTable("NOT NULL", ""))
	h.teamWithProject(t, false)
	role := h.roleWithoutDDL(t)
	h.mustExec(t, `REVOKE ALL ON [projects], [teams] FROM `+role)
	s := h.storeOf(t, role)
	list, err := s.Constraints(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(c graph.Constraint) bool { return c.Columns[0] == "team_id" })
	if i < 0 || !list[i].Unread || len(list[i].Owners) > 0 || list[i].Effect != graph.EffectRefuses {
		t.Errorf("constraints: %+v", list)
	}
}

// TestConstraintsWithoutTables: a database without a store has an error, and no empty answer.
func TestConstraintsWithoutTables(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		if d.conf.Dialect == Postgres {
			d.mustHandle(t, nil) // the rig empties these tables
		}
		d.conf.Prefix = "none_"
		if list, err := d.withoutMigrate(t).Constraints(t.Context()); err == nil || list != nil || !strings.Contains(err.Error(), "read constraints: ") {
			t.Errorf("%v, %v", list, err)
		}
	})
}

// roleWithoutDDL makes a role that may read and write the tables of the schema.
func (h *handle) roleWithoutDDL(t *testing.T) (role string) {
	t.Helper()
	role = fmt.Sprintf("app_%d", schemas.Add(1))
	h.mustExec(t, strings.NewReplacer("{role}", role, "{schema}", `"`+h.conf.Schema+`"`).Replace(`CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role};
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}`))
	t.Cleanup(func() {
		if _, err := h.db.ExecContext(context.WithoutCancel(t.Context()), `DROP OWNED BY `+role+`; DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	return role
}

// storeOf returns a store that connects as the role.
func (h *handle) storeOf(t *testing.T, role string) *Store {
	t.Helper()
	db, err := openPostgres(strings.Replace(server.DSN(), "user=postgres", "user="+role, 1), h.d.faults)
	if err != nil {
		t.Fatal(err)
	}
	return h.storeOn(t, db)
}

func (h *handle) storeOn(t *testing.T, db *sql.DB) *Store {
	t.Helper()
	c := h.d.conf
	c.Kinds = kindsOfTests()
	s, err := New(db, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(s.Close(), db.Close()) })
	return s
}
