package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

func (a *app) followCommand() *cobra.Command {
	var w waitFlags
	cmd := &cobra.Command{
		Use:   "follow OBJECT",
		Short: "Watch a deletion while it goes on",
		Long: `Watch the deletion of an object in a live store or a cluster, until the object and everything
below it are gone. The command only observes: the collector of the store does the work. An object
that has no deletion mark yet is waited for, as long as --patience allows.

Exit code 3: objects are held, or nothing has changed for the time of --patience.`,
		Example: a.examples("follow --store sqlite:app.db tenant/blue", "follow --store etcd://127.0.0.1:2379 --global-kind team --kind project team/red --patience 5m",
			"", "follow deploy/cart -n shop --patience 5m"),
		Args: a.wantsObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.onStore(ctx, args, nil, func(ctx context.Context, s *site) error {
				return s.follow(ctx, s.objects[0].Key, w.patience)
			})
		},
	}
	a.addLive(cmd)
	w.add(cmd)
	return cmd
}

// follow shows the progress of a deletion until its end, or until nothing has changed for
// some time. Then it lists the held objects, and returns printing.ErrFound.
//
//test:by TestFollow TestFollowHeld
func (s *site) follow(ctx context.Context, key graph.Key, patience time.Duration) error {
	f := live.Follower{Collector: s.Collector, Out: terminal.New(s.app.stdout), Notes: s.app.stderr, Patience: patience, Acting: s.acting}
	if s.acting != nil {
		f.Made = 1 // the deletion of the object itself
	}
	done, err := f.Follow(ctx, key)
	if err == nil && !done {
		return printing.ErrFound
	}
	return err
}
