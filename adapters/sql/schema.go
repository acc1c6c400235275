package sqlstore

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// The versions of the tables that Migrate makes. This package uses all of them.
const (
	// SchemaVersion is the version without Config.Policies.
	SchemaVersion = plainSchema
	// PoliciesVersion is the version with Config.Policies.
	PoliciesVersion = policySchema
	// ArchiveVersion is the version with Config.Archive.
	ArchiveVersion = archiveSchema
)

// Schema returns the statements that make a version of the tables from the version before it, for
// a program or a person that changes the database. Version 1 begins with an empty database. Config
// needs a Dialect. Schema and Prefix give the names, and Kinds is not used: Migrate serves the
// kinds without a right to create tables. Execute version 3 ([PoliciesVersion]) only as the step of
// Config.Policies: it shuts out each program that knows no policies. Execute version 4
// ([ArchiveVersion]) only as the step of Config.Archive: it shuts out each program without that.
//
// The statements of one version belong into one transaction. They are those of Migrate, which then
// finds current tables. A second execution changes nothing. TriggerText has the triggers.
//
// Errors: ErrInvalid for another dialect, a wrong name, and a version that does not exist.
//
//test:by TestSchemaIsMigrate TestSchemaWithoutRights TestSchemaErrors
func Schema(c Config, version int) ([]string, error) {
	c, err := c.named()
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	steps := c.steps()
	if version < firstSchema || version > len(steps) {
		return nil, fmt.Errorf("schema: version %d: want %d to %d: %w", version, firstSchema, len(steps), graph.ErrInvalid)
	}
	list := steps[version-firstSchema]
	if version == firstSchema && c.Dialect == Postgres && c.Schema != "" {
		list = append([]string{c.createSchema()}, list...)
	}
	return list, nil
}

// named returns the settings of a text: the dialect and the names.
func (c Config) named() (Config, error) {
	if c.Dialect != SQLite && c.Dialect != Postgres {
		return c, fmt.Errorf("Dialect: %s: want SQLite or Postgres: %w", c.Dialect, graph.ErrInvalid)
	}
	c.Prefix = cmp.Or(c.Prefix, defaultPrefix)
	if wrong := c.wrong(""); wrong != "" {
		return c, fmt.Errorf("%s: %w", wrong, graph.ErrInvalid)
	}
	return c, nil
}

// createSchema is the statement that makes the schema of the tables on Postgres.
func (c Config) createSchema() string { return `CREATE SCHEMA IF NOT EXISTS "` + c.Schema + `"` }

// steps has the statements that make each version of the one before, with the names of the
// tables.
func (c Config) steps() [][]string {
	list := sqliteSteps()
	if c.Dialect == Postgres {
		list = postgresSteps()
	}
	names := c.names()
	for _, step := range list {
		for i, text := range step {
			step[i] = strings.ReplaceAll(names.Replace(text), "\n\t\t", "\n\t")
		}
	}
	return list
}

// version is the version of the tables that Migrate makes.
func (c Config) version() int64 {
	switch {
	case c.Archive != nil:
		return archiveSchema
	case c.Policies:
		return policySchema
	}
	return plainSchema
}

// raised sets the version of tables after a step. It never lowers the version.
func raised(from int) string {
	return fmt.Sprintf(`UPDATE {meta} SET version = %d WHERE id = 1 AND version = %d`, from+1, from)
}
