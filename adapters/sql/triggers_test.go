package sqlstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// guarded are the tables of the tests with triggers.
func (h *handle) guarded() (teams, projects Table) {
	return Table{Schema: h.userSchema(), Name: "teams"},
		Table{Schema: h.userSchema(), Name: "projects", Owners: []OwnerColumn{{Column: "team_id", Table: "teams"}}}
}

// userSchema is the schema of the tables of the user. On SQLite it is that of the store.
func (h *handle) userSchema() string {
	if h.conf.Dialect == SQLite {
		return ""
	}
	return h.conf.Schema
}

func (h *handle) mustInstall(t *testing.T, tables ...Table) {
	t.Helper()
	if err := h.InstallTriggers(t.Context(), tables...); err != nil {
		t.Fatal(err)
	}
}

// withTriggers makes a team and a project with their rows, and the triggers.
func (h *handle) withTriggers(t *testing.T, projects string) (team, project graph.Object) {
	t.Helper()
	h.define(t, teamsTable, projects)
	team, project = h.teamWithProject(t, true)
	teams, of := h.guarded()
	h.mustInstall(t, teams, of)
	return team, project
}

// TestTriggersRefuse executes statements of a program that does not know the store. Each is
// refused with the remedy, and changes nothing.
func TestTriggersRefuse(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		team, project := h.withTriggers(t, projectsTable("", "ON DELETE SET NULL"))
		other := h.mustCreate(t, object("team", "", "other"))
		free := h.mustCreate(t, object("bucket", "one", "free"))
		h.mustExec(t, `INSERT INTO [teams] (id, uid) VALUES (2, '`+string(other.UID)+`')`)
		for _, c := range []struct{ statement, want, reason string }{
			{`DELETE FROM [projects] WHERE id = 5`, "ownergraph: projects.uid: DELETE of a row that has an object: delete the object with Store.Delete", "the object would stay"},
			{`DELETE FROM [teams]`, "ownergraph: teams.uid: DELETE of a row that has an object", "so would several"},
			{`INSERT INTO [projects] (id, team_id, uid) VALUES (6, NULL, NULL)`, "ownergraph: projects.uid: NULL: the row has no object", "it is outside of ownership"},
			{`INSERT INTO [teams] (id, uid) VALUES (6, 'none')`, "ownergraph: teams.uid: no object has this UID", "it names nothing"},
			{`INSERT INTO [projects] (id, team_id, uid) VALUES (6, 1, '` + string(free.UID) + `')`, "ownergraph: projects.team_id: the object has no reference to this owner", "the object is a root"},
			{`UPDATE [projects] SET uid = '` + string(free.UID) + `'`, "ownergraph: projects.uid: a row keeps its UID", "another object"},
			{`UPDATE [projects] SET uid = NULL`, "ownergraph: projects.uid: a row keeps its UID", "no object"},
			{`UPDATE [projects] SET team_id = 2`, "ownergraph: projects.team_id: the object has no reference to this owner", "the row would move without its object"},
			{`UPDATE [projects] SET team_id = NULL`, "ownergraph: projects.team_id: the object still has the reference to the former owner", "the object would go with a team that the row has left"},
			{`TRUNCATE [projects]`, "ownergraph: projects.uid: TRUNCATE of rows that have objects", "it fires no trigger of rows"},
		} {
			if d.conf.Dialect == SQLite && strings.HasPrefix(c.statement, "TRUNCATE") {
				continue // SQLite has no such statement
			}
			err := h.tryExec(t, c.statement)
			if err == nil || !strings.Contains(err.Error(), c.want) || answerOf(err) != answerRefused {
				t.Errorf("%s: %v, want %s: %s", c.statement, err, c.want, c.reason)
			}
		}
		if h.rows(t, h.tableOf("teams")) != 2 || h.rows(t, h.tableOf("projects")) != 1 || !h.exists(t, team) || !h.exists(t, project) {
			t.Error("a refused statement has changed something")
		}
		h.mustExec(t, `UPDATE [projects] SET team_id = 1, id = 7`) // it changes neither
	})
}

// TestTriggersLetTheStorePass: the deletions of a collector end as they do without triggers.
func TestTriggersLetTheStorePass(t *testing.T) {
	for _, c := range []struct {
		projects string
		how      graph.Propagation
		held     bool
		left     string
		reason   string
	}{
		{projectsTable("NOT NULL", ""), graph.Foreground, false, "", "the dependent goes first"},
		{projectsTable("", "ON DELETE SET NULL"), graph.Background, false, "", "the database clears the reference, and the trigger lets it"},
		{projectsTable("", "ON DELETE SET NULL"), graph.Orphan, false, "p", "the row stays without a team"},
		{projectsTable("NOT NULL", "ON DELETE CASCADE"), graph.Orphan, true, "a, p", "the trigger keeps the row of an object that stays"},
	} {
		t.Run(c.how.String()+" "+c.left, func(t *testing.T) {
			onEach(t, func(t *testing.T, d *database) {
				h := d.mustHandle(t, nil)
				team, project := h.withTriggers(t, c.projects)
				run := h.collect(t, ownergraph.Config{})
				defer run.stop()
				if err := h.Delete(t.Context(), team.Key, graph.DeleteOptions{Propagation: c.how}); err != nil {
					t.Fatal(err)
				}
				if held := run.idle(); (held != "") != c.held {
					t.Errorf("held: %q: %s", held, c.reason)
				}
				var left []string
				for _, o := range []graph.Object{team, project} {
					if h.exists(t, o) {
						left = append(left, o.Name)
					}
				}
				rows := h.rows(t, h.tableOf("teams")) + h.rows(t, h.tableOf("projects"))
				if strings.Join(left, ", ") != c.left || rows != len(left) {
					t.Errorf("left: %v with %d rows, want %s: %s", left, rows, c.left, c.reason)
				}
			})
		})
	}
}

// TestTriggersChangeTheEffect: with triggers a cascade between tables of the user is refused, so
// Constraints says so.
func TestTriggersChangeTheEffect(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		team, _ := h.withTriggers(t, projectsTable("NOT NULL", "ON DELETE CASCADE"))
		if c, _ := h.constraintOf(t, "projects", "team_id"); c.Effect != graph.EffectRefuses {
			t.Errorf("%s has the effect %s", c, c.Effect)
		}
		if err := h.Delete(t.Context(), team.Key, graph.DeleteOptions{}); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("the deletion: %v", err)
		}
		teams, projects := h.guarded()
		if err := h.RemoveTriggers(t.Context(), teams, projects); err != nil {
			t.Fatal(err)
		}
		if c, _ := h.constraintOf(t, "projects", "team_id"); c.Effect != graph.EffectRemoves {
			t.Errorf("without triggers %s has the effect %s", c, c.Effect)
		}
	})
}

// TestTriggersOfOwners moves a row together with its object, in one transaction: first the
// reference and then the row. A second column may keep the former owner.
func TestTriggersOfOwners(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.define(t, teamsTable, `CREATE TABLE [tasks] (uid text NOT NULL UNIQUE REFERENCES {objects} (uid) ON DELETE CASCADE,
			a integer REFERENCES [teams] (id), b integer REFERENCES [teams] (id), of text)`)
		teams, _ := h.guarded()
		h.mustInstall(t, teams, Table{Schema: h.userSchema(), Name: "tasks", Owners: []OwnerColumn{{Column: "a", Table: "teams"}, {Column: "b", Table: "teams"}, {Column: "of"}}})
		var team []graph.Object
		for i, name := range []string{"one", "two"} {
			team = append(team, h.mustCreate(t, object("team", "", name)))
			h.mustExec(t, fmt.Sprintf(`INSERT INTO [teams] (id, uid) VALUES (%d, '%s')`, i+1, team[i].UID))
		}
		task := object("bucket", "one", "task")
		task.Owners = []graph.Owner{{Key: team[0].Key}}
		task = h.mustCreate(t, task)
		one, two := string(team[0].UID), string(team[1].UID)
		for _, c := range []struct {
			owners    []int
			statement string
			refused   bool
			reason    string
		}{
			{[]int{0}, `INSERT INTO [tasks] (uid, a, b, of) VALUES ('` + string(task.UID) + `', 1, 1, '` + one + `')`, false, "each column names the one owner"},
			{[]int{0}, `UPDATE [tasks] SET of = '` + two + `'`, true, "no reference to the UID"},
			{[]int{0}, `UPDATE [tasks] SET b = NULL`, false, "the other column still names the owner"},
			{[]int{0}, `UPDATE [tasks] SET a = NULL`, true, "no column of the same table names the owner that the object has"},
			{[]int{0}, `UPDATE [tasks] SET a = NULL, b = 1`, false, "another column takes the owner"},
			{[]int{0, 1}, `UPDATE [tasks] SET a = 2, b = 1`, false, "two owners"},
			{[]int{1}, `UPDATE [tasks] SET b = 2, of = '` + two + `'`, false, "the reference moved first"},
			{[]int{1}, `UPDATE [tasks] SET a = 9`, true, "no team has this number"},
		} {
			now, err := h.Get(t.Context(), task.Key)
			if err != nil {
				t.Fatal(err)
			}
			now.Owners = nil
			for _, i := range c.owners {
				now.Owners = append(now.Owners, graph.Owner{Key: team[i].Key})
			}
			tx, err := h.db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Tx(tx).Update(t.Context(), graph.Object{Key: now.Key, Owners: now.Owners}); err != nil {
				t.Fatal(err)
			}
			_, err = tx.ExecContext(t.Context(), strings.ReplaceAll(c.statement, "[tasks]", h.tableOf("tasks")))
			if (err != nil) != c.refused {
				t.Errorf("%s: %v: %s", c.statement, err, c.reason)
			}
			if err != nil {
				err = tx.Rollback()
			} else {
				err = tx.Commit()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestTriggersInBatches: a batch removes many objects with one statement, and their rows.
func TestTriggersInBatches(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.define(t, teamsTable)
		teams, _ := h.guarded()
		h.mustInstall(t, teams)
		var writes []graph.Write
		for i := range 20 {
			o := h.mustCreate(t, object("team", "", fmt.Sprint(i)))
			h.mustExec(t, fmt.Sprintf(`INSERT INTO [teams] (id, uid) VALUES (%d, '%s')`, i, o.UID))
			writes = append(writes, deletion(o))
		}
		results, err := h.Batch(t.Context(), writes)
		if err := errors.Join(append(results, err)...); err != nil || h.rows(t, h.tableOf("teams")) != 0 {
			t.Errorf("%v, %d rows are left", err, h.rows(t, h.tableOf("teams")))
		}
	})
}

// TestTriggersTogether: programs that start at one time install the triggers together.
func TestTriggersTogether(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.define(t, teamsTable, projectsTable("", ""))
		teams, projects := h.guarded()
		done := make(chan error)
		for range 8 {
			other := d.mustHandle(t, nil)
			go func() { done <- other.InstallTriggers(t.Context(), teams, projects) }()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if current, err := h.haveTriggers(t.Context(), h.mustComplete(t, teams, projects)); err != nil || !current {
			t.Errorf("the triggers are there: %t, %v", current, err)
		}
	})
}

// TestReplacePasses: INSERT OR REPLACE of SQLite deletes a row without the triggers of a deletion,
// unless recursive_triggers is on. The package documentation says so.
func TestReplacePasses(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	h.define(t, teamsTable)
	h.db.SetMaxOpenConns(1)
	teams, _ := h.guarded()
	h.mustInstall(t, teams)
	a, b := h.mustCreate(t, object("team", "", "a")), h.mustCreate(t, object("team", "", "b"))
	h.mustExec(t, `INSERT INTO [teams] (id, uid) VALUES (1, '`+string(a.UID)+`')`)
	for _, c := range []struct {
		recursive string
		refused   bool
	}{{"ON", true}, {"OFF", false}} {
		h.mustExec(t, `PRAGMA recursive_triggers = `+c.recursive)
		err := h.tryExec(t, `INSERT OR REPLACE INTO [teams] (id, uid) VALUES (1, '`+string(b.UID)+`')`)
		if (err != nil) != c.refused {
			t.Errorf("recursive_triggers %s: %v", c.recursive, err)
		}
	}
}
