package sqlstore

import (
	"context"
	"database/sql"
	"strings"
)

const sqliteShape = `SELECT i.name, EXISTS (SELECT 1 FROM pragma_foreign_key_list(?2, ?1) f WHERE f."from" = ?3 COLLATE NOCASE
	AND f."table" = ?4 COLLATE NOCASE AND f."to" = 'uid' COLLATE NOCASE AND f.on_delete = 'CASCADE'),
	(SELECT NOT foreign_keys FROM pragma_foreign_keys)
FROM {master} m JOIN pragma_table_info(?2, ?1) i WHERE m.type = 'table' AND m.name = ?2 COLLATE NOCASE`

func (t *sqliteTables) shapeOf(ctx context.Context, c *conn, of Table) (is shape, err error) {
	err = c.each(ctx, t.master(sqliteShape), []any{t.conf.database(), of.Name, of.UID, t.conf.Prefix + "objects"}, func(rows *sql.Rows) error {
		if is.columns == nil {
			is.columns = map[string]bool{}
		}
		var column string
		err := rows.Scan(&column, &is.bound, &is.off)
		is.columns[column] = true
		return err
	})
	if err != nil {
		return is, err
	}
	is.current, err = t.haveTriggers(ctx, c, of)
	return is, err
}

// haveTriggers compares the texts of the triggers. SQLite keeps the text behind the name.
func (t *sqliteTables) haveTriggers(ctx context.Context, c *conn, of Table) (bool, error) {
	there := map[string]string{}
	err := c.each(ctx, t.master(`SELECT name, sql FROM {master} WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE`), []any{of.Name}, func(rows *sql.Rows) error {
		var name, text string
		err := rows.Scan(&name, &text)
		there[name] = text
		return err
	})
	if err != nil {
		return false, err
	}
	want := sqliteTriggers(t.conf, of)
	for i, e := range []event{onInsert, onUpdate, onDelete} {
		_, body, _ := strings.Cut(want[2*i+1], ` BEFORE `)
		if !strings.HasSuffix(there[sqliteTriggerName(t.conf, of, e)], ` BEFORE `+body) {
			return false, nil
		}
	}
	return true, nil
}

// lockTable has nothing to do, because the transaction has the lock of the writer.
func (t *sqliteTables) lockTable(context.Context, *conn, Table) error { return nil }
