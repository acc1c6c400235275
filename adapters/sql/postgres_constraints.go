package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// pgForeignKeys reads the foreign keys of the tables of users. The key of a partition belongs to
// that of its table. Postgres 15 knows columns that the action clears, and Postgres 18 keys that
// it does not enforce: to_jsonb reads them on each version. A partial index serves a key if it
// leaves out the rows without a reference only.
const pgForeignKeys = `SELECT c.conname, c.conrelid::bigint, c.confrelid::bigint, c.conrelid::regclass::text, c.confrelid::regclass::text,
	(SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k(attnum, n)
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum)::text,
	(SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(c.confkey) WITH ORDINALITY k(attnum, n)
		JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.attnum)::text,
	CASE c.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'SET DEFAULT' END,
	c.confdeltype IN ('n', 'd') AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
		AND (jsonb_typeof(x.row -> 'confdelsetcols') IS DISTINCT FROM 'array' OR x.row -> 'confdelsetcols' @> to_jsonb(a.attnum))
		AND (a.attnotnull OR c.confdeltype = 'd' AND a.atthasdef)),
	EXISTS (SELECT 1 FROM pg_index i JOIN pg_class r ON r.oid = i.indexrelid JOIN pg_am m ON m.oid = r.relam
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = i.indkey[0]
		WHERE i.indrelid = c.conrelid AND i.indkey[0] = ANY (c.conkey) AND i.indisvalid AND m.amname IN ('btree', 'hash')
		AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = '(' || quote_ident(a.attname) || ' IS NOT NULL)')),
	EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indisunique AND i.indnkeyatts = 1 AND c.conkey = ARRAY[i.indkey[0]]
		AND i.indpred IS NULL),
	has_table_privilege(c.conrelid, 'SELECT') AND has_schema_privilege(r.relnamespace, 'USAGE'),
	EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.conrelid AND t.tgname = $2 AND t.tgenabled IN ('O', 'A')),
	coalesce(c.confrelid = to_regclass($1), false)
FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid, LATERAL (SELECT to_jsonb(c) AS row) x
WHERE c.contype = 'f' AND c.conparentid = 0 AND coalesce((x.row ->> 'conenforced')::boolean, true)
ORDER BY c.conrelid, c.oid`

func (t *postgresTables) foreignKeys(ctx context.Context, c *conn) (objects string, list []foreignKey, err error) {
	objects = "none"
	err = c.each(ctx, pgForeignKeys, []any{t.names.Replace(`{objects}`), t.conf.triggerName(onDelete)}, func(rows *sql.Rows) error {
		var k foreignKey
		var own, parent int64
		var columns, parentColumns string
		var ofObjects bool
		if err := rows.Scan(&k.name, &own, &parent, &k.tableName, &k.parentName, &columns, &parentColumns, &k.action, &k.clears, &k.indexed,
			&k.unique, &k.readable, &k.refusesDeletes, &ofObjects); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(columns), &k.columns); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(parentColumns), &k.parentColumns); err != nil {
			return err
		}
		if k.table, k.parent = fmt.Sprint(own), fmt.Sprint(parent); ofObjects {
			objects = k.parent
		}
		list = append(list, k)
		return nil
	})
	return objects, list, err
}

// sampleKinds takes the name of the table from Postgres, which quotes it. The columns may have
// another collation than those of the store.
func (t *postgresTables) sampleKinds(ctx context.Context, c *conn, k foreignKey, add func(graph.Kind)) error {
	equal := func(column, of string) string {
		return `t.` + column + `::text COLLATE "C" = o.` + of + `::text COLLATE "C"`
	}
	return readKindsOf(ctx, c, t.names, k.tableName, k, equal, add)
}

// readKindsOf reads the kinds of the objects to which a bounded number of rows refer.
func readKindsOf(ctx context.Context, c *conn, names *strings.Replacer, table string, k foreignKey, equal func(column, of string) string, add func(graph.Kind)) error {
	var list, there, joined []string
	for i, column := range k.columns {
		column = quoteName(column)
		list, there = append(list, column), append(there, column+` IS NOT NULL`)
		joined = append(joined, equal(column, quoteName(k.parentColumns[i])))
	}
	text := fmt.Sprintf(`SELECT DISTINCT k.kind FROM (SELECT %s FROM %s WHERE %s LIMIT %d) t JOIN %s o ON %s JOIN %s k ON k.id = o.kind`,
		strings.Join(list, `, `), table, strings.Join(there, ` AND `), maxSample, names.Replace(`{objects}`), strings.Join(joined, ` AND `), names.Replace(`{kinds}`))
	return c.each(ctx, text, nil, func(rows *sql.Rows) error {
		var kind graph.Kind
		if err := rows.Scan(&kind); err != nil {
			return err
		}
		add(kind)
		return nil
	})
}
