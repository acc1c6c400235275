package main

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/spf13/cobra"
)

// waitFlags are the flags of a subcommand that follows a deletion.
type waitFlags struct {
	patience time.Duration
}

func (w *waitFlags) add(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&w.patience, "patience", 15*time.Second, "end the wait after this time without a change")
}

func (a *app) deleteCommand() *cobra.Command {
	var (
		p        planFlags
		w        waitFlags
		yes, act bool
		nowait   bool
		record   string
	)
	cmd := &cobra.Command{
		Use:   "delete OBJECT --store URL",
		Short: "Delete an object of a live store, with its plan",
		Long: `Delete an object of a live store. The command plans the deletion, shows the plan, and asks
for a confirmation. It plans again behind a fence, and deletes nothing if the plan has
changed. Then it shows the progress.

The command writes one deletion: that of OBJECT. The collector of your program does the rest
of the cascade. With --act a collector of this command does it, until the command ends. Such
a collector acts on the whole store, and not on this cascade alone. It obeys the pauses of
--record. It knows neither the handlers nor the sweeps, guards and protections of your
program, so it deletes objects that these would keep. Use it on a store without a program.

Exit code 3: objects are held, or nothing has changed for the time of --patience.`,
		Example: `  ownergraph delete --store sqlite:app.db tenant/blue --cascade foreground
  ownergraph delete --store postgres://localhost/app bucket/blue/photos --yes --no-wait`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.onStore(ctx, args, acting(act, record), func(ctx context.Context, s *site) error {
				question := fmt.Sprintf("Delete %s?", spell.Key(s.objects[0].Key))
				if act {
					question = fmt.Sprintf("Delete %s, and act on the whole store?", spell.Key(s.objects[0].Key))
				}
				if err := s.deletePlanned(ctx, p, yes, question); err != nil {
					return err
				}
				if nowait {
					return nil
				}
				return s.follow(ctx, s.objects[0].Key, w.patience)
			})
		},
	}
	a.addLive(cmd)
	p.add(cmd)
	w.add(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "ask for no confirmation")
	cmd.Flags().BoolVar(&act, "act", false, "carry the cascade out, with a collector for the whole store")
	cmd.Flags().StringVar(&record, "record", "", "name of the record whose pauses the collector of --act obeys (Config.Record)")
	cmd.Flags().BoolVar(&nowait, "no-wait", false, "end after the deletion mark")
	cmd.MarkFlagsMutuallyExclusive("act", "no-wait")
	return cmd
}

// acting returns settings of a collector that acts, if the user wants one.
func acting(act bool, record string) settings {
	return func(cfg *ownergraph.Config, _ []graph.Object) {
		if act {
			cfg.ObserveOnly, cfg.Record = false, record
		}
	}
}

// deletePlanned plans, asks and deletes.
func (s *site) deletePlanned(ctx context.Context, p planFlags, yes bool, question string) error {
	made, err := s.Plan(ctx, p.request(s.objects))
	if err != nil {
		return err
	}
	if err := s.app.writePlan(&made); err != nil {
		return err
	}
	if err := s.app.confirm(yes, question); err != nil {
		return err
	}
	return s.DeletePlanned(ctx, made)
}
