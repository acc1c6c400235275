// Command old has the tables of an application from before the control plane. With -make it makes
// them, with some rows. Without it, the command brings the rows under ownership, and may run again
// at any time.
//
//	go run ./old -store sqlite:old.db -make
//	go run ./old -store sqlite:old.db
package main

import (
	"context"
	"database/sql"
	_ "embed" // the statements
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

var (
	//go:embed tables.sql
	tablesSQL string
	//go:embed uids.sql
	uidsSQL string
	//go:embed specs.sql
	specsSQL string
)

// declarations says which rows become which objects of the control plane. The scope of an object is
// its team, and a database has the finalizer of its directory.
func declarations() []sqlstore.AdoptedTable {
	const team = "(SELECT t.name FROM teams t JOIN projects p ON p.team = t.id WHERE p.id = "
	return []sqlstore.AdoptedTable{
		{Kind: "teams", Table: "teams", Key: "id", UID: "uid", Name: "name"},
		{Kind: "projects", Table: "projects", Key: "id", UID: "uid", Name: "name", Scope: "(SELECT t.name FROM teams t WHERE t.id = r.team)",
			Owners: []sqlstore.AdoptedOwner{{Kind: "teams", Key: "team", Block: true}}},
		{Kind: "databases", Table: "databases", Key: "id", UID: "uid", Name: "name", Scope: team + "r.project)",
			Owners: []sqlstore.AdoptedOwner{{Kind: "projects", Key: "project", Block: true}}, Finalizers: []string{"controlplane.example/directory"}},
		{Kind: "backups", Table: "backups", Key: "id", UID: "uid", Name: "name", Scope: team + "coalesce(r.keeper, (SELECT d.project FROM databases d WHERE d.id = r.source)))",
			Owners: []sqlstore.AdoptedOwner{{Kind: "databases", Key: "source", Block: true}, {Kind: "projects", Key: "keeper", Block: true}}},
	}
}

func main() {
	address := flag.String("store", "sqlite:old.db", "the `store`: sqlite:FILE or postgres://...")
	create := flag.Bool("make", false, "make the tables and the rows of the application")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *address, *create); err != nil {
		fmt.Fprintln(os.Stderr, "old:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string, create bool) error {
	db, err := open(address)
	if err != nil {
		return err
	}
	defer db.Close()
	if create {
		return execute(ctx, db, tablesSQL)
	}
	return adopt(ctx, db)
}

func open(address string) (*sql.DB, error) {
	switch scheme, file, _ := strings.Cut(address, ":"); scheme {
	case "sqlite":
		return sql.Open("sqlite", "file:"+file+"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)")
	case "postgres", "postgresql":
		return sql.Open("pgx", address)
	}
	return nil, errors.New("store: want sqlite:FILE or postgres://..., because the old rows are in tables")
}

// adopt prepares the tables once, and adopts their rows.
func adopt(ctx context.Context, db *sql.DB) error {
	kinds := []ownergraph.KindInfo{{Kind: "teams"}, {Kind: "projects", Scoped: true}, {Kind: "databases", Scoped: true}, {Kind: "backups", Scoped: true}}
	store, err := sqlstore.New(db, sqlstore.Config{Kinds: kinds, Strict: true})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, `SELECT count(uid) FROM backups`).Scan(new(int)); err != nil {
		if err := execute(ctx, db, uidsSQL); err != nil {
			return err
		}
	}
	report, err := store.Adopt(ctx, declarations(), sqlstore.AdoptConfig{})
	fmt.Printf("%d rows: %d objects are new, %d have new owners, %d are deleted\n", report.Rows, report.Created, report.Changed, report.Deleted)
	for _, wrong := range report.Errors {
		fmt.Println(wrong)
	}
	return errors.Join(err, execute(ctx, db, specsSQL))
}

// execute carries out statements in one transaction.
func execute(ctx context.Context, db *sql.DB, text string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // without effect after the commit
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return err
	}
	return tx.Commit()
}
