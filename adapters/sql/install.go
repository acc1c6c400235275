package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// errForeignKeysOff says that a connection of SQLite does not enforce foreign keys.
var errForeignKeysOff = errors.New("foreign_keys is off: rows stay after their objects: open the database with foreign_keys on")

// InstallTriggers makes triggers on tables of the user, which refuse the habits of programs that
// do not know the store. It is for tables whose rows go with their objects by ON DELETE CASCADE.
// The triggers refuse:
//
//   - a DELETE of a row whose object exists. The store removes the object first.
//   - an INSERT without a UID, or with that of no object.
//   - an UPDATE of the UID.
//   - a row that names an owner to which its object has no reference, and an UPDATE that leaves the
//     reference to the former owner behind (Table.Owners). So a program writes the reference first.
//   - on Postgres, a TRUNCATE of rows that have objects.
//
// The error of such a statement names the table, the column and the remedy. A role that writes the
// table, and the owner of the table, need the right to read og_objects and og_owners.
//
// If the triggers are there, the call changes nothing and takes no lock. Otherwise it makes the
// triggers of all tables or of none. A trigger of another shape is replaced. On Postgres the lock
// of a table is SHARE ROW EXCLUSIVE, and the waits for it are those of Migrate.
//
// Errors: ErrInvalid for a table or a column that does not exist, for a UID that does not refer to
// og_objects with ON DELETE CASCADE, and for Table.Schema on SQLite. ErrRefused for rows that the triggers would refuse, with
// their number, and for SQLite without foreign_keys.
//
//test:by TestTriggersRefuse TestTriggersLetTheStorePass TestTriggersOfOwners TestInstallTriggersErrors
//test:by TestTriggersAreIdempotent TestTriggersNames TestTriggersTogether TestTriggersInBatches
func (s *Store) InstallTriggers(ctx context.Context, tables ...Table) error {
	list, err := s.completeAll(tables)
	current := false
	if err == nil {
		current, err = s.haveTriggers(ctx, list)
	}
	if err == nil && !current {
		err = s.onTables(ctx, list, func(ses *session, t Table) error {
			is, err := ses.checkedShape(ctx, t)
			if err != nil || is.current {
				return err
			}
			if err := ses.checkRows(ctx, t); err != nil {
				return err
			}
			return ses.c.execAll(ctx, triggerText(s.conf, t))
		})
	}
	return s.failedTriggers("install", err)
}

// RemoveTriggers drops the triggers of InstallTriggers from tables of the user. Tables without
// them stay as they are. Call it before DROP TABLE, which leaves the function of a table's triggers
// behind on Postgres. Errors: ErrInvalid for a table that does not exist.
//
//test:by TestTriggersAreIdempotent
func (s *Store) RemoveTriggers(ctx context.Context, tables ...Table) error {
	list, err := s.completeAll(tables)
	if err == nil {
		err = s.onTables(ctx, list, func(ses *session, t Table) error {
			is, err := s.tables.shapeOf(ctx, &ses.c, t)
			if err == nil && is.columns == nil {
				err = noTable()
			}
			if err != nil {
				return err
			}
			return ses.c.execAll(ctx, removalText(s.conf, t))
		})
	}
	return s.failedTriggers("remove", err)
}

// failedTriggers names the verb. A refusal and a wrong table have their texts.
func (s *Store) failedTriggers(verb string, err error) error {
	if errors.Is(err, graph.ErrInvalid) || errors.Is(err, graph.ErrRefused) {
		return fmt.Errorf("%s triggers: %w", verb, err)
	}
	return s.failed(verb, "triggers", err)
}

// execAll runs statements in order.
func (c *conn) execAll(ctx context.Context, list []string) error {
	for _, text := range list {
		if _, err := c.exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// shape is the shape of a table of the user.
type shape struct {
	columns map[string]bool // nil if there is no such table
	bound   bool            // the rows go with their objects
	current bool            // the triggers are there
	off     bool            // SQLite does not enforce foreign keys
}

// errNoTable says that the database has no table of a name.
var errNoTable = errors.New("there is no such table")

// noTable is errNoTable for a caller, whose argument is wrong.
func noTable() error { return fmt.Errorf("%w: %w", errNoTable, graph.ErrInvalid) }

func (s *Store) completeAll(tables []Table) (list []Table, err error) {
	for _, t := range tables {
		t, err := t.complete(s.conf)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// haveTriggers reports whether each table has its triggers, in this shape.
func (s *Store) haveTriggers(ctx context.Context, list []Table) (current bool, err error) {
	err = s.retry(ctx, func() error {
		current = true
		return s.onOne(ctx, func(ses *session) error {
			for _, t := range list {
				is, err := ses.checkedShape(ctx, t)
				if err != nil {
					return inTable(t, err)
				}
				current = current && is.current
			}
			return nil
		})
	})
	return current, err
}

func inTable(t Table, err error) error { return fmt.Errorf("table %.80q: %w", t.Name, err) }

// onTables calls do for each table in one transaction, as a migration does.
func (s *Store) onTables(ctx context.Context, list []Table, do func(*session, Table) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	release, err := s.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	return s.withLocks(ctx, s.tables.lockSchema, func(ses *session) error {
		if err := s.tables.lock(ctx, &ses.c); err != nil {
			return err
		}
		for _, t := range list {
			if err := do(ses, t); err != nil {
				return inTable(t, err)
			}
		}
		return nil
	})
}

// checkedShape returns the shape of a table that may have triggers.
func (ses *session) checkedShape(ctx context.Context, t Table) (shape, error) {
	is, err := ses.s.tables.shapeOf(ctx, &ses.c, t)
	switch {
	case err != nil:
		return is, err
	case is.columns == nil:
		return is, noTable()
	case is.off:
		return is, fmt.Errorf("%w: %w", graph.ErrRefused, errForeignKeysOff)
	}
	if err := is.have(t.UID); err != nil {
		return is, err
	}
	if !is.bound {
		return is, fmt.Errorf("column %.80q: it does not refer to og_objects (uid) with ON DELETE CASCADE: %w", t.UID, graph.ErrInvalid)
	}
	for _, o := range t.Owners {
		if err := is.have(o.Column); err != nil {
			return is, err
		}
		if o.Table == "" {
			continue
		}
		of, err := ses.s.tables.shapeOf(ctx, &ses.c, Table{Schema: t.Schema, Name: o.Table, UID: o.UID})
		if err == nil && of.columns == nil {
			err = noTable()
		}
		if err == nil {
			err = errors.Join(of.have(o.Key), of.have(o.UID))
		}
		if err != nil {
			return is, fmt.Errorf("column %.80q: table %.80q: %w", o.Column, o.Table, err)
		}
	}
	return is, nil
}

func (is *shape) have(column string) error {
	if !is.columns[column] {
		return fmt.Errorf("column %.80q: there is no such column: %w", column, graph.ErrInvalid)
	}
	return nil
}

// checkRows refuses a table with rows that the triggers would not have let in. It names the first
// cause, and the number of its rows.
func (ses *session) checkRows(ctx context.Context, t Table) error {
	if err := ses.s.tables.lockTable(ctx, &ses.c, t); err != nil {
		return err
	}
	x := newRules(ses.s.conf, t)
	for i, r := range x.insertRefusals() {
		var n int64
		text := `SELECT count(*) FROM ` + t.place(ses.s.conf, t.Name) + ` AS new WHERE ` + r.when
		if _, err := ses.c.one(ctx, text, nil, &n); err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		column, cause := t.UID, "have no UID: give them objects first, for example by Adopt"
		switch {
		case i == 1:
			cause = "have a UID of no object: give them objects first, for example by Adopt"
		case i > 1:
			column, cause = t.Owners[i-2].Column, "name an owner to which their object has no reference: write the references first"
		}
		return fmt.Errorf("column %.80q: %d rows %s: %w", column, n, cause, graph.ErrRefused)
	}
	return nil
}
