package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
)

// pgShape reads the columns of a table, whether a column refers to objects with ON DELETE CASCADE,
// and the number of triggers that call a function with a body.
const pgShape = `SELECT (SELECT json_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped)::text,
	EXISTS (SELECT 1 FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = r.oid AND c.conkey = ARRAY[a.attnum]
		JOIN pg_attribute u ON u.attrelid = c.confrelid AND c.confkey = ARRAY[u.attnum]
		WHERE c.contype = 'f' AND c.conrelid = r.oid AND c.confrelid = to_regclass($2) AND c.confdeltype = 'c' AND a.attname = $3 AND u.attname = 'uid'),
	(SELECT count(*) FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid WHERE g.tgrelid = r.oid AND g.tgname = ANY ($4::text[])
		AND g.tgenabled IN ('O', 'A') AND p.prosrc = $5)
FROM pg_class r WHERE r.oid = to_regclass($1) AND r.relkind IN ('r', 'p')`

func (t *postgresTables) shapeOf(ctx context.Context, c *conn, of Table) (is shape, err error) {
	var names []string
	for _, e := range []event{onInsert, onUpdate, onDelete, onTruncate} {
		names = append(names, t.conf.triggerName(e))
	}
	var columns sql.NullString
	var triggers int
	there, err := c.one(ctx, pgShape, []any{of.place(t.conf, of.Name), t.names.Replace(`{objects}`), of.UID, names, functionBody(t.conf, of)},
		&columns, &is.bound, &triggers)
	if err != nil || !there {
		return is, err
	}
	var list []string
	if columns.Valid {
		if err := json.Unmarshal([]byte(columns.String), &list); err != nil {
			return is, err
		}
	}
	is.columns = map[string]bool{}
	for _, name := range list {
		is.columns[name] = true
	}
	is.current = triggers == len(names)
	return is, nil
}

// lockTable takes the lock that CREATE TRIGGER takes.
func (t *postgresTables) lockTable(ctx context.Context, c *conn, of Table) error {
	_, err := c.exec(ctx, `LOCK TABLE `+of.place(t.conf, of.Name)+` IN SHARE ROW EXCLUSIVE MODE`)
	return err
}
