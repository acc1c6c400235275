package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

func (t *sqliteTables) columnsOf(ctx context.Context, c *conn, table Table) (list []payloadColumn, err error) {
	err = c.each(ctx, `SELECT name, type, hidden > 1, "notnull" AND dflt_value IS NULL AND pk = 0 AND hidden <= 1 FROM pragma_table_xinfo(?1, ?2) ORDER BY cid`,
		[]any{table.Name, t.conf.database()}, func(rows *sql.Rows) error { return scanColumn(rows, &list) })
	return list, err
}

// payloadColumns are the columns of a table whose row a removal reads. In a transaction of the store no other program
// changes them.
func (t *sqliteTables) payloadColumns(ctx context.Context, c *conn, kind graph.Kind, table Table) ([]payloadColumn, error) {
	if list, ok := c.payloads[kind]; ok && !c.users {
		return list, nil
	}
	all, err := t.columnsOf(ctx, c, table)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("archive: Tables[%q]: the table %s is not there: %w", kind, cutText(table.Name), graph.ErrRefused)
	}
	var list []payloadColumn
	for _, column := range all {
		if !column.generated {
			list = append(list, column)
		}
	}
	if c.payloads == nil {
		c.payloads = map[graph.Kind][]payloadColumn{}
	}
	c.payloads[kind] = list
	return list, nil
}

// rowOf is the row of the user in an entry, and its shape. Both are invalid for an object without a row.
type rowOf struct{ text, shape sql.NullString }

// readPayloads reads the rows of objects of one kind. An expression has no declared type, so the driver changes no value.
func (t *sqliteTables) readPayloads(ctx context.Context, c *conn, kind graph.Kind, uids []string) (map[graph.UID]rowOf, error) {
	table, ok := t.conf.Archive.Tables[kind]
	if !ok || len(uids) == 0 {
		return nil, nil
	}
	columns, err := t.payloadColumns(ctx, c, kind, table)
	if err != nil {
		return nil, err
	}
	list, err := c.s.list(uids)
	if err != nil {
		return nil, err
	}
	parts, types := []string{`x.value`}, map[string]string{}
	for _, column := range columns {
		q := `u.` + quoteName(column.name)
		parts = append(parts, `typeof(`+q+`), CASE typeof(`+q+`) WHEN 'text' THEN CAST(`+q+` AS BLOB) ELSE `+q+` END`)
		types[column.name] = column.of
	}
	b, err := json.Marshal(types)
	if err != nil {
		return nil, err
	}
	query := `SELECT ` + strings.Join(parts, `, `) + ` FROM json_each(?1) x CROSS JOIN ` + table.place(t.conf, table.Name) + ` AS u ON u.` + quoteName(table.UID) + ` = x.value`
	found := map[graph.UID]rowOf{}
	err = c.each(ctx, query, []any{list}, func(r *sql.Rows) error {
		uid, text, err := scanPayload(r, columns)
		if _, twice := found[uid]; twice && err == nil {
			err = fmt.Errorf("archive %.80q: several rows of the table %s have its uid: %w", uid, cutText(table.Name), graph.ErrRefused)
		}
		found[uid] = rowOf{text, sql.NullString{String: string(b), Valid: true}}
		return err
	})
	return found, err
}

// scanPayload returns the UID of a row, and the row as JSON. A whole number is one in JSON, and text is a string. See sqliteValue
// for the rest.
func scanPayload(r *sql.Rows, columns []payloadColumn) (uid graph.UID, text sql.NullString, err error) {
	types, values := make([]string, len(columns)), make([]any, len(columns))
	into := []any{&uid}
	for i := range columns {
		into = append(into, &types[i], &values[i])
	}
	if err := r.Scan(into...); err != nil {
		return "", text, err
	}
	row := map[string]any{}
	for i, column := range columns {
		if row[column.name], err = jsonOf(types[i], values[i]); err != nil {
			return uid, text, fmt.Errorf("archive: payload: column %s: %w", column.name, err)
		}
	}
	b, err := json.Marshal(row)
	return uid, sql.NullString{String: string(b), Valid: true}, err
}

// sqliteValue is a value that JSON has not. A real number is the shortest text that gives the same number. Text is in
// base64 if it is no UTF-8, or has a zero byte, as a blob is.
type sqliteValue struct {
	Blob *[]byte `json:"blob,omitempty"`
	Text *[]byte `json:"text,omitempty"`
	Real *string `json:"real,omitempty"`
}

// jsonOf returns a value of a type of SQLite. Drivers may return nil for an empty blob.
func jsonOf(of string, v any) (any, error) {
	if v == nil && (of == "text" || of == "blob") {
		v = []byte(nil)
	}
	switch x := v.(type) {
	case nil, int64:
		return x, nil
	case float64:
		text := strconv.FormatFloat(x, 'g', -1, 64)
		return sqliteValue{Real: &text}, nil
	case []byte:
		x = bytesOf(x)
		switch {
		case of != "text":
			return sqliteValue{Blob: &x}, nil
		case !utf8.Valid(x) || bytes.IndexByte(x, 0) >= 0:
			return sqliteValue{Text: &x}, nil
		}
		return string(x), nil
	}
	return nil, fmt.Errorf("the driver returns %T for %s: %w", v, of, graph.ErrRefused)
}

// valueOfJSON returns the value for an argument, and the expression with it.
func valueOfJSON(text json.RawMessage) (v any, expression string, err error) {
	switch {
	case len(text) == 0:
		return nil, "?", errBody
	case string(text) == "null":
		return nil, "?", nil
	case text[0] == '"':
		var s string
		err = json.Unmarshal(text, &s)
		return s, "?", err
	case text[0] != '{':
		v, err = strconv.ParseInt(string(text), 10, 64)
		return v, "?", err
	}
	var x sqliteValue
	if err := json.Unmarshal(text, &x); err != nil {
		return nil, "?", err
	}
	switch {
	case x.Blob != nil:
		return bytesOf(*x.Blob), "?", nil
	case x.Text != nil:
		return bytesOf(*x.Text), "CAST(? AS TEXT)", nil
	case x.Real != nil:
		v, err = strconv.ParseFloat(*x.Real, 64)
		return v, "?", err
	}
	return nil, "?", errBody
}

func (t *sqliteTables) restoreRows(ctx context.Context, c *conn, table Table, columns []payloadColumn, rows []payload) error {
	for _, row := range rows {
		var args []any
		var values []string
		for _, column := range columns {
			v, expression, err := valueOfJSON(row[column.name])
			if err != nil {
				return fmt.Errorf("payload: column %s: %w: %w", column.name, err, graph.ErrRefused)
			}
			args, values = append(args, v), append(values, expression)
		}
		text := `INSERT INTO ` + table.place(t.conf, table.Name) + ` (` + quotedNames(columns) + `) VALUES (` + strings.Join(values, `, `) + `)`
		if err := c.execOne(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}
