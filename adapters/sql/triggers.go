package sqlstore

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

// Table is a table of the user. Each of its rows is the row of one object. It is plain data.
type Table struct {
	// Schema is the schema on Postgres. Empty: the connection's own. On SQLite it is empty, because
	// a table is in the database of Config.Schema.
	Schema string
	// Name is the name as the database has it, without quotes.
	Name string
	// UID is the column with the UID of the object. Empty: "uid".
	UID string
	// Owners are columns that name owners of the object. Nil: none.
	Owners []OwnerColumn
}

// OwnerColumn is a column that names an owner of the row's object. It is a value.
type OwnerColumn struct {
	// Column has the UID of the owner, or a key of the row of the owner. It is NULL without an
	// owner.
	Column string
	// Table has the rows of the owners, in the schema of the row. Empty: Column has a UID.
	Table string
	// Key is the column of Table that Column names, and UID the one with the UID of the owner.
	// Empty: "id" and "uid".
	Key, UID string
}

// event is the event of a trigger.
type event uint8

const (
	eventUnset event = iota
	onInsert
	onUpdate
	onDelete
	onTruncate
)

var eventNames = [...]string{"unset", "insert", "update", "delete", "truncate"}

// String returns the event in lower case.
func (e event) String() string {
	if int(e) < len(eventNames) {
		return eventNames[e]
	}
	return fmt.Sprintf("event(%d)", uint8(e))
}

// triggerName begins the name of a trigger. On Postgres it is the whole name.
func (c Config) triggerName(e event) string { return c.Prefix + "row_" + e.String() }

// maxName is the longest name that Postgres takes, in bytes.
const maxName = 63

// boundedName shortens a name that Postgres would cut.
func boundedName(name string) string {
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return strings.ToValidUTF8(name[:maxName-17], "") + "_" + hex.EncodeToString(sum[:8])
}

// complete returns the table with its defaults, or an error that names the wrong field.
func (t Table) complete(c Config) (Table, error) {
	t.UID = cmp.Or(t.UID, "uid")
	wrong := errors.Join(nameFlaw("Name", t.Name), nameFlaw("UID", t.UID))
	if t.Schema != "" {
		wrong = errors.Join(wrong, nameFlaw("Schema", t.Schema))
		if c.Dialect == SQLite {
			wrong = errors.Join(wrong, fmt.Errorf("Schema: %.80q: on SQLite the table is in the database of Config.Schema", t.Schema))
		}
	}
	owners := make([]OwnerColumn, len(t.Owners))
	for i, o := range t.Owners {
		if o.Table != "" {
			o.Key, o.UID = cmp.Or(o.Key, "id"), cmp.Or(o.UID, "uid")
		}
		owners[i] = o
		if err := o.flaw(); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("Owners[%d].%w", i, err))
		}
	}
	t.Owners = owners
	if wrong != nil {
		return t, fmt.Errorf("table %.80q: %w: %w", t.Name, wrong, graph.ErrInvalid)
	}
	return t, nil
}

func (o OwnerColumn) flaw() error {
	err := nameFlaw("Column", o.Column)
	switch {
	case o.Table != "":
		return errors.Join(err, nameFlaw("Table", o.Table), nameFlaw("Key", o.Key), nameFlaw("UID", o.UID))
	case o.Key != "" || o.UID != "":
		return errors.Join(err, fmt.Errorf("%s: want a Table", "Key and UID"))
	}
	return err
}

// nameFlaw refuses a name that no statement can quote.
func nameFlaw(field, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%s: empty", field)
	case len(name) > maxName:
		return fmt.Errorf("%s: %d bytes, more than %d", field, len(name), maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("%s: %q: a control character, or no UTF-8", field, name)
	}
	return nil
}

// place returns the quoted name of a table in the schema of t.
func (t Table) place(c Config, name string) string {
	if schema := cmp.Or(t.Schema, map[bool]string{true: c.Schema}[c.Dialect == SQLite]); schema != "" {
		return quoteName(schema) + `.` + quoteName(name)
	}
	return quoteName(name)
}

// refusal is a condition on a row that a trigger refuses, with the text of the error.
type refusal struct{ when, text string }

// insertRefusals are those of a new row. They also judge the rows that are there: see
// checkRows.
func (x rules) insertRefusals() []refusal {
	uid := x.row("NEW", x.t.UID)
	list := []refusal{
		{uid + ` IS NULL`, x.say(x.t.UID, "NULL: the row has no object: create the object with Tx.Create, and insert its UID in the same transaction")},
		{`NOT EXISTS (SELECT 1 FROM ` + x.objects + ` o WHERE o.uid = ` + x.text(uid) + `)`,
			x.say(x.t.UID, "no object has this UID: create the object with Tx.Create first, in the same transaction")},
	}
	for _, o := range x.t.Owners {
		list = append(list, x.missing(o))
	}
	return list
}

// missing refuses a row that names an owner to which its object has no reference.
func (x rules) missing(o OwnerColumn) refusal {
	return refusal{x.row("NEW", o.Column) + ` IS NOT NULL AND NOT ` + x.refers("NEW", o),
		x.say(o.Column, "the object has no reference to this owner: write the reference with Tx.Update first, in the same transaction")}
}

func (x rules) updateRefusals() []refusal {
	list := []refusal{{x.row("NEW", x.t.UID) + x.differs + x.row("OLD", x.t.UID),
		x.say(x.t.UID, "a row keeps its UID: the row of another object is another row")}}
	for _, o := range x.t.Owners {
		moved := x.row("NEW", o.Column) + x.differs + x.row("OLD", o.Column)
		missing := x.missing(o)
		missing.when = moved + ` AND ` + missing.when
		left := moved + ` AND ` + x.refers("OLD", o)
		for _, other := range x.t.Owners {
			if other.Column != o.Column && other.Table == o.Table && other.Key == o.Key {
				left += ` AND ` + x.row("NEW", other.Column) + x.differs + x.row("OLD", o.Column)
			}
		}
		list = append(list, missing, refusal{left,
			x.say(o.Column, "the object still has the reference to the former owner: drop the reference with Tx.Update first, in the same transaction")})
	}
	return list
}

func (x rules) deleteRefusals() []refusal {
	return []refusal{{`EXISTS (SELECT 1 FROM ` + x.objects + ` o WHERE o.uid = ` + x.text(x.row("OLD", x.t.UID)) + `)`,
		x.say(x.t.UID, "DELETE of a row that has an object: delete the object with Store.Delete, and the row goes with it")}}
}

// rules builds the conditions of one dialect.
type rules struct {
	t               Table
	c               Config
	objects, owners string
	differs         string
	text            func(string) string // compares as the columns of the store do
}

func newRules(c Config, t Table) rules {
	names := c.names()
	x := rules{t: t, c: c, objects: names.Replace(`{objects}`), owners: names.Replace(`{owners}`),
		differs: ` IS NOT `, text: func(s string) string { return s }}
	if c.Dialect == Postgres {
		x.differs, x.text = ` IS DISTINCT FROM `, func(s string) string { return s + ` COLLATE "C"` }
	} else { // a trigger of SQLite names tables of its own database alone
		x.objects, x.owners = names.Replace(`{#objects}`), names.Replace(`{#owners}`)
	}
	return x
}

func (x rules) row(of, column string) string { return of + `.` + quoteName(column) }

// refers is true if the object of the row has a reference to the owner that the column names.
func (x rules) refers(of string, o OwnerColumn) string {
	uid, column := x.text(x.row(of, x.t.UID)), x.row(of, o.Column)
	if o.Table == "" {
		return `EXISTS (SELECT 1 FROM ` + x.owners + ` w WHERE w.uid = ` + uid + ` AND w.owner = ` + x.text(column) + `)`
	}
	table := x.t.place(x.c, o.Table)
	if x.c.Dialect == SQLite {
		table = quoteName(o.Table)
	}
	return `EXISTS (SELECT 1 FROM ` + table + ` p JOIN ` + x.owners + ` w ON w.uid = ` + uid + ` AND w.owner = ` + x.text(`p.`+quoteName(o.UID)) +
		` WHERE p.` + quoteName(o.Key) + ` = ` + column + `)`
}

// say returns the text of an error as a literal.
func (x rules) say(column, text string) string {
	return quoteText(fmt.Sprintf("ownergraph: %s.%s: %s", x.t.Name, column, text))
}

func quoteText(s string) string { return `'` + strings.ReplaceAll(s, `'`, `''`) + `'` }
