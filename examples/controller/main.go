// Command controller is a garbage collector of its own on the packages graph, policy, queue and
// finalizer. It uses neither the Engine nor the Collector of package ownergraph.
//
//	go run ./examples/controller
//
// The whole collector is in controller.go, with at most 150 lines:
//
//   - An event of the watch changes the graph. The delta names the objects to decide anew.
//   - The queue has their keys. After a conflict a key returns with a backoff.
//   - Package policy decides on the facts of an object. The controller reads owners that it has to
//     verify, and begins a fence where the store has fences. It notes the moment of each version.
//   - The write of a decision carries the UID and the version of the judged object.
//
// # Guarantees
//
// The controller deletes an object only if each owner is gone by proof, or waits for the object in a
// foreground deletion (RULES.md: R1, R2, R4, R6, R7, R8). A read or a write of the store never changes
// its graph.
//
// # Limits
//
//   - A store of level 1 has no fences. A foreground or orphan deletion is best effort there. It may
//     miss a dependent that was created at the same moment.
//   - A controller ends when the history of the store goes backwards, when its watch breaks, and after
//     a write with an unknown outcome. Then the caller begins anew with an empty graph. An unannounced
//     restore goes unseen, because the controller compares no versions.
//   - A kind that is sick or not listed delays every foreground and orphan deletion.
//   - The change of an owner whose kind is not watched asks for no new decision. Neither does the end of
//     one of two objects with one UID. The next listing of a kind decides these objects anew.
//   - It makes one call at a time, remembers no orphaned owners, and has no sweeps, guards or brake.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/examples/internal/command"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

func main() {
	os.Exit(command.Run(context.Background(), "controller", os.Args[1:], os.Stdout, os.Stderr, run))
}

// collect runs a controller on a store until ctx ends, or until an error ends the controller.
func collect(ctx context.Context, store ownergraph.Store, wrote func(graph.Key, policy.Decision)) error {
	c, events, ended := newController(store, wrote), make(chan []graph.Event), make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		ended <- store.Watch(ctx, func(batch []graph.Event) error {
			select {
			case events <- slices.Clone(batch):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for {
		select {
		case batch := <-events:
			for _, e := range batch {
				if err := c.observe(e); err != nil {
					return fmt.Errorf("observe: %w", err)
				}
			}
		case err := <-ended:
			return err
		case <-c.due():
			if _, err := c.step(ctx, time.Now()); err != nil {
				return err
			}
		}
	}
}

// due returns a channel that delivers when the next key is due, nil without a key.
func (c *controller) due() <-chan time.Time {
	if at, ok := c.keys.Due(); c.keys.Ready() == 0 && ok {
		return time.After(time.Until(at))
	} else if c.keys.Ready() == 0 {
		return nil
	}
	return time.After(0)
}

// run deletes three owners, one cascade after another, and prints the writes of the controller.
//
// Tested by Example.
func run(ctx context.Context, out io.Writer) error {
	objects, err := graph.Parse(`
		team/blue; repo/site -> team/blue!; page/home -> repo/site!;
		team/red; repo/docs -> team/red; repo/wiki -> team/red, team/green; team/green;
		team/gold; repo/app -> team/gold`)
	if err != nil {
		return err
	}
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	writes, ended := make(chan string), make(chan error, 1)
	go func() {
		ended <- collect(ctx, store, func(k graph.Key, d policy.Decision) {
			select {
			case writes <- fmt.Sprintf("%s %s: %s", d.Action, k.PlaceString(), d.Reason):
			case <-ctx.Done():
			}
		})
	}()
	defer func() { stop(); <-ended }()
	for _, s := range []struct {
		delete graph.Key
		how    graph.Propagation
		writes int // of the controller
	}{
		{graph.Key{Kind: "team", Name: "blue"}, graph.Foreground, 4},
		{graph.Key{Kind: "team", Name: "red"}, graph.Background, 2},
		{graph.Key{Kind: "team", Name: "gold"}, graph.Orphan, 2},
	} {
		fmt.Fprintf(out, "a user deletes %s: %s\n", s.delete.PlaceString(), s.how)
		if err := store.Delete(ctx, s.delete, graph.DeleteOptions{Propagation: s.how}); err != nil {
			return err
		}
		for range s.writes {
			select {
			case w := <-writes:
				fmt.Fprintln(out, " ", w)
			case err := <-ended:
				ended <- err
				return err
			}
		}
	}
	fmt.Fprintln(out, "left:", graph.Format(unversioned(store.Objects())))
	return nil
}

// unversioned returns the objects without their versions, as a short output needs them.
func unversioned(objects []graph.Object) []graph.Object {
	for i := range objects {
		objects[i].Version = ""
	}
	return objects
}
