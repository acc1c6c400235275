// Command customstore gives a store of one's own what Kubernetes gives its users:
// objects that know their owners, and a deletion that cascades. Copy store.go, put
// your database in the place of its maps, and hand it to ownergraph.New.
//
// # What the store promises
//
// It is of level 1, which is what the comments of ownergraph.Store ask for:
//
//   - it makes the UIDs itself, and none ever comes back;
//   - a read is not older than the call, and ErrNotFound proves absence;
//   - a write compares UID and version and changes the object in one step;
//   - the watch lists every kind in whole, and anew after every change.
//
// With that nothing is ever deleted wrongly. What it lacks is a fence
// (ownergraph.Fencer): nobody can tell whether the watch has already reported what
// was written before some moment. So a foreground deletion may end before a
// dependent that was created just then is gone, an orphaning may miss such a
// dependent, which is then collected, and WaitIdle may answer before it has heard
// of the latest write. As in Kubernetes, all of that is rare, and best effort.
//
// Listing everything after each change is valid and slow. A database that has a
// feed of its changes reports them as Put and Gone after the first listing. Its
// UIDs and versions have to outlive the process, as these do not.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func main() { os.Exit(command(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

// command refuses arguments, of which there are none, and returns the exit status: 1
// for a failure, 2 for wrong usage. Held by TestCommand.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("customstore", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprintln(stderr, "usage: customstore (it takes no arguments)") }
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "unexpected argument %q\n", flags.Arg(0))
		flags.Usage()
		return 2
	}
	if err := run(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "customstore:", err)
		return 1
	}
	return 0
}

// run gives a team two repositories, deletes the team, and prints what follows.
// Held by Example.
func run(ctx context.Context, out io.Writer) (err error) {
	store := NewStore("Team", "Repo")
	team, err := store.Create("Team", "blue")
	if err != nil {
		return err
	}
	for _, name := range []string{"docs", "site"} {
		if _, err := store.Create("Repo", name, graph.Owner{Key: team.Key}); err != nil {
			return err
		}
	}

	collector, err := ownergraph.New(store, ownergraph.Config{OnDecision: func(d ownergraph.Decided) {
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

	if _, err := collector.WaitIdle(ctx); err != nil { // everything is listed
		return err
	}
	fmt.Fprintln(out, "the user deletes Team blue")
	if err := store.Delete(ctx, team.Key, graph.DeleteOptions{Propagation: graph.Background}); err != nil {
		return err
	}
	if err := store.waitEmpty(ctx); err != nil {
		return err
	}
	held, err := collector.WaitIdle(ctx) // the collector's own writes it does wait for
	if err != nil {
		return err
	}
	stats := collector.Stats()
	fmt.Fprintf(out, "%d objects are gone; the collector made %d deletes and %d reads; %d objects are held\n",
		stats.Gone, stats.Deletes, stats.Reads, len(held))
	return nil
}

// waitEmpty waits until the store holds nothing.
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
