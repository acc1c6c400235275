package cli

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
)

// userTables are tables whose rows are rows of objects.
const userTables = `CREATE TABLE teams (id integer PRIMARY KEY, uid text NOT NULL UNIQUE REFERENCES og_objects (uid) ON DELETE CASCADE);
CREATE TABLE projects (id integer PRIMARY KEY, team_id integer NOT NULL REFERENCES teams (id), uid text NOT NULL UNIQUE REFERENCES og_objects (uid) ON DELETE CASCADE)`

// withRows adds the tables of the user to a store in a file, with a row for a team and one for its
// project.
func (d *database) withRows(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", sqliteName(strings.TrimPrefix(d.flag, "sqlite:")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, text := range []string{userTables, `INSERT INTO teams VALUES (1, '` + string(d.made["blue"].UID) + `')`, `INSERT INTO projects VALUES (1, 1, '` + string(d.made["site"].UID) + `')`} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// TestForeignKeys: lint and plan of a live store name the foreign key that refuses the deletion of a
// team, and the deletion is refused.
func TestForeignKeys(t *testing.T) {
	d := newSQLite(t)
	d.withRows(t)
	const assumed = "assumed: no row that is still there refers to the row of the kind team (1 object), else the database refuses: " +
		"projects.team_id refers to teams.id (ON DELETE NO ACTION)\n"
	for _, c := range []struct {
		args   []string
		code   int
		want   []string
		reason string
	}{
		{[]string{"lint"}, 3, []string{"OG033 warning: foreign key that refuses deletions (1)\n", "table/projects  team_id  The key projects.team_id refers to teams.id (ON DELETE NO ACTION). ",
			"an owner (team) as long as the row of a dependent (project) refers", "OG035 warning: foreign key without an index (1)\n", "2 warnings in 5 objects\n"}, "both faults"},
		{[]string{"lint", "-o", "json"}, 3, []string{`"code": "OG033"`, `"kind": "table"`, `"name": "projects"`, `"field": "team_id"`}, "the same as JSON"},
		{[]string{"plan", "team/blue"}, 0, []string{assumed}, "the owner goes first"},
		{[]string{"plan", "team/blue", "--cascade", "orphan"}, 0, []string{assumed}, "the project stays"},
		{[]string{"delete", "team/blue", "--yes", "--act"}, 1, []string{assumed}, "the database refuses"},
		{[]string{"plan", "team/blue", "--cascade", "foreground"}, 0, []string{"4 objects go", "assumed: only rows of dependents refer to the row of the kind team (1 object): projects.team_id"}, "the projects go first"},
		{[]string{"delete", "team/blue", "--yes", "--act", "--cascade", "foreground"}, 0, []string{"delete team/blue: 4 of 4 gone"}, "so does a deletion"},
	} {
		got := call(t, "", append(c.args, "--store", d.flag)...)
		for _, want := range c.want {
			if got.code != c.code || !strings.Contains(strings.ReplaceAll(got.stdout, `":"`, `": "`), want) {
				t.Errorf("%v: exit %d, want %d and %q: %s\n%s%s", c.args, got.code, c.code, want, c.reason, got.stdout, got.stderr)
			}
		}
		if foreground := slices.Contains(c.args, "foreground"); foreground && strings.Contains(got.stdout, assumed) {
			t.Errorf("%v: an assumption that the order excludes: %s", c.args, got.stdout)
		}
	}
}

// TestForeignKeysIgnored: a list leaves a table out.
func TestForeignKeysIgnored(t *testing.T) {
	d := newSQLite(t)
	d.withRows(t)
	list := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(list, []byte("OG033 table/projects\nOG035\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "", "lint", "--store", d.flag, "--ignore", list); got.code != 0 || !strings.Contains(got.stdout, "ignored: 1") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestRowsGoWithObjects: a deletion by the command takes the rows of the user along.
func TestRowsGoWithObjects(t *testing.T) {
	d := newSQLite(t)
	db := d.withRows(t)
	if got := call(t, "", "delete", "project/s/site", "--store", d.flag, "--yes", "--act"); got.code != 0 {
		t.Fatalf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	var rows int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM projects`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows are left, %v", rows, err)
	}
}

// TestSchema executes the printed text in an empty database. A store runs on it, and the triggers
// refuse old code.
func TestSchema(t *testing.T) {
	got := call(t, "", "schema", "--dialect", "sqlite", "--prefix", "own_")
	if got.code != 0 || !strings.HasPrefix(got.stdout, "-- ownergraph: version 1 of the tables, for one transaction\nCREATE TABLE IF NOT EXISTS \"own_meta\"") {
		t.Fatalf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	file := filepath.Join(t.TempDir(), "app.db")
	db, err := sql.Open("sqlite", sqliteName(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	triggers := call(t, "", "schema", "--dialect", "sqlite", "--prefix", "own_", "--from", "2", "--triggers", "teams", "--triggers", "projects,team_id=teams.id")
	for _, text := range []string{got.stdout, strings.ReplaceAll(userTables, "og_", "own_"), triggers.stdout, triggers.stdout} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	d := fill(t, db, sqlstore.Config{Prefix: "own_"}, "sqlite:"+file)
	if err := d.InstallTriggers(t.Context(), sqlstore.Table{Name: "teams"}); err != nil {
		t.Error(err)
	}
	if _, err := db.ExecContext(t.Context(), `INSERT INTO projects (id, team_id) VALUES (1, 1)`); err == nil || !strings.Contains(err.Error(), "ownergraph: projects.uid: NULL") {
		t.Errorf("old code: %v", err)
	}
	if err := d.Delete(t.Context(), d.made["red"].Key, graph.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// TestSchemaVersions: --from leaves out the versions that are there.
func TestSchemaVersions(t *testing.T) {
	for _, c := range []struct {
		args   string
		want   []string
		never  string
		reason string
	}{
		{"--from 0", []string{"version 1", "version 2", `CREATE SCHEMA IF NOT EXISTS "app";`}, "version 3", "policies are a step of their own"},
		{"--from 1", []string{"version 2", `LOCK TABLE "app"."og_objects"`}, "version 1", "version 1 is there"},
		{"--from 2", []string{"-- ownergraph: the tables have version 2, which is the newest"}, "CREATE", "nothing is missing"},
		{"--from 2 --policies", []string{"version 3", `CREATE TABLE IF NOT EXISTS "app"."og_restricts"`}, "version 2", "the step"},
		{"--from 3 --policies", []string{"-- ownergraph: the tables have version 3, which is the newest"}, "CREATE", "the step is done"},
		{"--from 2 --archive", []string{"version 3", "version 4", `CREATE TABLE IF NOT EXISTS "app"."og_archive"`}, "version 2", "the archive needs the step of policies"},
		{"--from 3 --policies --archive", []string{"version 4"}, "version 3 of", "the step of policies is done"},
	} {
		got := call(t, "", append(strings.Fields("schema --dialect postgres --schema app"), strings.Fields(c.args)...)...)
		for _, want := range c.want {
			if got.code != 0 || !strings.Contains(got.stdout, want) || strings.Contains(got.stdout, c.never) {
				t.Errorf("%s: exit %d, want %q and never %q: %s\n%s%s", c.args, got.code, want, c.never, c.reason, got.stdout, got.stderr)
			}
		}
	}
}

// TestSchemaOfGroups: the table of groups has no version, so it is printed for each one. A group takes
// it, and a second execution changes nothing.
func TestSchemaOfGroups(t *testing.T) {
	const first, title = "CREATE TABLE IF NOT EXISTS \"app\".\"og_members\" (\n", "-- ownergraph: the table of groups, for one transaction\n"
	for _, from := range []string{"0", "1", "2"} {
		without := call(t, "", "schema", "--dialect", "postgres", "--schema", "app", "--from", from)
		with := call(t, "", "schema", "--dialect", "postgres", "--schema", "app", "--from", from, "--groups")
		if with.code != 0 || !strings.HasPrefix(with.stdout, without.stdout+title+first) || strings.Contains(without.stdout, "og_members") {
			t.Errorf("--from %s: exit %d\n%s%s", from, with.code, with.stdout, with.stderr)
		}
	}
	file := filepath.Join(t.TempDir(), "app.db")
	db, err := sql.Open("sqlite", sqliteName(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	text := call(t, "", "schema", "--dialect", "sqlite", "--prefix", "own_", "--groups").stdout
	for range 2 {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	d := fill(t, db, sqlstore.Config{Prefix: "own_"}, "sqlite:"+file)
	if _, err := d.Group(t.Context(), "g"); err != nil {
		t.Error(err)
	}
}

// TestSchemaOfReaders: the role and the view of the readers are printed behind the tables, with the tables of the kinds.
func TestSchemaOfReaders(t *testing.T) {
	without := call(t, "", "schema", "--dialect", "postgres", "--schema", "app", "--archive")
	with := call(t, "", "schema", "--dialect", "postgres", "--schema", "app", "--archive", "--reader", "auditor", "--payload", "token=own.tokens:id", "--payload", "photo=photos")
	if with.code != 0 || !strings.HasPrefix(with.stdout, without.stdout+"-- ownergraph: the role auditor, which reads the archive, for one transaction\n") {
		t.Fatalf("exit %d\n%s%s", with.code, with.stdout, with.stderr)
	}
	for _, want := range []string{`CREATE ROLE "auditor" NOLOGIN`, `FROM PUBLIC, "auditor";`, `CREATE OR REPLACE VIEW "app"."og_archive_entries" WITH (security_barrier)`,
		`WHEN 'token' THEN has_table_privilege('"own"."tokens"'::regclass, 'SELECT')`, `WHEN 'photo' THEN has_table_privilege('"photos"'::regclass`, `GRANT SELECT ON "app"."og_archive_entries" TO "auditor";`} {
		if !strings.Contains(with.stdout, want) {
			t.Errorf("the text has no %s:\n%s", want, with.stdout)
		}
	}
}

// TestSchemaForGoose executes each marked statement alone, as goose does. Some have a ";" inside.
func TestSchemaForGoose(t *testing.T) {
	text := call(t, "", "schema", "--dialect", "sqlite", "--goose", "--triggers", "teams").stdout
	if !strings.HasPrefix(text, "-- +goose Up\n") {
		t.Errorf("no mark of goose at the beginning: %.40q", text)
	}
	db, err := sql.Open("sqlite", sqliteName(filepath.Join(t.TempDir(), "app.db")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE teams (id integer PRIMARY KEY, uid text)`); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(text, "-- +goose StatementBegin\n")[1:]
	for _, part := range parts {
		statement, rest, ended := strings.Cut(part, "-- +goose StatementEnd\n")
		if _, err := db.ExecContext(t.Context(), statement); err != nil || !ended {
			t.Errorf("%s: %v", statement, err)
		}
		if rest = strings.TrimSpace(rest); rest != "" && (!strings.HasPrefix(rest, "-- ") || strings.Contains(rest, "\n")) {
			t.Errorf("outside of the marks: %s", rest)
		}
	}
	if len(parts) < 10 {
		t.Errorf("%d statements", len(parts))
	}
}

func TestSchemaErrors(t *testing.T) {
	for _, c := range []struct {
		args         []string
		want, reason string
	}{
		{nil, "--dialect is missing: want sqlite or postgres", "there is no default"},
		{[]string{"--dialect", "mysql"}, `--dialect "mysql": want sqlite or postgres`, "another database"},
		{[]string{"--dialect", "sqlite", "--from", "3"}, "--from 3: want 0 to 2", "a later version"},
		{[]string{"--dialect", "sqlite", "--from", "-1"}, "--from -1: want 0 to 2", "no version"},
		{[]string{"--dialect", "sqlite", "--prefix", "a b"}, `Prefix: "a b": want a name`, "a wrong prefix"},
		{[]string{"--dialect", "sqlite", "--triggers", ""}, `--triggers "": trigger text: table "": Name: empty`, "no table"},
		{[]string{"--dialect", "sqlite", "--triggers", "app.teams"}, `Schema: "app": on SQLite`, "no schema on SQLite"},
		{[]string{"--dialect", "postgres", "--triggers", "projects,team_id=teams"}, `"team_id=teams": want COLUMN=TABLE.KEY, or COLUMN`, "no key"},
		{[]string{"--dialect", "sqlite", "--archive", "--reader", "r"}, `--reader "r": reader text: Dialect: sqlite has no roles`, "SQLite has no roles"},
		{[]string{"--dialect", "postgres", "--reader", "r"}, "want --archive with --reader ROLE", "a role without an archive"},
		{[]string{"--dialect", "postgres", "--archive", "--payload", "a=b"}, "want --archive with --reader ROLE", "a table without a role"},
		{[]string{"--dialect", "postgres", "--archive", "--reader", "r", "--payload", "tokens"}, `--payload "tokens": want KIND=TABLE[:UID]`, "a table without a kind"},
		{[]string{"--dialect", "postgres", "--archive", "--reader", "r", "--payload", "a=b", "--payload", "a=c"}, `--payload "a=c": want KIND=TABLE[:UID], once`, "two tables of a kind"},
		{[]string{"--dialect", "postgres", "--archive", "--reader", "r", "--payload", "a="}, `Tables["a"]`, "no table"},
		{[]string{"--dialect", "postgres", "--triggers", "projects,"}, `Owners[0].Column: empty`, "no column"},
	} {
		got := call(t, "", append([]string{"schema"}, c.args...)...)
		if got.code != 2 || !strings.Contains(got.stderr, c.want) || got.stdout != "" {
			t.Errorf("%v: exit %d, want 2 and %q: %s\n%s%s", c.args, got.code, c.want, c.reason, got.stdout, got.stderr)
		}
	}
}
