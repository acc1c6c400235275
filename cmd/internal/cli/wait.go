package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// goneAlready is the answer for an object that is not there. Without its UID the command cannot
// find the objects below it.
const goneAlready = `gone already: no such object. Objects below it may remain: see "top" of a cluster`

// forEver is the time of a wait without a bound.
const forEver = 100 * 365 * 24 * time.Hour

func (a *app) waitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wait OBJECT",
		Short: "Wait until an object and everything below it are gone",
		Long: `Wait until an object and everything below it are gone, and show the progress. The command
watches every kind, and writes nothing: the collector of the store or the cluster does the work. An
object without a deletion mark is waited for. An object that is not there is gone already: begin
to wait before a background deletion, or look at "top" for what it has left in a cluster.

Exit code 3: the time of --timeout is over. The held objects are named, or the kinds that could
not be listed. Or the right to list a kind is missing: the command says so at once.`,
		Example: a.examples("wait --store sqlite:app.db tenant/blue --timeout 10m",
			"", "wait namespace/shop --timeout 10m", "wait deployment/cart"),
		Args: a.wantsObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.wait(ctx, args)
		},
	}
	cmd.Flags().DurationVar(&a.source.timeout, "timeout", 5*time.Minute, "longest wait; 0 for none")
	a.addStore(cmd)
	a.addFormat(cmd, printing.Plain())
	return cmd
}

//test:by TestWait
func (a *app) wait(ctx context.Context, args []string) error {
	var over <-chan time.Time
	if a.source.timeout > 0 {
		over = time.After(a.source.timeout)
	}
	err := a.onStore(ctx, args, nil, func(ctx context.Context, s *site) error {
		f := a.follower(s)
		f.Patience, f.Deadline = forEver, over
		return followed(f.Follow(ctx, s.objects[0].Key))
	})
	switch {
	case errors.Is(err, errForbidden) && ctx.Err() == nil:
		fmt.Fprintf(a.stderr, "cannot know when the deletion ends: %s\n", spell.Line(err.Error()))
		return printing.ErrFound
	case errors.Is(err, errUnlisted) && ctx.Err() == nil:
		fmt.Fprintf(a.stderr, "the time is over: %s\n", spell.Line(err.Error()))
		return printing.ErrFound
	case errors.Is(err, graph.ErrNotFound) && a.format == printing.JSON:
		return a.printer().JSONLine(map[string]string{"schema": "follow/v1", "end": "absent"})
	case errors.Is(err, graph.ErrNotFound):
		_, err = fmt.Fprintln(a.stdout, goneAlready)
	}
	return err
}
