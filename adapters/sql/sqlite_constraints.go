package sqlstore

import (
	"context"
	"database/sql"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// The columns of a foreign key, one row each. A key without columns of the parent refers to its
// primary key.
const sqliteForeignKeys = `SELECT m.name, f.id, f."table", f."from", coalesce(f."to", (SELECT p.name FROM pragma_table_info(f."table", ?1) p WHERE p.pk = f.seq + 1), ''),
	f.on_delete, f.on_delete IN ('SET NULL', 'SET DEFAULT') AND NOT (i."notnull" OR f.on_delete = 'SET DEFAULT' AND coalesce(upper(i.dflt_value), 'NULL') <> 'NULL'),
	EXISTS (SELECT 1 FROM {master} t WHERE t.type = 'trigger' AND t.tbl_name = m.name AND t.name = ?2 || m.name COLLATE NOCASE)
FROM {master} m JOIN pragma_foreign_key_list(m.name, ?1) f JOIN pragma_table_info(m.name, ?1) i ON i.name = f."from" COLLATE NOCASE
WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq`

const sqliteUnique = `SELECT EXISTS (SELECT 1 FROM pragma_index_list(?2, ?1) l WHERE l."unique" AND NOT l.partial
	AND (SELECT group_concat(i.name) FROM pragma_index_info(l.name, ?1) i) = ?3 COLLATE NOCASE)`

// master replaces the name of the catalog of that database.
func (t *sqliteTables) master(text string) string {
	return strings.ReplaceAll(text, "{master}", quoteName(t.conf.database())+`.sqlite_master`)
}

func (t *sqliteTables) foreignKeys(ctx context.Context, c *conn) (objects string, list []foreignKey, err error) {
	last := -1
	err = c.each(ctx, t.master(sqliteForeignKeys), []any{t.conf.database(), t.conf.triggerName(onDelete) + "_"}, func(rows *sql.Rows) error {
		var k foreignKey
		var id int
		var column, of string
		if err := rows.Scan(&k.tableName, &id, &k.parentName, &column, &of, &k.action, &k.clears, &k.refusesDeletes); err != nil {
			return err
		}
		k.table, k.parent, k.readable = strings.ToLower(k.tableName), strings.ToLower(k.parentName), true
		if n := len(list) - 1; n >= 0 && list[n].table == k.table && last == id {
			list[n].columns, list[n].parentColumns = append(list[n].columns, column), append(list[n].parentColumns, of)
			list[n].clears = list[n].clears && k.clears
			return nil
		}
		last = id
		k.columns, k.parentColumns = []string{column}, []string{of}
		list = append(list, k)
		return nil
	})
	for i := range list {
		if err == nil {
			err = t.readIndexes(ctx, c, &list[i])
		}
	}
	return strings.ToLower(t.conf.Prefix + "objects"), list, err
}

// readIndexes asks SQLite for its own plan of the search that a removal makes. So it knows the
// primary key, and partial indexes that serve.
func (t *sqliteTables) readIndexes(ctx context.Context, c *conn, k *foreignKey) error {
	var conditions []string
	for _, column := range k.columns {
		conditions = append(conditions, quoteName(column)+` = ?`)
	}
	text := `EXPLAIN QUERY PLAN SELECT 1 FROM ` + quoteName(t.conf.database()) + `.` + quoteName(k.tableName) + ` WHERE ` + strings.Join(conditions, ` AND `)
	err := c.each(ctx, text, make([]any, len(k.columns)), func(rows *sql.Rows) error {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return err
		}
		k.indexed = k.indexed || strings.HasPrefix(detail, "SEARCH")
		return nil
	})
	if err != nil || len(k.columns) > 1 {
		return err
	}
	_, err = c.one(ctx, sqliteUnique, []any{t.conf.database(), k.tableName, k.columns[0]}, &k.unique)
	return err
}

func (t *sqliteTables) sampleKinds(ctx context.Context, c *conn, k foreignKey, add func(graph.Kind)) error {
	table := quoteName(t.conf.database()) + `.` + quoteName(k.tableName)
	equal := func(column, of string) string { return `t.` + column + ` = o.` + of }
	return readKindsOf(ctx, c, t.conf.names(), table, k, equal, add)
}
