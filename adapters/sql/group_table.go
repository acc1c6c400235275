package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// GroupText returns the statement that makes og_members, the table of groups, for a program or a
// person that changes the database. Config needs a Dialect. The statement may be executed again.
// The table has no version, so programs of each version work beside it. The error wraps ErrInvalid
// and names the wrong field.
//
//test:by TestGroupText TestGroupWithoutDDL
func GroupText(c Config) ([]string, error) {
	c, err := c.named()
	if err != nil {
		return nil, fmt.Errorf("group text: %w", err)
	}
	return []string{c.membersText()}, nil
}

func (c Config) membersText() string {
	end := `)`
	if c.Dialect == SQLite {
		end = `) WITHOUT ROWID`
	}
	return c.names().Replace("CREATE TABLE IF NOT EXISTS {members} (\n\t" + strings.Join(membersParts(c.Dialect), ",\n\t") + end)
}

// membersParts are the columns and the constraints. The bounds hold for other writers, too: no row
// has an end that is more than an hour after its renewal. On SQLite a text is above each number, so
// the last bound compares the end itself.
func membersParts(d Dialect) []string {
	if d == Postgres {
		return []string{
			`grp text COLLATE "C" NOT NULL`, `name text COLLATE "C" NOT NULL`, `instance text COLLATE "C" NOT NULL`,
			`renewed bigint NOT NULL`, `until bigint NOT NULL`, `PRIMARY KEY (grp, name)`,
			`CHECK (octet_length(grp) <= 1024)`, `CHECK (octet_length(name) <= 1024)`, `CHECK (octet_length(instance) <= 1024)`,
			`CHECK (renewed >= 0)`, `CHECK (until > renewed AND until - renewed <= 3601000)`,
		}
	}
	return []string{
		`grp TEXT NOT NULL`, `name TEXT NOT NULL`, `instance TEXT NOT NULL`,
		`renewed INTEGER NOT NULL`, `until INTEGER NOT NULL`, `PRIMARY KEY (grp, name)`,
		`CHECK (length(CAST(grp AS BLOB)) <= 1024)`, `CHECK (length(CAST(name AS BLOB)) <= 1024)`, `CHECK (length(CAST(instance AS BLOB)) <= 1024)`,
		`CHECK (renewed >= 0)`, `CHECK (until > renewed AND until <= renewed + 3601000)`,
	}
}

// makeMembers creates {members}, unless it is there. It has no version: a further version of the
// tables would shut the programs out that know the former one, during a rolling update. The second
// look finds a table that another program has made meanwhile, by hand too.
func (s *Store) makeMembers(ctx context.Context) error {
	is, err := s.lookAtMembers(ctx)
	if err == nil && is == "" {
		failed := s.createMembers(ctx)
		if is, err = s.lookAtMembers(ctx); failed != nil && (err != nil || is == "") {
			err = s.withMembersText(failed)
		}
	}
	if err != nil {
		return err
	}
	var lacks []string
	for _, part := range membersParts(s.conf.Dialect) {
		if !strings.Contains(","+folded(is)+",", ","+folded(part)+",") {
			lacks = append(lacks, part)
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("table %s: it is not that of GroupText, and lacks %s: %w", s.membersName(), strings.Join(lacks, ", "), graph.ErrRefused)
	}
	return nil
}

// lookAtMembers returns the columns and the constraints of {members}, or "" if it is not there.
func (s *Store) lookAtMembers(ctx context.Context) (is string, err error) {
	err = s.retry(ctx, func() error {
		return s.onOne(ctx, func(ses *session) (err error) {
			if _, err := ses.c.checkTables(ctx); err != nil {
				return err
			}
			is, err = s.tables.parts(ctx, &ses.c, "members")
			return err
		})
	})
	return is, err
}

// createMembers has the lock of the migrations, so that two programs do not refuse each other and no
// upgrade comes between the check and the statement.
func (s *Store) createMembers(ctx context.Context) error {
	return tryLocks(ctx, "the migrations", "runs", func() error {
		return s.transact(ctx, func(ses *session) error {
			if err := s.tables.lockSchema(ctx, &ses.c); err != nil {
				return err
			}
			if _, err := ses.c.checkTables(ctx); err != nil {
				return err
			}
			_, err := ses.c.exec(ctx, s.conf.membersText())
			return err
		})
	})
}

// withMembersText adds the statement for an administrator to a refusal.
func (s *Store) withMembersText(err error) error {
	if answerOf(err) != answerRefused {
		return err
	}
	text := strings.ReplaceAll(s.conf.membersText(), "\n\t", " ")
	return fmt.Errorf("table %s: it is not there, and the database refuses to create it: let an administrator run %s: %w: %w", s.membersName(), text, graph.ErrRefused, err)
}

func (s *Store) membersName() string { return s.conf.names().Replace("{members}") }

// folded leaves out the blanks, quotes and parentheses by which the texts of one part differ.
func folded(text string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "\n", "", "\t", "", "\r", "", `"`, "", "`", "", "[", "", "]", "", "(", "", ")", "").Replace(text))
}
