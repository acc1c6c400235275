package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

func main() {
	seeds := flag.Uint64("seeds", 1000, "the number of schemas")
	first := flag.Uint64("seed", 1, "the first seed")
	sqlite := flag.Uint64("sqlite", 10, "each how many'th schema runs on the store of SQLite, too; 0 for none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := compareAll(ctx, *first, *seeds, *sqlite); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// compareAll compares schemas, with a Postgres of its own, and prints the counts.
func compareAll(ctx context.Context, first, n, sqlite uint64) (err error) {
	server, err := postgres.Start(postgres.Config{})
	if err != nil {
		return err
	}
	defer func() {
		if ended := server.Stop(); err == nil {
			err = ended
		}
	}()
	db, err := sql.Open("pgx", server.DSN())
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := compareSeeds(ctx, db, first, n, sqlite)
	fmt.Print(c)
	return err
}

// compareSeeds compares the schemas of n seeds. It returns the first difference.
func compareSeeds(ctx context.Context, db *sql.DB, first, n, sqlite uint64) (counts, error) {
	b := &bench{postgres: db, counts: counts{runs: map[string]int{}}}
	for seed := first; seed < first+n; seed++ {
		b.stores = map[string]runner{"memory": inMemory}
		if sqlite > 0 && seed%sqlite == 0 {
			b.stores["sqlite"] = onSQLite
		}
		if err := b.compare(ctx, seed); err != nil {
			return b.counts, err
		}
	}
	return b.counts, nil
}
