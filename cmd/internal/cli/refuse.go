package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// refuseFlags are the flags of the subcommand refuse.
type refuseFlags struct {
	brakeFlags
	yes, keep, orphan bool
}

func (a *app) refuseCommand() *cobra.Command {
	var f refuseFlags
	cmd := &cobra.Command{
		Use:   "refuse (OBJECT | --record NAME)",
		Short: "Keep the objects of a cascade that a guard or the brake holds",
		Long: `Refuse a cascade that a collector of this library holds. Give one of:

OBJECT, a marked object that a guard holds. A deletion mark cannot be taken back. So the
object goes, and its dependents stay: the command repeats the deletion with orphan, and then
takes the finalizer ` + graph.FinalizerHold + ` off. It does so only if a plan
behind a fence ends no other object. The collector of the program removes the references of
the dependents. To keep the object too, leave the hold in place. The program's sweeps are
not known here: they delete members without owner references.

--record, for the brake of all collectors that share this record. Without --uid and --all the
command lists the cascades that the brake holds. With one of them, --keep leaves the objects
as they are, until another answer. With --orphan the programs remove the references to the
owners that are gone, so the objects have no owner any more.` + recorded + `

Exit code 3: the list has a cascade without an answer.`,
		Example: a.examples("refuse --store sqlite:app.db tenant/blue", "refuse --store sqlite:app.db --record app --uid 6f1c... --keep",
			"", "refuse tenant/blue", "refuse --record kube-system/ownergraph-collector --all --keep"),
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args, []string{"keep", "orphan"}, nil); err != nil {
				return err
			}
			if f.record != "" {
				return a.refuseBraked(cmd.Context(), &f)
			}
			return a.onStore(cmd.Context(), args, nil, func(ctx context.Context, s *site) error {
				return s.refuse(ctx, s.objects[0].Key, f.yes)
			})
		},
	}
	a.addLive(cmd)
	f.add(cmd)
	cmd.Flags().BoolVar(&f.keep, "keep", false, "with --record, leave the objects as they are")
	cmd.Flags().BoolVar(&f.orphan, "orphan", false, "with --record, remove the references to owners that are gone")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "ask for no confirmation")
	return cmd
}

// refuseBraked asks before it lets references go, because no later answer brings them back.
func (a *app) refuseBraked(ctx context.Context, f *refuseFlags) error {
	switch {
	case f.listing() && (f.keep || f.orphan):
		return printing.UsageError("a refusal needs --uid or --all")
	case f.listing():
		return a.listBraked(ctx, f.record)
	case f.keep == f.orphan:
		return printing.UsageError("want one of --keep and --orphan")
	case f.keep:
		return a.answerBrake(ctx, &f.brakeFlags, refusal(engine.KeepHeld))
	}
	if err := a.confirm(ctx, f.yes, "Remove the references to the owners that are gone?"); err != nil {
		return err
	}
	return a.answerBrake(ctx, &f.brakeFlags, refusal(engine.OrphanHeld))
}

// refuse orphans the dependents of a held root, and lets the root go.
func (s *site) refuse(ctx context.Context, key graph.Key, yes bool) error {
	o, err := s.store.Get(ctx, key)
	switch {
	case err != nil:
		return err
	case o.UID != key.UID:
		return fmt.Errorf("refuse %s: another object has its place: %w", key, graph.ErrNotFound)
	case !o.Deleting || !o.HasFinalizer(graph.FinalizerHold):
		return fmt.Errorf("refuse %s: no guard holds its deletion: %w", key, graph.ErrInvalid)
	}
	if err := s.app.confirm(ctx, yes, fmt.Sprintf("Let %s go, and orphan its dependents?", key.Text())); err != nil {
		return err
	}
	ctx, cancel := s.app.source.deadline(ctx)
	defer cancel()
	pre := graph.Precondition{UID: o.UID, Version: o.Version}
	if err := s.store.Delete(ctx, key, graph.DeleteOptions{Precondition: pre, Propagation: graph.Orphan}); err != nil {
		return timely(ctx, err)
	}
	none := 0
	if err := s.Approve(ctx, key, ownergraph.Approval{AtMost: &none}); err != nil {
		return fmt.Errorf("its deletion orphans now, and is still held: %w", timely(ctx, err))
	}
	return s.app.printer().Text(fmt.Sprintf("refused: %s goes, and its dependents stay\n", key.Text()))
}
