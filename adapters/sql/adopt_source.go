package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// source is a declaration whose table was found, with its statements.
type source struct {
	AdoptedTable
	table   string    // quoted, with its schema
	id      string    // of the table and its columns, in {adopted}
	keyType string    // on Postgres
	collate [2]string // of the key and of the UID, on Postgres: an index has a collation
	owners  []*source
	managed map[graph.Kind]bool // the kinds of Owners
	text    map[adoptText]string
	read    int64 // rows in this pass
}

// adoptText names a statement on the table of a source.
type adoptText uint8

const (
	textUnset     adoptText = iota
	textFirst               // the first page of rows
	textNext                // a further page
	textSome                // rows by their keys
	textLock                // locks rows by their keys, on Postgres
	textUnsound             // counts the rows without a sound key
	textFill                // writes UIDs into rows
	textFormer              // the recorded UIDs of keys
	textGone                // records whose rows have gone
	textStillGone           // those of some UIDs
	textBelow               // rows whose objects refer to owners
	textNote                // writes records

	// The others are on the tables of the store.
	textByUID    // objects
	textRecorded // records
	textForget   // deletes records
	textForeign  // owners of objects of other sources
	textLockAll  // locks objects, on Postgres
	textBegin    // begins a transaction, on Postgres
)

// adoptTexts are the statements of a source. A list is an argument: an array on Postgres, and JSON
// on SQLite. A row with an empty UID counts as one without.
func adoptTexts(d Dialect) map[adoptText]string {
	const read = `SELECT {columns} FROM {from} WHERE {sound} `
	// The key may be that of another row now, which has a UID and a record of its own.
	const gone = `SELECT a.uid, a.key FROM {adopted} a WHERE a.source = {2} AND NOT EXISTS (SELECT 1 FROM {table} r WHERE {uid} = {recordeduid})
		AND NOT EXISTS (SELECT 1 FROM {table} r WHERE {key} = {recorded}
			AND NOT EXISTS (SELECT 1 FROM {adopted} b WHERE b.uid = {uidtext}{bytes} AND b.source = {2} AND b.key = {keytext}{bytes}))`
	texts := map[adoptText]string{
		textFirst:     read + `ORDER BY {key} LIMIT {limit}`,
		textNext:      read + `AND {key} > {cursor} ORDER BY {key} LIMIT {limit}`,
		textSome:      read + `AND {key} {keys} ORDER BY {key}`,
		textLock:      `SELECT count(*) FROM (SELECT 1 FROM {table} r WHERE {key} {keys} ORDER BY {key} FOR NO KEY UPDATE) x`,
		textUnsound:   `SELECT count(*) FROM {table} r WHERE NOT ({sound})`,
		textFormer:    `SELECT a.key, a.uid FROM {adopted} a WHERE a.source = {2} AND a.key {texts} AND NOT EXISTS (SELECT 1 FROM {table} r WHERE {uid} = {recordeduid}) ORDER BY a.uid`,
		textGone:      gone + ` AND a.key > {1} ORDER BY a.key LIMIT {limit}`,
		textStillGone: gone + ` AND a.uid {texts} ORDER BY a.uid`,
		textBelow: `SELECT x.key FROM (SELECT {keytext} AS key FROM {owners} w JOIN {adopted} a ON a.uid = w.uid JOIN {table} r ON {uid} = {recordeduid} WHERE w.owner {texts}
			UNION SELECT {keytext} AS key FROM {owners} w JOIN {adopted} a ON a.uid = w.uid AND a.source = {2} JOIN {table} r ON {key} = {recorded} WHERE w.owner {texts}) x
			WHERE x.key{bytes} > {3} ORDER BY x.key{bytes} LIMIT {limit}`,
	}
	if d == Postgres {
		texts[textFill] = `UPDATE {table} r SET {uidname} = x.uid FROM unnest($1::text[], $2::text[]) AS x(key, uid)
			WHERE {key} = x.key::{type} AND ({uid} IS NULL OR {uid} = '')`
		texts[textNote] = `INSERT INTO {adopted} (uid, source, key) SELECT x.uid, $3, x.key FROM unnest($1::text[], $2::text[]) AS x(key, uid)`
		return texts
	}
	// The sign keeps an index on the UID out of the plan. It would find all rows without a UID.
	texts[textFill] = `UPDATE {table} AS r SET {uidname} = x.value ->> 1 FROM json_each(?1) x WHERE {key} = x.value ->> 0 AND (+{uid} IS NULL OR +{uid} = '')`
	texts[textNote] = `INSERT INTO {adopted} (uid, source, key) SELECT x.value ->> 1, ?2, x.value ->> 0 FROM json_each(?1) x`
	return texts
}

// isExpression reports whether the text of a declaration is SQL, and not the name of a column.
func isExpression(text string) bool { return strings.HasPrefix(text, "(") }

// quoteName quotes a name, so that each text is one name.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// valueOf returns the SQL of a column of the row r, or of an expression. SQLite takes a quoted name
// that is no column as text, unless it has an alias.
func valueOf(text string) string {
	if isExpression(text) {
		return text
	}
	return "r." + quoteName(text)
}

// compile puts the names of a source into its statements. The replacer does not look at a text that
// it has put in, so an expression may contain anything.
func (s *Store) compile(src *source, batch int) {
	asText := func(sql string) string { return `CAST(` + sql + ` AS text)` }
	optional := func(text string) string {
		if text == "" {
			return `''`
		}
		return `coalesce(` + asText(valueOf(text)) + `, '')`
	}
	key := valueOf(src.Key)
	columns := []string{asText(key), `coalesce(` + asText(valueOf(src.UID)) + `, '')`, optional(src.Name), optional(src.Scope)}
	from := []string{src.table + ` r`}
	for i, of := range src.owners {
		alias := fmt.Sprintf(`o%d`, i)
		value := valueOf(src.Owners[i].Key)
		columns = append(columns, asText(value), asText(alias+`.`+quoteName(of.Key)), `coalesce(`+asText(alias+`.`+quoteName(of.UID))+`, '')`)
		from = append(from, fmt.Sprintf(`LEFT JOIN %s %s ON %s.%s = %s`, of.table, alias, alias, quoteName(of.Key), value))
	}
	pairs := []string{
		"{columns}", strings.Join(columns, ", "), "{from}", strings.Join(from, " "), "{table}", src.table,
		"{key}", key, "{keytext}", asText(key), "{uidtext}", asText(valueOf(src.UID)), "{uid}", valueOf(src.UID), "{uidname}", quoteName(src.UID),
		"{limit}", fmt.Sprint(batch), "{type}", src.keyType,
	}
	pairs = append(pairs, s.adoptPairs(src, key)...)
	names := s.conf.names()
	for _, table := range []string{"{adopted}", "{owners}", "{objects}"} {
		pairs = append(pairs, table, names.Replace(table))
	}
	r := strings.NewReplacer(pairs...)
	src.text = map[adoptText]string{}
	for name, text := range adoptTexts(s.conf.Dialect) {
		src.text[name] = r.Replace(text)
	}
}

// adoptPairs are the parts of statements that differ between the databases. On SQLite the column
// gives the text of a key its type, because an argument has none.
func (s *Store) adoptPairs(src *source, key string) []string {
	if s.conf.Dialect == Postgres {
		return []string{
			"{sound}", key + ` IS NOT NULL`, "{cursor}", `$1::text::` + src.keyType, "{keys}", `= ANY ($1::text[]::` + src.keyType + `[])`,
			"{texts}", `= ANY ($1::text[])`, "{recorded}", `a.key::` + src.keyType + src.collate[0], "{recordeduid}", `a.uid` + src.collate[1],
			"{bytes}", ` COLLATE "C"`,
			"{1}", `$1`, "{2}", `$2`, "{3}", `$3`,
		}
	}
	return []string{
		"{sound}", `typeof(` + key + `) IN ('integer', 'text')`, "{cursor}", `?1`, "{keys}", `IN (SELECT value FROM json_each(?1))`,
		"{texts}", `IN (SELECT value FROM json_each(?1))`, "{recorded}", `a.key`, "{recordeduid}", `a.uid`, "{bytes}", ``,
		"{1}", `?1`, "{2}", `?2`, "{3}", `?3`,
	}
}

// list is an argument of several texts.
func (s *Store) list(texts []string) (any, error) {
	if s.conf.Dialect == Postgres {
		return texts, nil
	}
	b, err := json.Marshal(texts)
	return string(b), err
}

// eachOf runs a query whose first argument is a list of texts.
func (c *conn) eachOf(ctx context.Context, text string, texts []string, args []any, scan func(*sql.Rows) error) error {
	if len(texts) == 0 {
		return nil
	}
	list, err := c.s.list(texts)
	if err != nil {
		return err
	}
	return c.each(ctx, text, append([]any{list}, args...), scan)
}

// pairs are the arguments of several pairs: two lists on Postgres, and one on SQLite.
func (s *Store) pairs(first, second []string) ([]any, error) {
	if s.conf.Dialect == Postgres {
		return []any{first, second}, nil
	}
	list := make([][2]string, len(first))
	for i := range first {
		list[i] = [2]string{first[i], second[i]}
	}
	b, err := json.Marshal(list)
	return []any{string(b)}, err
}

// execOf runs a statement whose only argument is a list of texts.
func (c *conn) execOf(ctx context.Context, text string, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	list, err := c.s.list(texts)
	if err == nil {
		_, err = c.exec(ctx, text, list)
	}
	return err
}
