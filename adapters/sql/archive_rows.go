package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// payload is the row of the user in an entry: a JSON value for each column.
type payload map[string]json.RawMessage

// payloadColumn is a column of a table of the user.
type payloadColumn struct {
	name, of  string // of is the type
	generated bool
	needed    bool // a new row needs a value
}

// misfit returns why a row of a former shape does not fit the columns of its table, "" if it does.
//
//test:by TestMisfit
func misfit(shape string, now []payloadColumn) string {
	var was map[string]string
	if err := json.Unmarshal([]byte(shape), &was); err != nil {
		return fmt.Sprintf("the shape of the payload is not readable: %v", err)
	}
	is := map[string]payloadColumn{}
	var wrong []string
	for _, column := range now {
		is[column.name] = column
		if _, had := was[column.name]; column.needed && !had {
			wrong = append(wrong, fmt.Sprintf("column %s is new and needs a value", column.name))
		}
	}
	for name, of := range was {
		switch column, there := is[name]; {
		case !there:
			wrong = append(wrong, fmt.Sprintf("column %s (%s) has gone", name, of))
		case column.of != of:
			wrong = append(wrong, fmt.Sprintf("column %s was %s, and is %s", name, of, column.of))
		}
	}
	slices.Sort(wrong)
	return strings.Join(wrong, "; ")
}

// payloadOf returns the row of an entry. Its columns have to be those of the shape: a row with fewer would lose values, and
// the UID may be one of them.
func payloadOf(e *ended, f *fit) (row payload, err error) {
	if err := json.Unmarshal([]byte(e.payload.String), &row); err != nil {
		return nil, fmt.Errorf("payload: %w: %w", err, graph.ErrRefused)
	}
	if names := sortedNames(row); !slices.Equal(names, f.names) {
		return nil, fmt.Errorf("payload: its columns are %.200q, and those of its shape %.200q: %w", names, f.names, graph.ErrRefused)
	}
	return row, nil
}

// fit says how the payloads of one shape fit the present table of their kind.
type fit struct {
	why     string // they do not, "" if they do
	table   Table
	names   []string        // their columns, sorted
	columns []payloadColumn // those that a new row gets
}

// kindShape names payloads that fit alike.
type kindShape struct {
	kind  graph.Kind
	shape string
}

// shapes reads the columns of each table, and judges each shape, once for a call.
type shapes struct {
	c     *conn
	known map[graph.Kind][]payloadColumn
	fits  map[kindShape]*fit
}

func newShapes(c *conn) *shapes {
	return &shapes{c: c, known: map[graph.Kind][]payloadColumn{}, fits: map[kindShape]*fit{}}
}

func (s *shapes) of(ctx context.Context, kind graph.Kind, t Table) (columns []payloadColumn, err error) {
	columns, ok := s.known[kind]
	if !ok {
		columns, err = s.c.s.tables.columnsOf(ctx, s.c, t)
		s.known[kind] = columns
	}
	return columns, err
}

// fit returns how a payload with a row fits what the store has now.
func (s *shapes) fit(ctx context.Context, kind graph.Kind, shape string) (*fit, error) {
	at := kindShape{kind, shape}
	if f, ok := s.fits[at]; ok {
		return f, nil
	}
	t, ok := s.c.s.conf.Archive.Tables[kind]
	if !ok {
		return &fit{why: "the payload has a row, and Archive.Tables has no table for the kind"}, nil
	}
	columns, err := s.of(ctx, kind, t)
	if err != nil {
		return nil, err
	}
	f := &fit{table: t}
	if len(columns) == 0 {
		f.why = fmt.Sprintf("the payload has a row, and the table %s is not there", cutText(t.Name))
	} else if text := misfit(shape, columns); text != "" {
		f.why = fmt.Sprintf("table %s: %s", cutText(t.Name), text)
	} else {
		f.names, f.columns = insertable(shape, columns)
	}
	s.fits[at] = f
	return f, nil
}

// unreadable returns why the payload of an entry does not fit what the store has now, "" if it does.
func (s *shapes) unreadable(ctx context.Context, kind graph.Kind, shape sql.NullString) (string, error) {
	if !shape.Valid {
		return "", nil
	}
	f, err := s.fit(ctx, kind, shape.String)
	if err != nil {
		return "", err
	}
	return f.why, nil
}

// insertable returns the columns of a shape that fits, sorted, and those that a new row gets.
func insertable(shape string, columns []payloadColumn) (names []string, list []payloadColumn) {
	var was map[string]string
	_ = json.Unmarshal([]byte(shape), &was) // misfit has read it
	for _, column := range columns {
		if _, has := was[column.name]; has && !column.generated {
			list = append(list, column)
		}
	}
	return sortedNames(was), list
}

func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func quotedNames(columns []payloadColumn) string {
	var list []string
	for _, column := range columns {
		list = append(list, quoteName(column.name))
	}
	return strings.Join(list, ", ")
}

func (t *postgresTables) columnsOf(ctx context.Context, c *conn, table Table) (list []payloadColumn, err error) {
	err = c.each(ctx, `SELECT a.attname, `+pgType+`, a.attgenerated <> '', a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
		FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
		[]any{table.place(t.conf, table.Name)}, func(rows *sql.Rows) error { return scanColumn(rows, &list) })
	return list, err
}

func scanColumn(rows *sql.Rows, list *[]payloadColumn) error {
	var x payloadColumn
	err := rows.Scan(&x.name, &x.of, &x.generated, &x.needed)
	*list = append(*list, x)
	return err
}

// restoreRows gives a column of json its text by an array, because json_populate_record takes no zero character and the
// blanks would go.
func (t *postgresTables) restoreRows(ctx context.Context, c *conn, table Table, columns []payloadColumn, rows []payload) error {
	place := table.place(t.conf, table.Name)
	var values, arrays, aliases []string
	args := []any{""}
	for _, column := range columns {
		if column.of != "json" {
			values = append(values, "p."+quoteName(column.name))
			continue
		}
		args = append(args, takeTexts(rows, column.name))
		arrays, aliases = append(arrays, fmt.Sprintf("$%d::text[]", len(args))), append(aliases, fmt.Sprintf("j%d", len(args)))
		values = append(values, fmt.Sprintf("nullif(x.j%d, '')::json", len(args)))
	}
	args[0] = textOfRows(rows)
	query := `INSERT INTO ` + place + ` (` + quotedNames(columns) + `) OVERRIDING SYSTEM VALUE SELECT ` + strings.Join(values, ", ") +
		` FROM json_array_elements($1::text::json) WITH ORDINALITY AS e(v, n) CROSS JOIN LATERAL json_populate_record(NULL::` + place + `, e.v) p`
	if len(arrays) > 0 {
		query += ` JOIN unnest(` + strings.Join(arrays, ", ") + `) WITH ORDINALITY AS x(` + strings.Join(aliases, ", ") + `, n) ON x.n = e.n`
	}
	r, err := c.exec(ctx, query, args...)
	return allRows(r, err, len(rows))
}

// textOfRows returns rows as JSON. Each value keeps its bytes, because some are json in an array or in a type of the user.
//
//test:by TestArchiveNestedJSON
func textOfRows(rows []payload) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString([]string{"[", ","}[min(i, 1)])
		for j, column := range sortedNames(row) {
			name, _ := json.Marshal(column)
			b.WriteString([]string{"{", ","}[min(j, 1)] + string(name) + ":" + string(row[column]))
		}
		b.WriteString([]string{"{}", "}"}[min(len(row), 1)])
	}
	b.WriteString("]")
	return b.String()
}

// takeTexts takes a column out of rows. A text is the JSON of the column, "" for NULL.
func takeTexts(rows []payload, column string) (list []string) {
	for _, row := range rows {
		text := string(row[column])
		if delete(row, column); text == "null" {
			text = ""
		}
		list = append(list, text)
	}
	return list
}
