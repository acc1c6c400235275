// Command customstore gives your own store the ownership model of Kubernetes. Objects
// know their owners, and a deletion cascades. Copy store.go, put your database in the
// place of its maps, and pass it to ownergraph.New.
//
// # Guarantees
//
// The store has level 1, as the comments of ownergraph.Store define it:
//
//   - It makes the UIDs itself, and never makes a UID twice.
//   - A read is never older than the call, and ErrNotFound proves absence.
//   - A write compares UID and version and changes the object in one step.
//   - The watch lists every kind completely, and again after every change.
//
// So the engine never deletes a wrong object. The store has no fence
// (ownergraph.Fencer), so the engine cannot wait until the watch has reported all
// earlier writes. Three results are best effort, as in Kubernetes, and rarely fail. A
// foreground deletion may end before a dependent that was created at the same moment.
// An orphan deletion may miss such a dependent, which the engine then deletes. WaitIdle
// may return before it observes the latest write.
//
// A complete listing after each change is valid and slow. A database with a log of its changes
// reports them as Put and Gone after the first listing, and has fences: see
// examples/boltstore. Its UIDs and versions must outlive the process, unlike the ones here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/examples/internal/command"
	"github.com/ownergraph/ownergraph/graph"
)

func main() {
	os.Exit(command.Run(context.Background(), "customstore", os.Args[1:], os.Stdout, os.Stderr, run))
}

// run creates a team with two repositories, deletes the team, and prints the cascade.
//
// Tested by Example.
func run(ctx context.Context, out io.Writer) (err error) {
	store := NewStore("Team", "Repo")
	team, err := store.Create("Team", "blue")
	if err != nil {
		return err
	}
	for _, name := range []string{"docs", "site"} {
		if _, err := store.Create("Repo", name, team.ControllerRef()); err != nil {
			return err
		}
	}

	collector, err := ownergraph.New(store, ownergraph.Config{OnDecision: func(d ownergraph.DecisionEvent) {
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

	if _, err := collector.WaitIdle(ctx); err != nil { // until every kind is listed
		return err
	}
	fmt.Fprintln(out, "the user deletes Team blue")
	if err := store.Delete(ctx, team.Key, graph.DeleteOptions{Propagation: graph.Background}); err != nil {
		return err
	}
	if err := store.waitEmpty(ctx); err != nil {
		return err
	}
	held, err := collector.WaitIdle(ctx) // it waits for the collector's own writes
	if err != nil {
		return err
	}
	stats := collector.Stats()
	fmt.Fprintf(out, "%d objects are gone; the collector made %d deletes and %d reads; %d objects are held\n",
		stats.Gone, stats.Calls.Of(engine.CallDelete), stats.Calls.Of(engine.CallRead), len(held))
	return nil
}

// waitEmpty waits until the store has no objects.
func (s *Store) waitEmpty(ctx context.Context) error {
	for {
		events, changed := s.list()
		if !slices.ContainsFunc(events, func(e graph.Event) bool { return e.Type == graph.Put }) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
