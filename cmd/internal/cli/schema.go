package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// schemaFlags are the flags of the subcommand schema.
type schemaFlags struct {
	dialect, schema, prefix string
	from                    int
	triggers                []string
	groups, goose           bool
	policies, archive       bool
	reader                  string
	payloads                []string
}

func (a *app) schemaCommand() *cobra.Command {
	var s schemaFlags
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the SQL of the tables of a store",
		Long: `Print the statements that make the tables of a store in SQLite or Postgres, for a tool such as goose,
Flyway or Atlas, or for a person. They give what Migrate of package sqlstore gives. The program then
needs no right to create tables. The command opens no database.

--from is the version that the tables have; only the later versions are printed. Execute the
statements of each version in one transaction. A second execution changes nothing.

--policies also prints version 3, the step of Config.Policies. It shuts out each program that knows no
policies. Count what begins to act first: lint --store.

--archive also prints version 4, the step of Config.Archive, and version 3 before it. It shuts out each
program without Config.Archive.

--reader also prints a role of Postgres and a view of the archive. The view shows an entry to a role that may
read the table of its kind, which --payload names. Those tables have to be there: --archive --from 4 --reader ROLE.

--groups also prints the table of groups, which has no version. Otherwise Group of package sqlstore
makes it on its first call.

--triggers also prints triggers for a table of the user. They refuse a DELETE of a row before its
object, an INSERT without an object, and a changed owner without the owner reference. TABLE is
[SCHEMA.]NAME[:UID], where UID is the column with the UID of the object (default uid). Each OWNER is
a column that names an owner: COLUMN=TABLE.KEY[:UID] for a key of the owner's row, or COLUMN for a UID.
A tool that splits a file at ";" has to take a trigger or a function as one statement. --goose marks
each statement for goose.`,
		Example: a.examples("schema --dialect postgres --schema app", "schema --dialect sqlite --from 1",
			"schema --dialect postgres --triggers teams --triggers projects,team_id=teams.id", "", "schema --dialect postgres --schema app"),
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := s.text()
			if err != nil {
				return err
			}
			return a.printer().Text(text)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.dialect, "dialect", "", "sqlite or postgres")
	f.IntVar(&s.from, "from", 0, "the version of the tables that are there; 0 for none")
	f.StringVar(&s.schema, "schema", "", "schema of the tables (default the connection's own)")
	f.StringVar(&s.prefix, "prefix", "", `prefix of the tables (default "og_")`)
	f.BoolVar(&s.goose, "goose", false, "write a file of goose: mark each statement, because some have a \";\" inside")
	f.BoolVar(&s.policies, "policies", false, "also print the step of policies, version 3")
	f.BoolVar(&s.archive, "archive", false, "also print the steps of policies and of the archive, versions 3 and 4")
	f.BoolVar(&s.groups, "groups", false, "also print the table of groups")
	f.StringVar(&s.reader, "reader", "", "also print this role for readers of the archive, and its view")
	f.StringArrayVar(&s.payloads, "payload", nil, "the table of a kind whose rows the archive has: KIND=TABLE[:UID]...")
	f.StringArrayVar(&s.triggers, "triggers", nil, "also print triggers for this table: TABLE[,OWNER]...")
	return cmd
}

// config returns the dialect and the names of the tables.
func (s *schemaFlags) config() (sqlstore.Config, error) {
	c := sqlstore.Config{Schema: s.schema, Prefix: s.prefix}
	switch s.dialect {
	case sqlstore.SQLite.String():
		c.Dialect = sqlstore.SQLite
	case sqlstore.Postgres.String():
		c.Dialect = sqlstore.Postgres
	case "":
		return c, printing.UsageError("--dialect is missing: want sqlite or postgres")
	default:
		return c, printing.UsageError(fmt.Sprintf("--dialect %q: want sqlite or postgres", s.dialect))
	}
	return c, nil
}

// text returns the statements of the flags.
//
//test:by TestSchema TestSchemaVersions TestSchemaOfGroups TestSchemaOfReaders TestSchemaErrors
func (s *schemaFlags) text() (string, error) {
	c, err := s.config()
	if err != nil {
		return "", err
	}
	last := sqlstore.SchemaVersion
	switch {
	case s.archive:
		last = sqlstore.ArchiveVersion
	case s.policies:
		last = sqlstore.PoliciesVersion
	}
	if s.from < 0 || s.from > last {
		return "", printing.UsageError(fmt.Sprintf("--from %d: want 0 to %d", s.from, last))
	}
	var b strings.Builder
	if s.goose {
		b.WriteString("-- +goose Up\n")
	}
	if s.from == last {
		fmt.Fprintf(&b, "-- ownergraph: the tables have version %d, which is the newest\n", s.from)
	}
	for version := s.from + 1; version <= last; version++ {
		list, err := sqlstore.Schema(c, version)
		if err != nil {
			return "", printing.UsageError(err.Error())
		}
		s.writeStatements(&b, fmt.Sprintf("version %d of the tables", version), list)
	}
	if s.groups {
		list, err := sqlstore.GroupText(c)
		if err != nil {
			return "", printing.UsageError(err.Error())
		}
		s.writeStatements(&b, "the table of groups", list)
	}
	if err := s.writeReader(&b, c); err != nil {
		return "", err
	}
	err = s.writeTriggers(&b, c)
	return b.String(), err
}

// writeReader writes the role and the view of the readers of the archive.
func (s *schemaFlags) writeReader(b *strings.Builder, c sqlstore.Config) error {
	switch {
	case s.reader == "" && len(s.payloads) == 0:
		return nil
	case s.reader == "" || !s.archive:
		return printing.UsageError("--payload, --reader: want --archive with --reader ROLE")
	}
	c.Policies, c.Archive = true, &sqlstore.ArchiveConfig{Tables: map[graph.Kind]sqlstore.Table{}}
	for _, text := range s.payloads {
		kind, table, ok := strings.Cut(text, "=")
		t, err := parseTable(table)
		if _, twice := c.Archive.Tables[graph.Kind(kind)]; err != nil || !ok || kind == "" || twice || len(t.Owners) > 0 {
			return printing.UsageError(fmt.Sprintf("--payload %q: want KIND=TABLE[:UID], once for each kind", text))
		}
		c.Archive.Tables[graph.Kind(kind)] = t
	}
	list, err := sqlstore.ReaderText(c, s.reader)
	if err != nil {
		return printing.UsageError(fmt.Sprintf("--reader %q: %v", s.reader, err))
	}
	s.writeStatements(b, "the role "+s.reader+", which reads the archive", list)
	return nil
}

func (s *schemaFlags) writeTriggers(b *strings.Builder, c sqlstore.Config) error {
	for _, text := range s.triggers {
		t, err := parseTable(text)
		if err != nil {
			return err
		}
		list, err := sqlstore.TriggerText(c, t)
		if err != nil {
			return printing.UsageError(fmt.Sprintf("--triggers %q: %v", text, err))
		}
		s.writeStatements(b, "triggers of the table "+t.Name, list)
	}
	return nil
}

func (s *schemaFlags) writeStatements(b *strings.Builder, title string, list []string) {
	fmt.Fprintf(b, "-- ownergraph: %s, for one transaction\n", title)
	for _, statement := range list {
		if s.goose {
			statement = "-- +goose StatementBegin\n" + statement + ";\n-- +goose StatementEnd\n"
		} else {
			statement += ";\n"
		}
		b.WriteString(statement)
	}
}

// parseTable reads a table with its columns of owners: [SCHEMA.]NAME[:UID][,OWNER]...
func parseTable(text string) (t sqlstore.Table, err error) {
	parts := strings.Split(text, ",")
	name, uid, _ := strings.Cut(parts[0], ":")
	if schema, of, ok := strings.Cut(name, "."); ok {
		t.Schema, name = schema, of
	}
	t.Name, t.UID = name, uid
	for _, part := range parts[1:] {
		column, owner, named := strings.Cut(part, "=")
		o := sqlstore.OwnerColumn{Column: column}
		if named {
			place, uid, _ := strings.Cut(owner, ":")
			table, key, ok := strings.Cut(place, ".")
			if !ok || table == "" || key == "" {
				return t, printing.UsageError(fmt.Sprintf("--triggers %q: %q: want COLUMN=TABLE.KEY, or COLUMN", text, part))
			}
			o.Table, o.Key, o.UID = table, key, uid
		}
		t.Owners = append(t.Owners, o)
	}
	return t, nil
}
