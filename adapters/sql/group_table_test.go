package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// groupText is the statement of GroupText for a database.
func (h *handle) groupText(t *testing.T) string {
	t.Helper()
	list, err := GroupText(h.d.conf)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d statements, %v", len(list), err)
	}
	return list[0]
}

// TestGroupText: the statement by hand, also twice, gives the table of Group.
func TestGroupText(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := migrated(t, d, SchemaVersion)
		before := catalogOf(t, h)
		h.mustGroup(t, "g")
		want := catalogOf(t, h)
		byHand := migrated(t, newDatabases[d.name](t), SchemaVersion)
		for range 2 {
			byHand.mustExec(t, byHand.groupText(t))
		}
		byHand.mustGroup(t, "g").joins(t, memberOf("x"), "x")
		if got := catalogOf(t, byHand); !slices.Equal(got, want) || len(got) <= len(before) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
	for _, c := range []struct {
		conf         Config
		want, reason string
	}{
		{Config{}, "group text: Dialect: unset", "no driver tells the dialect"},
		{Config{Dialect: SQLite, Prefix: `x"`}, "group text: Prefix: ", "a name with a quote"},
	} {
		if list, err := GroupText(c.conf); list != nil || !errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, %v, want %s: %s", list, err, c.want, c.reason)
		}
	}
}

// TestGroupTogether: several programs make the table at once. A later call executes no statement that
// writes or locks.
func TestGroupTogether(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		var all sync.WaitGroup
		for range 6 {
			h := d.mustHandle(t, nil)
			all.Go(func() {
				if _, err := h.Group(t.Context(), "g"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		h := d.mustHandle(t, nil)
		ask := func(text string) error {
			if regexp.MustCompile(`(?i)^\s*(CREATE|ALTER|LOCK|INSERT|UPDATE|DELETE|SET|BEGIN)|advisory`).MatchString(text) {
				t.Errorf("a later call executes %.60s", text)
			}
			return nil
		}
		d.faults.fail.Store(&ask)
		g := h.mustGroup(t, "g")
		d.faults.fail.Store(nil)
		g.joins(t, memberOf("x"), "x")
	})
}

// TestGroupMadeByHand: a person makes the table at the same time, without the lock of the migrations.
// The database refuses the statement of Group then, and Group takes the table that is there.
func TestGroupMadeByHand(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	other := d.mustHandle(t, nil)
	tx := h.begin(t, sql.LevelReadCommitted)
	h.run(t, tx, h.groupText(t))
	done := make(chan error, 1)
	go func() {
		_, err := other.Group(t.Context(), "g")
		done <- err
	}()
	eventually(t, "Group waits for the person", func() bool {
		var n int
		err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'CREATE TABLE%' AND strpos(query, $1) > 0`, h.membersName()).Scan(&n)
		return err == nil && n == 1
	})
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	other.mustGroup(t, "g").joins(t, memberOf("x"), "x")
}

// TestGroupWithoutDDL: a role may create nothing. The error has the statement. An administrator
// executes it, and the role has a group.
func TestGroupWithoutDDL(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	role := h.roleWithoutDDL(t)
	s := h.storeOf(t, role)
	_, err := s.Group(t.Context(), "g")
	want := fmt.Sprintf(`group "g": table %s: it is not there, and the database refuses to create it: let an administrator run %s: refused: `,
		h.membersName(), strings.ReplaceAll(h.groupText(t), "\n\t", " "))
	if !errors.Is(err, graph.ErrRefused) || !strings.HasPrefix(err.Error(), want) {
		t.Fatalf("Group without the right to create a table: %v, want %s", err, want)
	}
	h.mustExec(t, h.groupText(t))
	h.mustExec(t, h.conf.names().Replace(`GRANT SELECT, INSERT, UPDATE, DELETE ON {members} TO `+role))
	g, err := s.Group(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	g.joins(t, memberOf("x"), "x")
}

// TestGroupOtherTable: a table of this name has another shape. Group refuses it, names the part that
// it lacks, and leaves it as it is. A further column of a later version is none of its business.
func TestGroupOtherTable(t *testing.T) {
	for _, c := range []struct {
		from, to string // of the statement
		lacks    string
		reason   string
	}{
		{"until (bigint|INTEGER)", "until numeric", "until ", "a column with another type"},
		{"instance", "inst", "instance ", "a column is missing"},
		{"renewed ([a-z]+|INTEGER) NOT NULL", "renewed $1", "renewed ", "a column takes NULL"},
		{`PRIMARY KEY \(grp, name\)`, "PRIMARY KEY (grp)", "PRIMARY KEY (grp, name)", "a name is in one group only"},
		{`,\s+CHECK \(until[^,]*3601000\)`, "", "CHECK (until > renewed", "no bound of a lease"},
		{"3601000", "36010000", "CHECK (until > renewed", "another bound"},
		{`(?s)CREATE TABLE IF NOT EXISTS (\S+) .*`, `CREATE VIEW $1 AS SELECT 1 AS name`, "grp ", "a view"},
		{`,\s+CHECK \(renewed >= 0\)`, ", CHECK(\n renewed>=0 ), CHECK (grp <> 'x')", "", "the same in another notation, with a further constraint"},
		{`PRIMARY KEY`, "later text, PRIMARY KEY", "", "a further column"},
	} {
		onEach(t, func(t *testing.T, d *database) {
			h := d.mustHandle(t, nil)
			text := regexp.MustCompile(c.from).ReplaceAllString(h.groupText(t), c.to)
			if text == h.groupText(t) {
				t.Fatalf("%s: nothing to replace in %s", c.reason, text)
			}
			h.mustExec(t, text)
			if strings.HasPrefix(text, "CREATE VIEW") {
				defer h.mustExec(t, h.conf.names().Replace(`DROP VIEW {members}`))
			}
			before := catalogOf(t, h)
			g, err := h.Group(t.Context(), "g")
			switch {
			case c.lacks != "":
				if !errors.Is(err, graph.ErrRefused) || !strings.HasPrefix(err.Error(), `group "g": table `+h.membersName()+": it is not that of GroupText, and lacks "+c.lacks) {
					t.Errorf("%s: %v", c.reason, err)
				}
			case err != nil:
				t.Errorf("%s: %v", c.reason, err)
			default:
				g.joins(t, memberOf("x"), "x")
			}
			if after := catalogOf(t, h); !slices.Equal(before, after) {
				t.Errorf("%s: the table was changed: %v", c.reason, after)
			}
		})
	}
}
