package sqlstore

import (
	"database/sql"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/internal/proof/processes"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// server is the one Postgres of the tests. Each test has a schema of its own.
var (
	server  *postgres.Server
	schemas atomic.Int64
)

func TestMain(m *testing.M) {
	if task, is := os.LookupEnv(guardVariable); is {
		fmt.Fprintln(os.Stderr, runGuardTask(task))
		os.Exit(1)
	}
	for variable, run := range map[string]func(string) error{adoptVariable: runAdoptTask, archiveVariable: runArchiveTask} {
		if task, is := os.LookupEnv(variable); is {
			if err := run(task); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	if task, is, err := processes.OfThisProcess(); is {
		if err == nil {
			err = serveTask(task)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(withServer(m))
}

func withServer(m *testing.M) int {
	var err error
	if server, err = postgres.Start(postgres.Config{Settings: []string{"max_connections=400", "max_prepared_transactions=20"}}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return m.Run()
}

// free are schemas whose tables are empty again. To make tables takes longer.
var free = make(chan string, 100)

// newPostgresDatabase returns a schema of its own.
func newPostgresDatabase(tb storetest.TB) *database {
	var schema string
	select {
	case schema = <-free:
	default:
		schema = fmt.Sprintf("test_%d", schemas.Add(1))
	}
	tb.Cleanup(func() {
		if err := emptySchema(schema); err != nil {
			tb.Errorf("empty schema %s: %v", schema, err)
			return
		}
		select {
		case free <- schema:
		default:
		}
	})
	return &database{
		name: "postgres", faults: &faults{}, conf: Config{Dialect: Postgres, Schema: schema},
		open: func(f *faults) (*sql.DB, error) { return openPostgres(server.DSN(), f) },
	}
}

// emptySchema drops the tables of the user, and deletes the rows of the store. A test may have made no tables.
func emptySchema(schema string) error {
	db, err := openPostgres(server.DSN(), &faults{})
	if err != nil {
		return err
	}
	defer db.Close()
	names := Config{Schema: schema, Prefix: "og_"}.names()
	made := false
	if err := db.QueryRow(`SELECT to_regclass($1) IS NOT NULL`, names.Replace(`{objects}`)).Scan(&made); err != nil || !made {
		return err
	}
	text := names.Replace(`DROP TABLE IF EXISTS {adopted}, {members}, {restricts}, {archive}, {archive_owners}, {holds}, {trails}, {payloads}, {archive_settings}, "` + schema + `"."payload_og_meta", "` + schema + `"."loose", "` + schema + `"."photos", "` + schema + `"."the ""buckets"";", "` + schema + `"."teams"; TRUNCATE {objects}, {owners}, {log}, {records}, {kinds}, {meta}; ALTER TABLE {objects} DROP COLUMN IF EXISTS restricted; ALTER TABLE {log} DROP CONSTRAINT IF EXISTS {#policies}`)
	for range 10 { // a caller that was cancelled may still have locks for a moment
		if _, err = db.Exec(text); answerOf(err) != answerRetry {
			return err
		}
	}
	return err
}

func openPostgres(dsn string, f *faults) (*sql.DB, error) {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	return openFaulty(stdlib.GetConnector(*c), f), nil
}

// newDatabases are the databases of the tests.
var newDatabases = map[string]func(storetest.TB) *database{"sqlite": newSQLiteDatabase, "postgres": newPostgresDatabase}

// onEach runs a test on each database.
func onEach(t *testing.T, test func(t *testing.T, d *database)) {
	t.Helper()
	for _, name := range sortedNames(newDatabases) {
		t.Run(name, func(t *testing.T) { test(t, newDatabases[name](t)) })
	}
}
