package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

// Dialect is the database behind a *sql.DB.
type Dialect uint8

const (
	// DialectUnset lets New tell the database by the name of the driver's type.
	DialectUnset Dialect = iota
	// SQLite is SQLite 3.37 or newer.
	SQLite
	// Postgres is PostgreSQL 14 or newer. The driver has to take Go slices as arrays, as
	// github.com/jackc/pgx/v5/stdlib and github.com/lib/pq of version 1.12 do.
	Postgres
)

var dialectNames = [...]string{"unset", "sqlite", "postgres"}

// String returns the name of the dialect in lower case.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return fmt.Sprintf("dialect(%d)", uint8(d))
}

// Config has the settings of a Store. The zero value works. New keeps copies of the map
// and of the slice.
type Config struct {
	// Dialect is the database. Unset: New tells it by the driver.
	Dialect Dialect
	// Schema is the schema of the tables: a schema of Postgres, or an attached database
	// of SQLite. Migrate creates a schema of Postgres. Empty: the connection's own.
	Schema string
	// Prefix begins the name of each table. Empty: "og_".
	Prefix string
	// Kinds are the kinds that Migrate serves, beside those that the database has.
	Kinds []graph.KindInfo
	// Limits bounds the content of a written object.
	Limits graph.Limits
	// Propagation is the default of a kind's deletions. If unset, it is Background. All
	// processes have to agree on it.
	Propagation map[graph.Kind]graph.Propagation
	// Strict makes the store one of level 3. See the package comment. All processes have
	// to agree on it.
	Strict bool
	// Policies is the step by which a database begins to use the policies of references
	// (graph.Owner.OnDelete). Migrate upgrades the tables to version 3 then, which shuts out each
	// program that knows no policies. Set it when no such program is left, and set
	// ownergraph.Config.Policies, too. Before the step the store refuses each new reference with a
	// policy. See "Policies" in the package comment.
	Policies bool
	// Archive has the settings of the archive, nil for none. Migrate upgrades the tables to version 4 with it, which
	// shuts out each program without Archive. It needs Policies, whose step is the one before. All processes
	// have to agree on it. See "Archive" in the package comment.
	Archive *ArchiveConfig
	// LogAge and LogSize bound the log of changes: the age of a change, and the number of
	// changes. Defaults: one hour, and 1,000,000. Every watch cuts the log from time to
	// time. A watch that is further behind lists every kind anew.
	LogAge  time.Duration
	LogSize int
	// Poll is the longest time between two looks at the log. Default: 100 ms. A look costs
	// one statement, and two on Postgres.
	Poll time.Duration
	// Wait returns when another process may have written, for example after a
	// notification of Postgres on Channel. It only shortens the wait for the next look at
	// the log. Wait returns when its context ends. Nil: none.
	Wait func(ctx context.Context) error
	// Channel is the channel on which each write notifies Postgres. Postgres commits
	// transactions that notify one after another, so a channel costs throughput. Empty: no
	// notifications.
	Channel string
	// RetryLimit bounds the repetitions of a transaction that the database has aborted for
	// another one. Default: 16. The waits between them grow from 1 to 64 ms.
	RetryLimit int
	// Logger receives a line for a failed compaction of the log: one for each cause in a minute,
	// with the number of the others. Migrate writes at most 21 lines about foreign keys. Nil: none.
	Logger *slog.Logger
}

// maxIdentifier bounds a name that is put into a statement, in bytes.
const maxIdentifier = 40

// isIdentifier reports whether the text is a name that needs no escapes between quotes.
func isIdentifier(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if !(c >= 'a' && c <= 'z' || s[i] == '_' || i > 0 && s[i] >= '0' && s[i] <= '9') {
			return false
		}
	}
	return s != "" && len(s) <= maxIdentifier
}

// New returns a store in the database. It does not use the database yet. The caller calls
// Migrate once, keeps db open, and closes the store before it closes db. The error names
// the wrong setting.
func New(db *sql.DB, c Config) (*Store, error) {
	if db == nil {
		return nil, errors.New("new store: db: nil")
	}
	c, err := c.complete(fmt.Sprintf("%T", db.Driver()))
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, conf: c, writing: make(chan struct{}, 1), standAfter: standAfter, watches: map[*watch]struct{}{}, wake: make(chan struct{}), log: logline.New(c.Logger)}
	s.primary.asking = make(chan struct{}, 1)
	if s.tables = newSQLite(c); c.Dialect == Postgres {
		s.tables = newPostgres(c)
	}
	return s, nil
}

const defaultPrefix = "og_"

// database is the name of the SQLite database that has the tables. It may be an attached one.
func (c Config) database() string { return cmp.Or(c.Schema, "main") }

// complete returns the settings with the defaults, or the first wrong setting.
func (c Config) complete(driver string) (Config, error) {
	if c.Dialect == DialectUnset {
		c.Dialect = dialectOf(driver)
	}
	c.Prefix = cmp.Or(c.Prefix, defaultPrefix)
	if wrong := c.wrong(driver); wrong != "" {
		return c, fmt.Errorf("new store: %s", wrong)
	}
	c.Kinds, c.Propagation = slices.Clone(c.Kinds), maps.Clone(c.Propagation)
	c.Archive = c.Archive.clone()
	c.LogAge, c.LogSize = orDefault(c.LogAge, time.Hour), orDefault(c.LogSize, 1_000_000)
	c.Poll, c.RetryLimit = orDefault(c.Poll, 100*time.Millisecond), orDefault(c.RetryLimit, 16)
	return c, nil
}

// wrong returns the first wrong setting with the reason, or "".
func (c Config) wrong(driver string) string {
	switch {
	case c.Dialect != SQLite && c.Dialect != Postgres:
		return fmt.Sprintf("Dialect: %s, and the driver is %s: want SQLite or Postgres", c.Dialect, driver)
	case c.Schema != "" && !isIdentifier(c.Schema):
		return fmt.Sprintf("Schema: %q: want a name of letters, digits and _", c.Schema)
	case !isIdentifier(c.Prefix):
		return fmt.Sprintf("Prefix: %q: want a name of letters, digits and _", c.Prefix)
	case c.Channel != "" && (c.Dialect != Postgres || !isIdentifier(c.Channel)):
		return fmt.Sprintf("Channel: %q: want a name of letters, digits and _, on Postgres", c.Channel)
	case c.Limits.Owners < 0 || c.Limits.Finalizers < 0 || c.Limits.Text < 0:
		return "Limits: negative"
	case c.LogAge < 0 || c.LogSize < 0 || c.Poll < 0 || c.RetryLimit < 0:
		return "LogAge, LogSize, Poll or RetryLimit: negative"
	}
	if flaw := c.Archive.flaw(c); flaw != "" {
		return flaw
	}
	for k, p := range c.Propagation {
		if p > graph.Orphan {
			return fmt.Sprintf("Propagation[%q]: %s means nothing", k, p)
		}
	}
	for i, info := range c.Kinds {
		if err := checkKind(info); err != nil {
			return fmt.Sprintf("Kinds[%d]: %v", i, err)
		}
	}
	return ""
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// names puts the names of the tables into the text of a statement.
func (c Config) names() *strings.Replacer {
	quote := func(table string) string {
		if c.Schema == "" {
			return `"` + c.Prefix + table + `"`
		}
		return `"` + c.Schema + `"."` + c.Prefix + table + `"`
	}
	var pairs []string
	for _, table := range []string{"meta", "kinds", "objects", "owners", "log", "records", "members", "adopted", "seq", "restricts", "archive", "archive_at", "archive_owners", "archive_owners_uid", "archive_entries", "holds", "trails", "payloads", "archive_settings"} {
		pairs = append(pairs, "{"+table+"}", quote(table), "{#"+table+"}", `"`+c.Prefix+table+`"`)
	}
	return strings.NewReplacer(append(pairs, "{index}", quote("owners_owner"), "{#index}", `"`+c.Prefix+`owners_owner"`, "{policies}", quote("log_policies"), "{#policies}", `"`+c.Prefix+`log_policies"`, "{stamp}", c.stampText(), "{start}", startText(c.Dialect), "{least}", c.leastName())...)
}
