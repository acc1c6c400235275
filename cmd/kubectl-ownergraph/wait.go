package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/spf13/cobra"
)

// goneAlready is the answer for an object that is not there. Without its UID the command cannot
// find the objects below it.
const goneAlready = `gone already: no such object. Objects below it may remain: see "kubectl ownergraph top"`

// forEver is the time of a wait without a bound.
const forEver = 100 * 365 * 24 * time.Hour

func (a *app) waitCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait TYPE/NAME",
		Short: "Wait until an object and everything below it are gone",
		Long: `Wait until an object and everything below it are gone, and show the progress. The command
watches every kind, and writes nothing: the collector of the cluster does the work. An object
without a deletion mark is waited for. An object that is not there is gone already: begin to
wait before a background deletion, or look at "kubectl ownergraph top" for what it has left.

Exit code 3: the time of --timeout is over. The held objects are named, or the kinds that could
not be listed. Or the right to list a kind is missing: the command says so at once.`,
		Example: `  kubectl ownergraph wait namespace/shop --timeout 10m
  kubectl delete deployment/cart --cascade=foreground --wait=false && kubectl ownergraph wait deployment/cart`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.wait(ctx, args, timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "longest wait; 0 for none")
	return cmd
}

//test:by TestWait
func (a *app) wait(ctx context.Context, args []string, timeout time.Duration) error {
	var over <-chan time.Time
	if timeout > 0 {
		over = time.After(timeout)
	}
	err := a.onLive(ctx, args, timeout, nil, func(ctx context.Context, c *ownergraph.Collector, key graph.Key) error {
		f := live.Follower{Collector: c, Out: terminal.New(a.stdout), Notes: a.stderr, Patience: forEver, Deadline: over}
		done, err := f.Follow(ctx, key)
		if err == nil && !done {
			return printing.ErrFound
		}
		return err
	})
	switch {
	case errors.Is(err, errForbidden) && ctx.Err() == nil:
		fmt.Fprintf(a.stderr, "cannot know when the deletion ends: %s\n", spell.Line(err.Error()))
		return printing.ErrFound
	case errors.Is(err, errUnlisted) && ctx.Err() == nil:
		fmt.Fprintf(a.stderr, "the time is over: %s\n", spell.Line(err.Error()))
		return printing.ErrFound
	case errors.Is(err, graph.ErrNotFound):
		_, err = fmt.Fprintln(a.stdout, goneAlready)
	}
	return err
}
