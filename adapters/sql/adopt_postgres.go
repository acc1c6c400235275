package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
)

// storeTables are the tables of the store, which no declaration may name.
func storeTables() []string {
	return []string{"{meta}", "{kinds}", "{objects}", "{owners}", "{log}", "{records}", "{adopted}", "{members}", "{restricts}", "{archive}", "{archive_owners}", "{holds}", "{trails}", "{payloads}", "{archive_settings}"}
}

// locate finds the table of a declaration. Its identity has the name and the number of the table. A
// restored database may give the number to another table, and a name may be in two schemas.
func (t *postgresTables) locate(ctx context.Context, c *conn, src *source) error {
	name := quoteName(src.Table)
	if src.Schema != "" {
		name = quoteName(src.Schema) + "." + name
	}
	var own []string
	for _, table := range storeTables() {
		own = append(own, t.names.Replace(table))
	}
	var oid int64
	var schema, table, sort string
	var of bool
	found, err := c.one(ctx, `SELECT c.oid::bigint, n.nspname, c.relname, c.relkind::text, EXISTS (SELECT 1 FROM unnest($2::text[]) x WHERE to_regclass(x) = c.oid)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)`, []any{name, own}, &oid, &schema, &table, &sort, &of)
	switch {
	case err != nil:
		return err
	case !found:
		return &unsound{"Table", "it does not exist, or its schema is not in the search path"}
	case sort != "r" && sort != "p":
		return &unsound{"Table", "it is no table, but a view or the like"}
	case of:
		return &unsound{"Table", "it is a table of the store"}
	}
	src.table = quoteName(schema) + "." + quoteName(table)
	key, err := t.column(ctx, c, oid, "Key", src.Key)
	if err != nil {
		return err
	}
	uid, err := t.column(ctx, c, oid, "UID", src.UID)
	switch {
	case err != nil:
		return err
	case !key.unique:
		return &unsound{"Key", fmt.Sprintf("column %s has no unique key of its own", src.Key)}
	case !uid.text || uid.length > 0 && uid.length < uidTime+uidRandom:
		return &unsound{"UID", fmt.Sprintf("column %s is %s, want text", src.UID, uid.of)}
	}
	src.keyType, src.collate = key.of, [2]string{key.collate, uid.collate}
	src.id = fmt.Sprintf("%s %d (%s, %s)", src.table, oid, quoteName(src.Key), quoteName(src.UID))
	return nil
}

// pgColumn is a column of a table.
type pgColumn struct {
	of      string // its type
	collate string // its collation, as a part of an expression
	text    bool
	length  int64 // of a varchar(n)
	unique  bool  // it has a unique key of its own
}

func (t *postgresTables) column(ctx context.Context, c *conn, oid int64, field, name string) (x pgColumn, err error) {
	var collation sql.NullString
	found, err := c.one(ctx, `SELECT format_type(a.atttypid, a.atttypmod), t.typcategory = 'S', a.atttypmod - 4,
		(SELECT quote_ident(n.nspname) || '.' || quote_ident(l.collname) FROM pg_collation l JOIN pg_namespace n ON n.oid = l.collnamespace WHERE l.oid = a.attcollation),
		EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
		FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = $1::bigint::oid AND a.attname = $2 AND a.attnum > 0 AND NOT a.attisdropped`,
		[]any{oid, name}, &x.of, &x.text, &x.length, &collation, &x.unique)
	if err == nil && !found {
		err = &unsound{field, fmt.Sprintf("there is no column %q", cutText(name))}
	}
	if collation.Valid {
		x.collate = " COLLATE " + collation.String
	}
	return x, err
}

// makeAdopted creates the table of the records, unless it is there. The key is first in its index: new
// statistics lack the sources, and an index that began with them would be read as a whole.
func (t *postgresTables) makeAdopted(ctx context.Context, c *conn) error {
	name, there := t.names.Replace(`{adopted}`), false
	const look = `SELECT to_regclass($1) IS NOT NULL`
	if _, err := c.one(ctx, look, []any{name}, &there); err != nil || there {
		return err
	}
	if _, err := c.exec(ctx, fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, int64(migrateLock))); err != nil {
		return err
	}
	_, err := c.exec(ctx, `CREATE TABLE IF NOT EXISTS `+name+` (uid text COLLATE "C" PRIMARY KEY, source text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, UNIQUE (key, source, uid))`)
	return err
}

// adoptTexts are the statements of Adopt on the tables of the store.
func (t *postgresTables) adoptTexts() map[adoptText]string {
	return map[adoptText]string{
		textByUID:    `SELECT o.id, o.kind, o.uid, o.scope, o.name, o.pos, o.seq, o.body, o.place, o.labels FROM {objects} o WHERE o.uid = ANY ($1::text[])`,
		textRecorded: `SELECT uid, source, key FROM {adopted} WHERE uid = ANY ($1::text[])`,
		textForget:   `DELETE FROM {adopted} WHERE uid = ANY ($1::text[])`,
		textForeign:  `SELECT w.owner, min(a.source) FROM {owners} w JOIN {adopted} a ON a.uid = w.uid WHERE w.owner = ANY ($1::text[]) AND a.source <> ALL ($2::text[]) GROUP BY w.owner`,
		textLockAll:  `SELECT uid, pos, seq FROM {objects} WHERE uid = ANY ($1::text[]) ORDER BY uid FOR UPDATE`,
		textBegin:    fmt.Sprintf(`SELECT set_config('lock_timeout', '%d', true), set_config('row_security', 'off', true)`, lockWithin.Milliseconds()),
	}
}

// taken reports the UIDs at places of a kind.
func (t *postgresTables) taken(ctx context.Context, c *conn, kind int64, places [][]byte, add func(place []byte, uid string)) error {
	text := t.names.Replace(`SELECT o.place, o.uid FROM unnest($1::bytea[]) x(place) JOIN {objects} o ON o.kind = $2 AND o.place = x.place`)
	return c.each(ctx, text, []any{places, kind}, func(rows *sql.Rows) error { return scanTaken(rows, add) })
}

func scanTaken(rows *sql.Rows, add func(place []byte, uid string)) error {
	var place []byte
	var uid string
	err := rows.Scan(&place, &uid)
	add(place, uid)
	return err
}
