package main

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/spf13/cobra"
)

// approveFlags are the flags of the subcommand approve.
type approveFlags struct {
	fingerprint string
	atMost      int
	foreground  bool
	record, uid string
	all         bool
	during      time.Duration
	timeout     time.Duration
}

func (a *app) approveCommand() *cobra.Command {
	var f approveFlags
	cmd := &cobra.Command{
		Use:   "approve (TYPE/NAME | --record NAMESPACE/CONFIGMAP (--uid UID | --all))",
		Short: "Let a cascade go that a guard or the brake of a collector holds",
		Long: `Let a cascade go that a collector of this library holds. Give one of:

TYPE/NAME, a marked object that a guard holds, with --fingerprint or --at-most. The command
plans the deletion behind a fence, compares the plan with the approval, and takes the finalizer
` + graph.FinalizerHold + ` off the object. If the guard has phases, give
--foreground: the command then repeats the deletion in the foreground first.

--record, for the brake of the collectors that share this ConfigMap: at most --at-most deletes
of each cascade, for the time of --for. A collector that runs obeys within 10 s.`,
		Example: `  kubectl ownergraph approve tenant/blue --at-most 120
  kubectl ownergraph approve tenant/blue --fingerprint 3f9c...
  kubectl ownergraph approve --record kube-system/ownergraph-collector --all --at-most 5000 --for 1h`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args); err != nil {
				return err
			}
			if f.record != "" {
				return a.approveBraked(cmd.Context(), &f)
			}
			return a.approveGuarded(cmd, args, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.fingerprint, "fingerprint", "", "approve exactly the plan with this fingerprint")
	flags.IntVar(&f.atMost, "at-most", 0, "approve the end of this number of objects beside the object, or in each cascade")
	flags.BoolVar(&f.foreground, "foreground", false, "repeat the deletion in the foreground, for a guard with phases")
	flags.StringVar(&f.record, "record", "", "answer for the brake of the collectors with this ConfigMap")
	flags.StringVar(&f.uid, "uid", "", "with --record, the cascade whose root has this UID")
	flags.BoolVar(&f.all, "all", false, "with --record, every cascade that the brake holds")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Minute, "with TYPE/NAME, the longest wait for the lists, and for the plan; 0 for none")
	flags.DurationVar(&f.during, "for", time.Hour, "with --record, the time of the approval")
	return cmd
}

// check returns the fault of a command line.
func (f *approveFlags) check(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	switch {
	case f.record == "" && len(args) == 0:
		return printing.UsageError("want TYPE/NAME for a guard, or --record for a brake")
	case f.record != "" && len(args) > 0:
		return printing.UsageError("TYPE/NAME and --record: want one of them")
	case f.record == "" && (given("uid") || given("all") || given("for")):
		return printing.UsageError("--uid, --all and --for belong to --record")
	case f.record == "" && (given("fingerprint") == given("at-most") || f.atMost < 0):
		return printing.UsageError("want --fingerprint, or --at-most with a number from 0")
	case f.record != "" && (given("fingerprint") || given("foreground")):
		return printing.UsageError("--fingerprint and --foreground belong to TYPE/NAME")
	case f.record != "" && (f.uid == "") != f.all:
		return printing.UsageError("--record: want --uid, or --all")
	case f.record != "" && (f.atMost < 1 || f.during <= 0):
		return printing.UsageError("--record: want --at-most with a number from 1, and a time with --for")
	}
	return nil
}

func (a *app) approveGuarded(cmd *cobra.Command, args []string, f *approveFlags) error {
	approval := ownergraph.Approval{Fingerprint: f.fingerprint}
	if cmd.Flags().Changed("at-most") {
		approval.AtMost = &f.atMost
	}
	return a.onLive(cmd.Context(), args, f.timeout, ordered(f.foreground), func(ctx context.Context, c *ownergraph.Collector, key graph.Key) error {
		if f.timeout > 0 { // a sick kind blocks the fence
			end := fmt.Errorf("no answer within --timeout %s", f.timeout)
			bounded, cancel := context.WithTimeoutCause(ctx, f.timeout, end)
			defer cancel()
			ctx = bounded
		}
		if err := c.Approve(ctx, key, approval); err != nil {
			return caused(ctx, err)
		}
		return a.printer().Text(fmt.Sprintf("approved: %s\n", spell.Key(key)))
	})
}

// ordered returns settings with a guard of the object that has a phase. Approve then repeats
// the deletion in the foreground. A collector that only observes guards nothing by it.
func ordered(foreground bool) func(*ownergraph.Config, graph.Object) {
	return func(cfg *ownergraph.Config, root graph.Object) {
		if !foreground {
			return
		}
		cfg.Guards = []guard.Guard{{
			Kinds: []graph.Kind{root.Kind}, Scopes: []string{root.Scope}, Names: []string{root.Name},
			Phases: []guard.Phase{{Where: func(graph.Object) bool { return true }}},
		}}
	}
}

// approveBraked changes the record alone: its collector does not run.
func (a *app) approveBraked(ctx context.Context, f *approveFlags) error {
	return a.onRecord(ctx, f.record, func(ctx context.Context, c *ownergraph.Collector, _ ownergraph.Store) (err error) {
		approval := engine.BrakeApproval{Until: a.now().Add(f.during), AtMost: f.atMost}
		n := 1
		if f.all {
			n, err = c.ApproveBraked(ctx, approval)
		} else {
			err = c.ApproveCascade(ctx, graph.Key{UID: graph.UID(f.uid)}, approval)
		}
		if err != nil {
			return err
		}
		return a.printer().Text(fmt.Sprintf("in record %s: %s approved for %s, at most %s each\n", f.record,
			spell.Count(uint64(n), "cascade"), f.during, spell.Count(uint64(f.atMost), "delete")))
	})
}
