package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"

	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

func main() {
	seeds := flag.Uint64("seeds", 1000, "the number of schemas")
	first := flag.Uint64("seed", 1, "the first seed")
	sqlite := flag.Uint64("sqlite", 10, "one schema of this number runs on the store of SQLite, too; 0 for none")
	postgres := flag.Uint64("postgres", 20, "one schema of this number runs on the store of Postgres, too; 0 for none")
	django := flag.Bool("django", false, "compare with Django alone")
	recorded := flag.String("record", "", "only write Django's ends into this file of scenarios")
	python := flag.String("python", "/usr/bin/python3", "the Python that has Django")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *recorded != "":
		err = record(ctx, *python, *recorded)
	case *django:
		err = compareDjango(ctx, *python, *first, *seeds)
	default:
		err = compareAll(ctx, *first, *seeds, shares{sqlite: *sqlite, postgres: *postgres})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// shares has the stores of databases: one schema of this number runs on each, too. 0 is none.
type shares struct{ sqlite, postgres uint64 }

// compareAll compares schemas, with a Postgres of its own, and prints the counts.
func compareAll(ctx context.Context, first, n uint64, of shares) (err error) {
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
	c, err := compareSeeds(ctx, db, first, n, of)
	fmt.Print(c)
	return err
}

// compareSeeds compares the schemas of n seeds. It returns the first difference, of a schema as small as possible.
func compareSeeds(ctx context.Context, db *sql.DB, first, n uint64, of shares) (counts, error) {
	b := &bench{postgres: db, counts: counts{runs: map[string]int{}}}
	for seed := first; seed < first+n; seed++ {
		b.stores = map[string]runner{"memory": inMemory}
		if of.sqlite > 0 && seed%of.sqlite == 0 {
			b.stores["sqlite"] = onSQLite
		}
		if of.postgres > 0 && seed%of.postgres == 0 {
			b.stores["postgres"] = onPostgres(db)
		}
		if err := b.compare(ctx, draw(seed)); err != nil {
			before := b.counts
			before.runs = maps.Clone(before.runs)
			return before, fmt.Errorf("seed %d, shrunk: %w", seed, b.shrink(ctx, draw(seed), err))
		}
	}
	return b.counts, nil
}
