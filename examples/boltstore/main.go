// Command boltstore gives a bbolt file the ownership model of Kubernetes, at level 2. Copy it,
// and put your database in the place of bbolt. The file store.go has three methods over one
// transaction each, and three methods of a log. Package feed makes Watch, Fence and List of it.
//
// # Guarantees
//
//   - The transaction that writes an object appends the entry of the log. So a watch reports
//     every commit once, in the order of the commits.
//   - A fence is an entry of the log, with a random token. So the ends of foreground and orphan
//     deletions are exact.
//   - UIDs are random. A version is the position of its entry, behind the epoch of the file.
//   - Any number of stores and collectors may use one file. Bbolt lets one process open it.
//
// A store of level 1 has no log: see examples/customstore.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/examples/internal/command"
	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

func main() {
	os.Exit(command.Run(context.Background(), "boltstore", os.Args[1:], os.Stdout, os.Stderr, run))
}

// run creates a team with two repositories in a new file, deletes the team in the foreground,
// and prints the cascade.
//
// Tested by Example.
func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := bolt.Open(filepath.Join(dir, "objects.db"), 0o600, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	store, err := New(db, feed.Config{}, "Team", "Repo")
	if err != nil {
		return err
	}
	team, err := store.Create(graph.Object{Key: graph.Key{Kind: "Team", Name: "blue"}})
	if err != nil {
		return err
	}
	for _, name := range []string{"docs", "site"} {
		owner := graph.Owner{Key: team.Key, Block: true} // the team waits for it
		if _, err := store.Create(graph.Object{Key: graph.Key{Kind: "Repo", Name: name}, Owners: []graph.Owner{owner}}); err != nil {
			return err
		}
	}
	return collect(ctx, out, store, team.Key)
}

// collect runs a collector on the store, deletes the team, and waits for the end.
func collect(ctx context.Context, out io.Writer, store *Store, team graph.Key) (err error) {
	collector, err := ownergraph.New(store, ownergraph.Config{OnDecision: func(d engine.DecisionEvent) {
		if d.Action.Writes() {
			fmt.Fprintf(out, "%s %s %s: %s\n", d.Action, d.Key.Kind, d.Key.Name, d.Reason)
		}
	}})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()

	if err := collector.Synced(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "the user deletes %s %s in the foreground\n", team.Kind, team.Name)
	if err := store.Delete(ctx, team, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
		return err
	}
	held, err := collector.WaitIdle(ctx)
	if err != nil {
		return err
	}
	stats := collector.Stats()
	fmt.Fprintf(out, "%d objects are gone; %d writes were best effort; %d objects are held\n", stats.Gone, stats.Writes.BestEffort, len(held))
	return nil
}
