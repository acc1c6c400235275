package sqlstore

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// ReaderText returns the statements that make a role of Postgres which reads the archive, and a view for it. Config is
// that of the programs, and needs a Dialect and an Archive. The view is og_archive_entries. It shows an entry to a role with these
// rights alone:
//
//   - SELECT on the whole table of ArchiveConfig.Tables, for the entry of such a kind. A policy that may hide rows of the table
//     from the role hides all entries of the kind. The labels are NULL without SELECT on og_objects.
//   - SELECT on og_objects, for the entry of another kind that has no row.
//
// A role with the rights of the new one needs its own rights on the tables: GRANT archive_reader TO somebody. The programs do
// not use the view, so it costs them nothing and hides nothing from them.
//
// Execute the statements in one transaction, after the tables of the user are there, and with the search_path of the programs.
// Execute them again after a change of ArchiveConfig.Tables. The view depends on the tables, so it has to go before one of
// them. The statements take the rights on the tables of the archive from PUBLIC and from the role. A second execution changes nothing.
//
// Errors: ErrInvalid for a Config without an archive, a wrong name, and for SQLite. SQLite has no roles: each user with the
// right to read the file reads the archive.
//
//test:by TestReaderText TestReaderTextErrors
func ReaderText(c Config, role string) ([]string, error) {
	c, err := c.named()
	switch {
	case err != nil:
	case c.Dialect != Postgres:
		err = fmt.Errorf("Dialect: %s has no roles: want Postgres: %w", c.Dialect, graph.ErrInvalid)
	case c.Archive == nil:
		err = fmt.Errorf("config: Archive: nil: %w", graph.ErrInvalid)
	case !isIdentifier(role):
		err = fmt.Errorf("role: %q: want a name of letters, digits and _: %w", cutText(role), graph.ErrInvalid)
	}
	if err != nil {
		return nil, fmt.Errorf("reader text: %w", err)
	}
	c.Archive = c.Archive.clone()
	const tables = `{archive}, {archive_owners}, {holds}, {trails}, {payloads}, {archive_settings}`
	list := []string{
		`DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = {name}) THEN CREATE ROLE {role} NOLOGIN; END IF; END $$`,
		`REVOKE ALL ON ` + tables + ` FROM PUBLIC, {role}`,
		readerView(c),
		`GRANT SELECT ON {archive_entries} TO {role}`,
	}
	if c.Schema != "" {
		list = append(list, `GRANT USAGE ON SCHEMA "`+c.Schema+`" TO {role}`)
	}
	for i, text := range list {
		list[i] = strings.NewReplacer("{role}", quoteName(role), "{name}", quoteText(role)).Replace(c.names().Replace(text))
	}
	return list, nil
}

// readerView returns the statement of the view. The conversion to regclass takes place once, when the view is made. So a table of
// the same name in another schema of the reader gives no right. The functions ask for the rights of the user who reads,
// because a view runs them as that one. With security_barrier no function of the reader sees a row before they do.
func readerView(c Config) string {
	var may strings.Builder
	for _, kind := range c.payloadKinds() {
		table := quoteText(c.Archive.Tables[kind].place(c, c.Archive.Tables[kind].Name)) + `::regclass`
		fmt.Fprintf(&may, "\n\tWHEN %s THEN has_table_privilege(%s, 'SELECT') AND NOT row_security_active(%s)", quoteText(string(kind)), table, table)
	}
	objects := `has_table_privilege(` + quoteText(c.names().Replace(`{objects}`)) + `::regclass, 'SELECT')`
	cases := `CASE k.kind` + may.String() + "\n\tELSE " + objects + ` AND a.shape IS NULL END`
	if may.Len() == 0 {
		cases = objects + ` AND a.shape IS NULL`
	}
	moment := func(column string) string {
		return `to_timestamp(nullif(a.` + column + `, 0) / 1000000.0) AS ` + column
	}
	return `CREATE OR REPLACE VIEW {archive_entries} WITH (security_barrier) AS
	SELECT a.uid, k.kind, a.scope, a.name, ` + moment("at") + `, ` + moment("until") + `, a.finalizers, a.explicit, a.orphaning,
	a.restored, a.restored_scope, a.restored_name, CASE WHEN ` + objects + ` THEN a.labels END AS labels, a.shape, a.payload, a.sealed, a.size
	FROM {archive} a JOIN {kinds} k ON k.id = a.kind
	WHERE ` + cases
}
