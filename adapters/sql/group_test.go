package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// TestGroupNames: a name that the table cannot keep is refused.
func TestGroupNames(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	for _, c := range []struct{ name, reason string }{
		{"", "no name"}, {"a\x00b", "Postgres keeps no NUL"}, {"\xff", "not UTF-8"}, {strings.Repeat("a", 1025), "too long"},
	} {
		if _, err := h.Group(t.Context(), c.name); !errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), "group ") {
			t.Errorf("group %.20q: %v, want ErrInvalid: %s", c.name, err, c.reason)
		}
	}
}

// TestGroupWithoutRights: a role without the right to write the table gets ErrRefused.
func TestGroupWithoutRights(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	h.mustGroup(t, "g").joins(t, memberOf("y"), "y")
	role := h.roleWithoutDDL(t)
	s := h.storeOf(t, role)
	for _, right := range []string{"INSERT", "UPDATE", "DELETE", "SELECT"} {
		h.mustExec(t, h.conf.names().Replace(`REVOKE `+right+` ON {members} FROM `+role))
		g := Group{s, "g"}
		_, renew := g.Renew(t.Context(), memberOf("x"), minute)
		if !errors.Is(renew, graph.ErrRefused) || !strings.HasPrefix(renew.Error(), `renew member "x": `) {
			t.Errorf("Renew without the right to %s: %v", right, renew)
		}
		if leave := g.Leave(t.Context(), memberOf("x")); errors.Is(leave, graph.ErrRefused) != (right == "DELETE" || right == "SELECT") {
			t.Errorf("Leave without the right to %s: %v", right, leave)
		}
		h.mustExec(t, h.conf.names().Replace(`GRANT `+right+` ON {members} TO `+role))
	}
	(&Group{s, "g"}).joins(t, memberOf("x"), "x", "y")
}

// TestGroupOnOldTables: a group works on the tables of version 1, and leaves them as they are.
func TestGroupOnOldTables(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withNames(t, SchemaVersion)
		if _, err := h.Group(t.Context(), "g"); err == nil || !strings.Contains(err.Error(), h.conf.Prefix) {
			t.Errorf("a group before Migrate: %v", err)
		}
		h.makeVersion(t, firstSchema)
		h.mustGroup(t, "g").joins(t, memberOf("x"), "x")
		if v := h.schema(t); v != firstSchema {
			t.Errorf("the tables have version %d", v)
		}
	})
}

// TestGroupTableIsGone: a person drops the table, or restores a backup from before. The error of a
// member is none of the answers of a group. Another call of Group makes the table, and the member
// goes on.
func TestGroupTableIsGone(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		g := h.mustGroup(t, "g")
		g.joins(t, memberOf("x"), "x")
		h.mustExec(t, h.conf.names().Replace(`DROP TABLE {members}`))
		if _, err := g.Renew(t.Context(), memberOf("x"), minute); err == nil || errors.Is(err, group.ErrTaken) || !strings.Contains(err.Error(), "og_members") {
			t.Errorf("Renew without a table: %v", err)
		}
		d.mustHandle(t, nil).mustGroup(t, "g")
		g.joins(t, memberOf("x"), "x")
	})
}

// TestGroupRestart: the server is killed, and starts again on its data. The members are still
// there, and a call in between has no answer.
func TestGroupRestart(t *testing.T) {
	srv := startServer(t, postgres.Config{})
	d := newPostgresDatabase(t)
	d.mustHandle(t, nil) // the rig empties the tables of the common server
	d.open = func(f *faults) (*sql.DB, error) { return openPostgres(srv.DSN(), f) }
	g, other := d.mustHandle(t, nil).mustGroup(t, "g"), d.mustHandle(t, nil).mustGroup(t, "g")
	g.joins(t, memberOf("x"), "x")
	other.joins(t, memberOf("y"), "x", "y")
	if err := srv.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Renew(t.Context(), memberOf("x"), minute); err == nil || errors.Is(err, group.ErrTaken) || errors.Is(err, graph.ErrRefused) {
		t.Errorf("Renew without a server: %v", err)
	}
	if err := srv.Restart(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "x renews", func() bool { _, err := g.Renew(t.Context(), memberOf("x"), minute); return err == nil })
	d.mustHandle(t, nil).mustGroup(t, "g").joins(t, memberOf("z"), "x", "y", "z")
}

// TestGroupBesideWriters: two processes write without a pause. Their members renew meanwhile,
// each time within a lease: a renewal does not starve behind the writers.
func TestGroupBesideWriters(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		ctx, stop := context.WithCancel(t.Context())
		var writers, members sync.WaitGroup
		for i := range 2 {
			h := d.mustHandle(t, nil)
			for j := range 4 {
				writers.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						if _, err := h.Create(ctx, object("team", "", fmt.Sprintf("w%d-%d-%d", i, j, n))); err != nil && ctx.Err() == nil {
							t.Errorf("a writer: %v", err)
							return
						}
					}
				})
			}
			members.Go(func() {
				g := h.mustGroup(t, "g")
				for range 6 {
					call, end := context.WithTimeout(t.Context(), minute)
					if _, err := g.Renew(call, memberOf(fmt.Sprint("m", i)), minute); err != nil {
						t.Errorf("a member beside writers: %v", err)
					}
					end()
				}
			})
		}
		members.Wait()
		stop()
		writers.Wait()
	})
}
