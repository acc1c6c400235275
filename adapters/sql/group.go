package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// Group is a group.Coordinator in the database of a store, for collectors on this store or on
// another one. It is safe for concurrent use. A member has a row of og_members with the end of
// its lease, by the clock of the database. Use Store.Group.
//
//test:by TestGroup TestGroupProcesses TestGroupBesideOther
type Group struct {
	s    *Store
	name string
}

var _ group.Coordinator = (*Group)(nil)

// Group returns the group of a name. The first call of any program makes og_members, with the right
// to create a table. Then the calls only look at the table. On Postgres a call waits at most a second
// for a migration, and tries again four times. The tables of Migrate keep their version.
//
// Errors: ErrInvalid for a name that no member could have either (group.ValidateMember). ErrRefused
// without the right to create the table: the error has the statement for an administrator, which is
// that of GroupText. ErrRefused too for a table that lacks something, and as for Migrate. An error
// with a RetryAfter says that nothing is done.
//
//test:by TestGroup TestGroupNames TestGroupTogether TestGroupWithoutDDL TestGroupOtherTable TestGroupBesideFormer
func (s *Store) Group(ctx context.Context, name string) (*Group, error) {
	if group.ValidateMember(group.Member{Name: name, Instance: "group"}) != nil {
		return nil, fmt.Errorf("group %.200q: name: want 1 to 1,024 bytes of UTF-8 without control characters: %w", name, graph.ErrInvalid)
	}
	if err := s.makeMembers(ctx); err != nil {
		return nil, s.failedGroup("group", fmt.Sprintf("%.200q", name), err)
	}
	return &Group{s, name}, nil
}

// Renew begins or renews the lease of a member (group.Coordinator). It is one transaction, which
// also deletes at most 100 rows whose leases are over. On SQLite it waits for its turn among the
// writers of this process, which get theirs in the order of their calls.
//
// Errors: group.ErrTaken, ErrInvalid, and ErrRefused without the right to the table, and for a
// member beyond group.MaxMembers. An error with a RetryAfter says that nothing is done.
//
//test:by TestGroup TestGroupWithoutRights TestGroupRowsAreBounded TestGroupBesideWriters TestGroupRestart TestGroupForeignRows
//test:by TestGroupTooMany TestGroupBehindForeignRows
func (g *Group) Renew(ctx context.Context, self group.Member, lease time.Duration) ([]group.Member, error) {
	if err := group.ValidateRenewal(self, lease); err != nil {
		return nil, fmt.Errorf("renew %w", err)
	}
	// The clocks are rounded, so one millisecond more makes no lease end early.
	ms := int64((lease+time.Millisecond-1)/time.Millisecond) + 1
	var inForce []group.Member
	var whole bool
	err := g.transact(ctx, func(c *conn) (err error) {
		r, err := c.exec(ctx, g.text(renewMember), g.name, self.Name, self.Instance, ms)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n != 1 {
			return errors.Join(err, g.taken(ctx, c))
		}
		if _, err = c.exec(ctx, g.text(removeOver), g.name, self.Name); err == nil {
			inForce, whole, err = g.read(ctx, c, self)
		}
		return err
	})
	if err != nil {
		return nil, g.s.failedGroup("renew", subjectOf(self), err)
	}
	list, err := group.Result(self, inForce)
	if err != nil && !whole && !errors.Is(err, graph.ErrRefused) {
		err = fmt.Errorf("%s: the group has other rows before it, more than %d: %w", subjectOf(self), group.MaxMembers, graph.ErrRefused)
	}
	if err != nil {
		return nil, fmt.Errorf("renew %w", err)
	}
	return list, nil
}

// Leave ends the lease of this instance at once (group.Coordinator). Errors: ErrInvalid, and
// ErrRefused without the right to the table.
//
//test:by TestGroup TestGroupWithoutRights
func (g *Group) Leave(ctx context.Context, self group.Member) error {
	if err := group.ValidateMember(self); err != nil {
		return fmt.Errorf("leave %w", err)
	}
	err := g.transact(ctx, func(c *conn) error {
		_, err := c.exec(ctx, g.text(removeMember), g.name, self.Name, self.Instance)
		return err
	})
	if err != nil {
		return g.s.failedGroup("leave", subjectOf(self), err)
	}
	return nil
}

// transact runs statements in one transaction, on tables and a server that this store may use.
func (g *Group) transact(ctx context.Context, do func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return g.s.transact(ctx, func(ses *session) error {
		if _, err := ses.c.checkTables(ctx); err != nil {
			return err
		}
		return do(&ses.c)
	})
}

// taken returns the reason for which no row was written: an upgrade came between, or another
// instance has the name.
func (g *Group) taken(ctx context.Context, c *conn) error {
	if _, err := c.checkTables(ctx); err != nil {
		return err
	}
	return group.ErrTaken
}

// read returns the members, and whether there are no further rows. Another program may have written a
// row that no member has.
func (g *Group) read(ctx context.Context, c *conn, self group.Member) (list []group.Member, whole bool, err error) {
	rows := 0
	err = c.each(ctx, g.text(readMembers), []any{g.name, self.Name, group.MaxMembers + 1}, func(row *sql.Rows) error {
		var m group.Member
		var age int64
		rows++
		if err := row.Scan(&m.Name, &m.Instance, &age); err != nil {
			return err
		}
		if group.ValidateMember(group.Member{Name: m.Name, Instance: "unknown"}) != nil {
			return nil
		}
		if group.ValidateMember(m) != nil {
			m.Instance = ""
		}
		m.Age = time.Duration(max(age, 0)) * time.Millisecond // two transactions may have read the clock in the other order
		list = append(list, m)
		return nil
	})
	return list, rows <= group.MaxMembers, err
}

func subjectOf(self group.Member) string { return fmt.Sprintf("member %.200q", self.Name) }

// failedGroup names the verb and the subject, also of a refusal.
func (s *Store) failedGroup(verb, subject string, err error) error {
	if errors.Is(err, graph.ErrRefused) {
		return fmt.Errorf("%s %s: %w", verb, subject, err)
	}
	return s.failed(verb, subject, err)
}

// text puts the clock and the names of the tables into a statement, in the dialect.
func (g *Group) text(text string) string {
	d := g.s.conf.Dialect
	text = strings.NewReplacer("{holds}", memberHolds, "{unlocked}", map[Dialect]string{Postgres: "FOR UPDATE SKIP LOCKED"}[d]).Replace(text)
	text = strings.ReplaceAll(text, "{clock}", clockText(d))
	return g.s.recordText(text)
}
