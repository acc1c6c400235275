package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// memberRow inserts a row as another program does. The times are milliseconds from now.
func (h *handle) memberRow(groupName, name, instance string, renewed, until int64) error {
	text := strings.ReplaceAll(`INSERT INTO {members} (grp, name, instance, renewed, until) VALUES ($1, $2, $3, {clock} + $4, {clock} + $5)`, "{clock}", clockText(h.conf.Dialect))
	_, err := h.db.Exec(h.recordText(text), groupName, name, instance, renewed, until)
	return err
}

func (h *handle) mustMemberRow(t *testing.T, groupName, name string, renewed, until int64) {
	t.Helper()
	if err := h.memberRow(groupName, name, "i", renewed, until); err != nil {
		t.Fatal(err)
	}
}

// TestGroupRowsAreBounded: members with names of their own join and crash. Each renewal of any
// group deletes rows that are over, those of other groups too, and not all at once.
func TestGroupRowsAreBounded(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		g := h.mustGroup(t, "g")
		for i := range 250 {
			h.mustMemberRow(t, fmt.Sprint("former", i%3), fmt.Sprint("m", i), -5000, -3000)
		}
		h.mustMemberRow(t, "other", "lives", 0, minute.Milliseconds())
		for _, want := range []int{152, 52, 2, 2} {
			g.joins(t, memberOf("x"), "x")
			if n := h.rows(t, h.conf.names().Replace("{members}")); n != want {
				t.Errorf("%d rows are left, want %d", n, want)
			}
		}
		for i := range 300 {
			if _, err := g.Renew(t.Context(), memberOf(fmt.Sprint("crashes", i)), time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "the rows of crashed members are gone", func() bool {
			g.stays(t, memberOf("x"))
			return h.rows(t, h.conf.names().Replace("{members}")) == 2
		})
	})
}

// stays renews a member beside others whose leases are short.
func (g *Group) stays(t *testing.T, m group.Member) {
	t.Helper()
	if _, err := g.Renew(t.Context(), m, minute); err != nil {
		t.Error(err)
	}
}

// TestGroupForeignRows: another program writes rows. The table takes no lease above an hour. A
// row that no member has is none, and a clock that went back leaves no dead member in force.
func TestGroupForeignRows(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		g := h.mustGroup(t, "g")
		for _, c := range []struct {
			name, instance string
			renewed, until int64
			reason         string
		}{
			{"a", "i", 0, 2 * group.MaxLease.Milliseconds(), "a lease of two hours"},
			{"a", "i", 0, 1 << 60, "a lease without an end"},
			{"a", "i", 1000, 0, "an end before the begin"},
			{"a", "i", -1 << 60, 0, "a negative time"},
			{strings.Repeat("a", 1025), "i", 0, 1000, "a long name"},
			{"a", strings.Repeat("é", 513), 0, 1000, "a long instance"},
		} {
			if h.memberRow("g", c.name, c.instance, c.renewed, c.until) == nil {
				t.Errorf("the table takes %s", c.reason)
			}
		}
		const second = 1000
		h.mustMemberRow(t, "g", "a\nb", 0, 60*second)
		h.mustMemberRow(t, "g", "ahead", 600*second, 660*second)
		h.mustMemberRow(t, "g", "slightly ahead", 5*second, 65*second)
		if err := h.memberRow("g", "odd", "a\nb", 0, 60*second); err != nil {
			t.Fatal(err)
		}
		g.joins(t, memberOf("x"), "odd", "slightly ahead", "x")
		list, err := g.Renew(t.Context(), memberOf("ahead"), minute)
		for _, m := range list {
			if (m.Name == "odd") != (m.Instance == "") || m.Age < 0 || err != nil {
				t.Errorf("a member is %+v, error %v", m, err)
			}
		}
		if _, err := g.Renew(t.Context(), memberOf("odd"), minute); !errors.Is(err, group.ErrTaken) {
			t.Errorf("a name with another instance: %v", err)
		}
	})
}

// TestGroupTooMany: all members see the same part of too many rows. A further one is refused.
func TestGroupTooMany(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		g := h.mustGroup(t, "g")
		want := []string{"a"}
		for i := range group.MaxMembers {
			name := fmt.Sprintf("m%04d", i)
			h.mustMemberRow(t, "g", name, 0, minute.Milliseconds())
			want = append(want, name)
		}
		g.joins(t, memberOf("a"), want[:group.MaxMembers]...)
		if _, err := g.Renew(t.Context(), memberOf("z"), minute); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "1024 others") {
			t.Errorf("a member beyond the most: %v", err)
		}
	})
}

// TestGroupBehindForeignRows: another program writes more rows than members, with names that none
// has. The error names the cause.
func TestGroupBehindForeignRows(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		g := h.mustGroup(t, "g")
		for i := range group.MaxMembers + 1 {
			h.mustMemberRow(t, "g", fmt.Sprintf("\n%04d", i), 0, minute.Milliseconds())
		}
		if _, err := g.Renew(t.Context(), memberOf("x"), minute); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "other rows") {
			t.Errorf("a member behind other rows: %v", err)
		}
	})
}

// TestGroupPassesLockedRows: a transaction has locked a row that is over. A renewal does not
// wait for it.
func TestGroupPassesLockedRows(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	g := h.mustGroup(t, "g")
	h.mustMemberRow(t, "g", "dead", -5000, -3000)
	h.mustMemberRow(t, "g", "gone", -5000, -3000)
	tx := h.begin(t, sql.LevelReadCommitted)
	h.run(t, tx, h.conf.names().Replace(`SELECT 1 FROM {members} WHERE name = 'dead' FOR UPDATE`))
	g.joins(t, memberOf("x"), "x")
	if n := h.rows(t, h.conf.names().Replace("{members}")); n != 2 {
		t.Errorf("%d rows are left, want that of the member and the locked one", n)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}

// TestGroupRenewsBesideRemovals: leases end and begin again while other members remove what is
// over. No removal takes a renewed row.
func TestGroupRenewsBesideRemovals(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a, b := d.mustHandle(t, nil).mustGroup(t, "g"), d.mustHandle(t, nil).mustGroup(t, "g")
		stop := make(chan struct{})
		var others sync.WaitGroup
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					b.stays(t, memberOf("y"))
				}
			}
		})
		x := memberOf("x")
		for range 40 {
			for _, lease := range []time.Duration{time.Millisecond, minute} {
				if _, err := a.Renew(t.Context(), x, lease); err != nil {
					t.Fatal(err)
				}
			}
			list, err := a.Renew(t.Context(), memberOf("z"), minute)
			if err != nil || !slices.ContainsFunc(list, func(m group.Member) bool { return m.Name == "x" }) {
				t.Errorf("after a renewal the members are %v, error %v", list, err)
			}
		}
		close(stop)
		others.Wait()
	})
}
