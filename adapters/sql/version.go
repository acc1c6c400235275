package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	// firstSchema is the version of the tables that a schema creates.
	firstSchema = 1
	// plainSchema is their version after all upgrades but that of Config.Policies.
	plainSchema = 2
	// policySchema is their version from which the policies of references act.
	policySchema = 3
	// schemaVersion is the newest version that a program without Config.Archive works on.
	schemaVersion = policySchema
	// archiveSchema is their version from which each object that ends has an entry.
	archiveSchema = 4
)

var (
	errNewer    = errors.New("the tables have a newer version")
	errStandby  = errors.New("the server is a standby (pg_is_in_recovery), which may lag: connect to the primary alone, as target_session_attrs=primary does")
	errNoTables = errors.New("there are no tables: call Migrate")
)

// checkSchema refuses the tables of a version that this program does not know, or does not work on.
func (c Config) checkSchema(version int64) error {
	switch {
	case version > c.newest():
		return newer(version)
	case version < firstSchema:
		return fmt.Errorf("version %d of the tables: there is no such version: %w", version, graph.ErrRefused)
	}
	return nil
}

// newest is the newest version of tables that a program with these settings works on. Without an archive its
// removals would leave no entry.
func (c Config) newest() int64 {
	if c.Archive != nil {
		return archiveSchema
	}
	return schemaVersion
}

func newer(version int64) error {
	if version == archiveSchema {
		return fmt.Errorf("version %d, this program knows %d without Config.Archive: %w: %w", version, schemaVersion, graph.ErrRefused, errNewer)
	}
	return fmt.Errorf("version %d, this program knows %d: %w: %w", version, archiveSchema, graph.ErrRefused, errNewer)
}

// The stamps that no set of kinds has. A stamp below all of them is a version of the tables that
// this program does not work on, with a minus sign.
const (
	stampStandby   = -1
	stampNone      = -2
	stampNoArchive = -3
)

// stampText is the stamp in the row m of {meta}: of the kinds, of the version of the tables,
// and on Postgres of the server and of its last start. Each statement that writes demands the
// stamp by which the write was judged. So no write follows an upgrade, a standby or another
// server, and the check costs no statement of its own.
//
//test:by TestVersionShutsOut TestStandbyIsRefused TestStatementsOfWrites TestArchiveShutsOut
func (c Config) stampText() string {
	recovery, start, without := "", "", ""
	if c.Dialect == Postgres {
		recovery = fmt.Sprintf(`WHEN pg_is_in_recovery() THEN %d `, stampStandby)
		start = ` # ` + startText(c.Dialect)
	}
	if c.Archive != nil {
		without = fmt.Sprintf(`WHEN m.version < %d THEN %d `, archiveSchema, stampNoArchive)
	}
	return fmt.Sprintf(`CASE %sWHEN m.version < %d THEN %d %sWHEN m.version > %d THEN -m.version ELSE m.kinds%s END`,
		recovery, firstSchema, stampNone, without, c.newest(), start)
}

// checkStamp returns the reason of a stamp that no set of kinds has.
func checkStamp(stamp int64) error {
	switch {
	case stamp >= 0:
		return nil
	case stamp == stampStandby:
		return &notDone{cause: errStandby, after: later}
	case stamp == stampNone:
		return errNoTables
	case stamp == stampNoArchive:
		return fmt.Errorf("the tables have no archive: call Migrate: %w", graph.ErrRefused)
	}
	return newer(-stamp)
}

// startText is the moment at which the server was started, in microseconds. Two servers of one history,
// as after a failover, have two moments. On SQLite it is 0.
func startText(d Dialect) string {
	if d == Postgres {
		return `(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint`
	}
	return `0`
}

// errOtherStart says that the server was started anew, or is another one, since the look by which a read
// is judged.
var errOtherStart = errors.New("the server was started anew meanwhile, or is another one")

// checkTables returns the start of the server, or the reason for which the tables or the server are not
// to be used.
func (c *conn) checkTables(ctx context.Context) (start int64, err error) {
	stamp, system := int64(stampNone), int64(0)
	text := c.s.conf.names().Replace(`SELECT {stamp}, {start}, 0 FROM {meta} m WHERE m.id = 1`)
	if t, ok := c.s.tables.(*postgresTables); ok {
		text = t.textOf("tables")
	}
	if _, err = c.one(ctx, text, nil, &stamp, &start, &system); err == nil {
		err = c.accept(stamp, system)
	}
	return start, err
}

// accept judges the stamp and the system identifier that a statement has read. Another statement might ask
// another server.
func (c *conn) accept(stamp, system int64) error {
	if err := checkStamp(stamp); err != nil {
		return err
	}
	return c.s.primary.check(system)
}

// there scans the row of a query on {meta} and {log}. Without a row it returns the reason.
func (c *conn) there(ctx context.Context, text string, args []any, into ...any) error {
	found, err := c.one(ctx, text, args, into...)
	if found || err != nil {
		return err
	}
	if _, err := c.checkTables(ctx); err != nil {
		return err
	}
	return errLogEmpty
}
