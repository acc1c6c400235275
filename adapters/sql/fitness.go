package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// errUnfit says that a server lacks a property on which the order of the changes rests.
var errUnfit = errors.New("the server is unfit")

// answers are those of a server to the questions about its fitness.
type answers struct {
	version  string
	encoding string
	worker   bool // of Citus
	spread   bool // the tables are distributed by Citus
	numbers  numbers
}

// numbers are those of two transactions, one after the other, and of the snapshots that they
// see. The low number of a snapshot is the oldest running transaction, and the high one is
// above each that has ended.
type numbers struct {
	high      int64 // before the first transaction has a number
	first     int64
	low       int64 // in the first transaction
	nextHigh  int64 // after its commit
	second    int64
	secondLow int64
}

// judge returns the reason to refuse the server, or nil.
//
//test:by TestUnfitServers
func (a *answers) judge() error {
	missing := unfitVersion(a.version)
	switch {
	case missing != "":
	case a.worker:
		missing = "a worker of Citus: a transaction of another node has no number here"
	case a.spread:
		missing = "Citus distributes the tables: transactions on several nodes have no common numbers"
	case a.encoding != "UTF8":
		missing = fmt.Sprintf("the encoding of the database is %s, want UTF8", a.encoding)
	default:
		missing = a.numbers.unfit()
	}
	if missing == "" {
		return nil
	}
	return fmt.Errorf("%.120q: %s: %w: %w", a.version, missing, graph.ErrRefused, errUnfit)
}

// leastPostgres is the oldest version that the package documentation names.
const leastPostgres = 14

const postgresVersion = `^PostgreSQL (\d+)(?:\.\d+)*(?:devel|alpha\d+|beta\d+|rc\d+)?(?:[ ,(]|$)`

// others returns servers that speak the protocol of Postgres, by a word of their version(). They
// store the tables on several nodes, or have no number of a transaction.
func others() []string {
	return []string{
		"-YB-", "Yugabyte", "CockroachDB", "Greenplum", "Redshift", "Materialize", "RisingWave", "QuestDB", "CrateDB", "Spanner",
		"openGauss", "GaussDB", "Apache Cloudberry", "Postgres-XL", "Postgres-XC", "DSQL",
	}
}

const lacksNumbers = "it lacks transaction numbers in the order of the commits (pg_current_xact_id, pg_current_snapshot)"

// unfitVersion returns the reason to refuse a text of version(), or "".
func unfitVersion(text string) string {
	for _, word := range others() {
		if strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			return lacksNumbers
		}
	}
	parts := regexp.MustCompile(postgresVersion).FindStringSubmatch(text)
	if parts == nil {
		return "it is not PostgreSQL, and its transaction numbers are unknown"
	}
	if major, err := strconv.Atoi(parts[1]); err != nil || major < leastPostgres {
		return fmt.Sprintf("want PostgreSQL %d or newer", leastPostgres)
	}
	return ""
}

// unfit returns the property that the numbers lack, or "". A watch reads below the oldest
// running transaction, so that number may not pass a transaction that runs. A later
// transaction has a higher number than each that has ended.
func (n numbers) unfit() string {
	switch {
	case n.first <= 0 || n.second <= 0:
		return lacksNumbers + ": a transaction has no number"
	case n.first < n.high:
		return lacksNumbers + fmt.Sprintf(": transaction %d begins after a snapshot that ends with %d", n.first, n.high)
	case n.low > n.first || n.secondLow > n.second:
		return lacksNumbers + fmt.Sprintf(": transaction %d runs, and a snapshot has %d as the oldest one", n.first, n.low)
	case n.nextHigh <= n.first:
		return lacksNumbers + fmt.Sprintf(": transaction %d has ended, and a later snapshot ends with %d", n.first, n.nextHigh)
	case n.second <= n.first:
		return lacksNumbers + fmt.Sprintf(": transaction %d follows transaction %d", n.second, n.first)
	}
	return ""
}

// errNoFile says that a database of SQLite has no file, and the pool several connections.
var errNoFile = errors.New("the database has no file, and each connection has one of its own: open a file, or call db.SetMaxOpenConns(1) before")

// checkFile refuses a database of SQLite in memory behind a pool of several connections. The
// database is that of the tables, which may be an attached one.
//
//test:by TestInMemory TestAttached
func (s *Store) checkFile(ctx context.Context) error {
	base := s.conf.database()
	var file sql.NullString
	// The first connections of a new file set journal_mode(WAL), and only one of them at a time can.
	err := s.retry(ctx, func() error {
		return s.db.QueryRowContext(ctx, `SELECT max(coalesce(file, '')) FROM pragma_database_list WHERE name = ? COLLATE NOCASE`, base).Scan(&file)
	})
	if err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if !file.Valid {
		return fmt.Errorf("check the database: a connection has no database %q: attach it to each one", base)
	}
	if file.String == "" && s.db.Stats().MaxOpenConnections != 1 {
		return fmt.Errorf("check the database: %q: %w: %w", base, graph.ErrRefused, errNoFile)
	}
	s.primary.fit.Store(true)
	return nil
}
