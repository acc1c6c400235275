package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// approveFlags are the flags of the subcommand approve.
type approveFlags struct {
	brakeFlags
	fingerprint string
	atMost      int
	foreground  bool
	during      time.Duration
}

func (a *app) approveCommand() *cobra.Command {
	var f approveFlags
	cmd := &cobra.Command{
		Use:   "approve (OBJECT | --record NAME)",
		Short: "Let a cascade go that a guard or the brake holds",
		Long: `Let a cascade go that a collector of this library holds. Give one of:

OBJECT, a marked object that a guard holds, with --fingerprint or --at-most. The command plans
the deletion behind a fence, compares the plan with the approval, and takes the finalizer
` + graph.FinalizerHold + ` off the object. If the guard has phases, give
--foreground: the command then repeats the deletion in the foreground first, because a
background deletion has no order. Take the fingerprint from "plan -v", which knows as little of a
program's settings as this command. Neither counts the members of sweeps.

--record, for the brake of all collectors that share this record: at most --at-most deletes of
each cascade, for the time of --for. Without --uid and --all the command lists the cascades that
the brake holds, with the UIDs of their roots. Each program counts these deletes on its own.` + recorded + `

Exit code 3: the list has a cascade without an answer.`,
		Example: a.examples("approve --store sqlite:app.db tenant/blue --at-most 120", "approve --store sqlite:app.db tenant/blue --fingerprint 3f9c...",
			"approve --store sqlite:app.db --record app", "approve --store sqlite:app.db --record app --uid 6f1c... --at-most 500 --for 10m",
			"", "approve tenant/blue --at-most 120", "approve tenant/blue --fingerprint 3f9c...", "approve --record kube-system/ownergraph-collector --all --at-most 5000 --for 1h"),
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args, []string{"for"}, []string{"fingerprint", "foreground"}); err != nil {
				return err
			}
			if f.record != "" {
				return a.approveBraked(cmd, &f)
			}
			return a.approveGuarded(cmd, args, &f)
		},
	}
	a.addLive(cmd)
	f.add(cmd)
	cmd.Flags().StringVar(&f.fingerprint, "fingerprint", "", "approve exactly the plan with this fingerprint")
	cmd.Flags().IntVar(&f.atMost, "at-most", 0, "approve the end of this number of objects beside OBJECT, or of this number in each cascade")
	cmd.Flags().BoolVar(&f.foreground, "foreground", false, "repeat the deletion in the foreground, for a guard with phases")
	cmd.Flags().DurationVar(&f.during, "for", time.Hour, "with --record, the time of the approval")
	return cmd
}

func (a *app) approveGuarded(cmd *cobra.Command, args []string, f *approveFlags) error {
	approval := ownergraph.Approval{Fingerprint: f.fingerprint}
	if cmd.Flags().Changed("at-most") {
		approval.AtMost = &f.atMost
	}
	if (f.fingerprint == "") == (approval.AtMost == nil) || f.atMost < 0 {
		return printing.UsageError("want --fingerprint, or --at-most with a number from 0")
	}
	return a.onStore(cmd.Context(), args, ordered(f.foreground), func(ctx context.Context, s *site) error {
		ctx, cancel := a.source.deadline(ctx) // a sick kind blocks the fence
		defer cancel()
		if err := s.Approve(ctx, s.objects[0].Key, approval); err != nil {
			return timely(ctx, err)
		}
		return a.printer().Text(fmt.Sprintf("approved: %s\n", s.objects[0].Key.Text()))
	})
}

func (a *app) approveBraked(cmd *cobra.Command, f *approveFlags) error {
	bounded := cmd.Flags().Changed("at-most") || cmd.Flags().Changed("for")
	switch {
	case f.listing() && bounded:
		return printing.UsageError("an approval needs --uid or --all")
	case f.listing():
		return a.listBraked(cmd.Context(), f.record)
	case f.atMost < 1 || f.during <= 0:
		return printing.UsageError("want --at-most with a number from 1, and a time with --for")
	}
	return a.answerBrake(cmd.Context(), &f.brakeFlags, approval(f.atMost, f.during))
}

// ordered returns settings with a guard of the object that has a phase. Approve then repeats
// the deletion in the foreground. A collector that only observes guards nothing by it, and
// no plan has another root of that guard.
//
//test:by TestApproveForeground
func ordered(foreground bool) settings {
	if !foreground {
		return nil
	}
	return func(cfg *ownergraph.Config, objects []graph.Object) {
		root := objects[0].Key
		all := func(graph.Object) bool { return true }
		cfg.Guards = []guard.Guard{{
			Kinds: []graph.Kind{root.Kind}, Scopes: []string{root.Scope}, Names: []string{root.Name},
			Phases: []guard.Phase{{Where: all}},
		}}
	}
}
