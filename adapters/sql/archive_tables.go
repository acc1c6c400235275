package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// checkPayloads refuses a table of the archive without a unique column of text for the UID, and one whose rows do
// not come back exactly. A table that is not there is not checked, because it may refer to the tables of the
// store.
//
//test:by TestArchiveTables TestArchiveHiddenRows
func (s *Store) checkPayloads(ctx context.Context) error {
	if s.conf.Archive == nil {
		return nil
	}
	if err := s.checkEncoding(ctx); err != nil {
		return err
	}
	for _, kind := range s.conf.payloadKinds() {
		t := s.conf.Archive.Tables[kind]
		err := s.retry(ctx, func() error {
			c := &conn{s: s}
			if columns, err := s.tables.columnsOf(ctx, c, t); err != nil || len(columns) == 0 {
				return err
			}
			err := s.tables.locate(ctx, c, &source{AdoptedTable: AdoptedTable{Kind: kind, Schema: t.Schema, Table: t.Name, Key: t.UID, UID: t.UID}})
			if pg, ok := s.tables.(*postgresTables); ok && err == nil {
				err = pg.checkExact(ctx, c, t)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("archive: Tables[%q]: %w: %w", kind, err, graph.ErrInvalid)
		}
	}
	return s.declareArchive(ctx)
}

// checkEncoding refuses rows of a file of SQLite in UTF-16. The bytes of a text are no UTF-8 there, and some look as if they were.
//
//test:by TestArchiveEncoding
func (s *Store) checkEncoding(ctx context.Context) error {
	if s.conf.Dialect != SQLite || len(s.conf.payloadKinds()) == 0 {
		return nil
	}
	var encoding string
	err := s.retry(ctx, func() error {
		_, err := (&conn{s: s}).one(ctx, `SELECT encoding FROM pragma_encoding`, nil, &encoding)
		return err
	})
	if err == nil && encoding != "UTF-8" {
		err = fmt.Errorf("archive: Tables: the encoding of the database is %s, want UTF-8: %w", encoding, graph.ErrInvalid)
	}
	return err
}

// checkExact refuses a role that sees a part of the rows, and settings that round numbers or write times as other
// sessions do not read them. An entry would lack the row, or have another value.
func (t *postgresTables) checkExact(ctx context.Context, c *conn, table Table) error {
	var hidden, early bool
	var digits int
	var dates, intervals string
	_, err := c.one(ctx, t.names.Replace(`SELECT row_security_active(to_regclass($1)), EXISTS (`+pgEarly+`), current_setting('extra_float_digits')::integer, current_setting('DateStyle'), current_setting('IntervalStyle')`),
		[]any{table.place(t.conf, table.Name)}, &hidden, &early, &digits, &dates, &intervals)
	switch {
	case err != nil:
		return err
	case hidden:
		return &unsound{"Table", "a policy may hide rows from the role (row-level security)"}
	case early:
		return &unsound{"Table", t.names.Replace("a BEFORE DELETE trigger of {objects} may change a row before the archive has it: want one that runs after the deletion")}
	case !strings.HasPrefix(dates, "ISO") || intervals == "sql_standard":
		return &unsound{"Table", fmt.Sprintf("DateStyle is %s and IntervalStyle %s, so that a range or an interval may have another value in another session: want ISO, and any style but sql_standard", dates, intervals)}
	case digits < 1:
		return &unsound{"Table", fmt.Sprintf("extra_float_digits is %d, which rounds real numbers: want 1", digits)}
	}
	return nil
}
