package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// locate finds the table of a declaration, in the file of the store. A transaction over two files is
// not whole after a crash.
func (t *sqliteTables) locate(ctx context.Context, c *conn, src *source) error {
	schema := t.conf.database()
	if src.Schema != "" && !strings.EqualFold(src.Schema, schema) {
		return &unsound{"Schema", fmt.Sprintf("%q: the tables of the store are in %q", cutText(src.Schema), schema)}
	}
	var name, sort string
	found, err := c.one(ctx, `SELECT name, type FROM pragma_table_list WHERE schema = ?1 COLLATE NOCASE AND name = ?2 COLLATE NOCASE`, []any{schema, src.Table}, &name, &sort)
	own := func(table string) bool {
		return strings.EqualFold(name, t.conf.Prefix+strings.Trim(table, "{}"))
	}
	switch {
	case err != nil:
		return err
	case !found:
		return &unsound{"Table", "it does not exist in the file of the store"}
	case sort != "table":
		return &unsound{"Table", "it is no table, but a " + sort}
	case slices.ContainsFunc(storeTables(), own):
		return &unsound{"Table", "it is a table of the store"}
	}
	src.table = quoteName(schema) + "." + quoteName(name)
	key, err := t.column(ctx, c, schema, name, "Key", src.Key)
	if err != nil {
		return err
	}
	uid, err := t.column(ctx, c, schema, name, "UID", src.UID)
	switch {
	case err != nil:
		return err
	case !key.unique:
		return &unsound{"Key", fmt.Sprintf("column %s has no unique key of its own", src.Key)}
	case key.of == "" || key.of == "ANY" || isBlobType(key.of):
		return &unsound{"Key", fmt.Sprintf("column %s has no type, so 1 and '1' are two keys", src.Key)}
	case !isTextType(uid.of):
		return &unsound{"UID", fmt.Sprintf("column %s is %q, want text", src.UID, uid.of)}
	}
	src.id = fmt.Sprintf("%s (%s, %s)", quoteName(name), quoteName(key.name), quoteName(uid.name))
	return nil
}

// isTextType reports whether a column of the type keeps text as text.
func isTextType(of string) bool {
	if strings.Contains(of, "INT") {
		return false
	}
	return strings.Contains(of, "CHAR") || strings.Contains(of, "CLOB") || strings.Contains(of, "TEXT")
}

// isBlobType reports whether a column of the type keeps each value as it is.
func isBlobType(of string) bool {
	return strings.Contains(of, "BLOB") && !strings.Contains(of, "INT") && !isTextType(of)
}

// liteColumn is a column of a table. Its type is in upper case.
type liteColumn struct {
	name, of string
	unique   bool // it has a unique key of its own
}

func (t *sqliteTables) column(ctx context.Context, c *conn, schema, table, field, name string) (x liteColumn, err error) {
	found, err := c.one(ctx, `SELECT x.name, upper(x.type), x.pk = 1 AND (SELECT count(*) FROM pragma_table_xinfo(?1, ?2) WHERE pk > 0) = 1
		OR EXISTS (SELECT 1 FROM pragma_index_list(?1, ?2) l WHERE l."unique" AND NOT l.partial
			AND (SELECT count(*) FROM pragma_index_info(l.name, ?2)) = 1 AND (SELECT i.name FROM pragma_index_info(l.name, ?2) i) = x.name)
		FROM pragma_table_xinfo(?1, ?2) x WHERE x.name = ?3 COLLATE NOCASE`, []any{table, schema, name}, &x.name, &x.of, &x.unique)
	if err == nil && !found {
		err = &unsound{field, fmt.Sprintf("there is no column %q", cutText(name))}
	}
	return x, err
}

// makeAdopted creates the table of the records, unless it is there.
func (t *sqliteTables) makeAdopted(ctx context.Context, c *conn) error {
	_, err := c.exec(ctx, t.conf.names().Replace(`CREATE TABLE IF NOT EXISTS {adopted} (uid TEXT PRIMARY KEY, source TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (key, source, uid)) WITHOUT ROWID`))
	return err
}

// changeAll stores rows.
func (t *sqliteTables) changeAll(ctx context.Context, c *conn, old, next []*row) error {
	for i, r := range next {
		if _, err := t.change(ctx, c, old[i], r); err != nil {
			return err
		}
	}
	return nil
}

// adoptTexts are the statements of Adopt on the tables of the store. SQLite has one writer, so they
// lock nothing. They are not prepared with the others, because {adopted} need not be there.
func (t *sqliteTables) adoptTexts() map[adoptText]string {
	return map[adoptText]string{
		textByUID:    `SELECT o.id, o.kind, o.uid, o.scope, o.name, o.pos, 0, o.body, o.place, o.labels FROM {objects} o WHERE o.uid IN (SELECT value FROM json_each(?1))`,
		textRecorded: `SELECT uid, source, key FROM {adopted} WHERE uid IN (SELECT value FROM json_each(?1))`,
		textForget:   `DELETE FROM {adopted} WHERE uid IN (SELECT value FROM json_each(?1))`,
		textForeign: `SELECT w.owner, min(a.source) FROM {owners} w JOIN {adopted} a ON a.uid = w.uid WHERE w.owner IN (SELECT value FROM json_each(?1))
			AND a.source NOT IN (SELECT value FROM json_each(?2)) GROUP BY w.owner`,
	}
}

// sqliteTaken is prepared in a store with an archive.
const sqliteTaken = `SELECT place, uid FROM {objects} WHERE kind = ?1 AND place = ?2`

// taken reports the UIDs at places of a kind.
func (t *sqliteTables) taken(ctx context.Context, c *conn, kind int64, places [][]byte, add func(place []byte, uid string)) error {
	text := t.conf.names().Replace(sqliteTaken)
	for _, place := range places {
		if err := c.each(ctx, text, []any{kind, place}, func(rows *sql.Rows) error { return scanTaken(rows, add) }); err != nil {
			return err
		}
	}
	return nil
}
