package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/recordcheck"
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
		Use:   "delete OBJECT",
		Short: "Delete an object of a live store or a cluster, with its plan",
		Long: `Delete an object of a live store or a cluster. The command plans the deletion, shows the plan, and
asks for a confirmation. It plans again behind a fence, and deletes nothing if the plan has
changed. Then it shows the progress.

The command writes one deletion: that of OBJECT. The collector of the store or the cluster does
the rest of the cascade. With --act a collector of this command does it on a store, until the
command ends. Such a collector acts on the whole store, and not on this cascade alone. With
--record it obeys the pauses of that record, and the cascades that its brake holds stay. It knows
neither the handlers nor the sweeps, guards, protections and limits of your program, so it deletes
objects that these would keep. Use it on a store without a program.

-o json prints a line with the plan, and then a line for each change.

Exit code 3: objects are held, or nothing has changed for the time of --patience.`,
		Example: a.examples("delete --store sqlite:app.db tenant/blue --cascade foreground", "delete --store postgres://localhost/app bucket/blue/photos --yes --no-wait",
			"", "delete deploy/cart -n shop --cascade foreground"),
		Args: a.wantsObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case record != "" && !act:
				return printing.UsageError("--record belongs to --act")
			case act && a.source.store.url == "":
				return printing.UsageError("--act: want a store with --store; a cluster has the subcommand gc --act")
			}
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.onStore(ctx, args, nil, func(ctx context.Context, s *site) error {
				if record != "" {
					if err := recordcheck.Announced(ctx, s.store.Store, record, "Without a program, leave --record out"); err != nil {
						return err
					}
				}
				question := deletion(s.objects[0], p.of(s.objects[0])) + "?"
				if act {
					question = deletion(s.objects[0], p.of(s.objects[0])) + ", and act on the whole store?"
				}
				switch err := s.deletePlanned(ctx, p, yes, act, question); {
				case err != nil || nowait:
					return err
				case act:
					return s.act(ctx, record, w.patience)
				}
				return s.follow(ctx, s.objects[0].Key, w.patience)
			})
		},
	}
	a.addLive(cmd)
	a.addFormat(cmd, printing.Plain())
	p.add(cmd)
	w.add(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "ask for no confirmation")
	cmd.Flags().BoolVar(&act, "act", false, "carry the cascade out, with a collector for the whole store")
	cmd.Flags().StringVar(&record, "record", "", "name of the record whose pauses and answers the collector of --act obeys (Config.Record)")
	cmd.Flags().BoolVar(&nowait, "no-wait", false, "end after the deletion mark")
	cmd.MarkFlagsMutuallyExclusive("act", "no-wait")
	return cmd
}

// deletion describes a deletion for the question. One that has begun keeps its own propagation.
func deletion(o graph.Object, how graph.Propagation) string {
	text := "Delete " + o.Key.Text()
	switch how {
	case graph.Foreground:
		text += " in the foreground"
	case graph.Orphan:
		text += " and orphan its dependents"
	}
	return text
}

// jsonDelete is the form delete/v1, the first line of a deletion. Lines of follow/v1 come behind it.
type jsonDelete struct {
	Schema string    `json:"schema"`
	Plan   plan.Plan `json:"plan"`
}

// act follows the deletion while a second collector acts. That one begins after the user has
// confirmed, because it may delete any object.
//
//test:by TestDelete TestActAfterYes
func (s *site) act(ctx context.Context, record string, patience time.Duration) error {
	var cfg ownergraph.Config
	if record != "" {
		cfg = braking(record)
	}
	return offline.Collect(ctx, s.store.Store, cfg, func(ctx context.Context, c *ownergraph.Collector) error {
		s.acting = c
		return s.follow(ctx, s.objects[0].Key, patience)
	})
}

// deletePlanned plans, asks and deletes. It first waits until the collector has read what it
// needs, because such a read would change the plan. On a busy store it plans all the same
// after the time of --timeout.
func (s *site) deletePlanned(ctx context.Context, p planFlags, yes, act bool, question string) error {
	reading, cancel := s.app.source.deadline(ctx)
	defer cancel()
	if _, err := s.WaitIdle(reading); err != nil && (reading.Err() == nil || ctx.Err() != nil) {
		return err
	}
	var byItself []string
	if s.store.isCluster {
		byItself = removedByKubernetes()
	}
	made, err := s.Plan(ctx, p.request(s.objects, byItself, 0))
	if err != nil {
		return err
	}
	if s.app.format == printing.JSON {
		err = s.app.printer().JSONLine(jsonDelete{"delete/v1", made})
	} else {
		err = s.app.writePlan(&made, &p)
	}
	if err == nil && act {
		err = s.canSeal(&made)
	}
	if err != nil {
		return err
	}
	if err := s.app.confirmPlan(ctx, yes, question, &made); err != nil {
		return err
	}
	deleting, cancel := s.app.source.deadline(ctx)
	defer cancel()
	return timely(deleting, s.DeletePlanned(deleting, made))
}
