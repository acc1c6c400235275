package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

func (a *app) retireCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "retire FINALIZER",
		Short: "Take the finalizer of a removed guard or sweep off all objects",
		Long: `Take a finalizer off all objects of a live store or a cluster, after its guard or sweep was taken out of
the settings of the program. Without that the finalizer would block the objects for ever.
The name ` + graph.FinalizerHold + ` stands for both finalizers of guards.

Change the settings of the program first. The command does not know them. A collector that
still has the guard or the sweep puts the finalizer back. Until then a deletion can pass
without its guard.

The command cannot tell whose finalizer it is. Another controller may rely on its own finalizer
for work that it has not done. So the question has the number of the objects that carry the
finalizer, and of those whose deletion ends at once without it.

The finalizer stays on a marked object that a guard holds, because that would approve its
cascade. Each needs "approve".

Exit code 3: such objects are left.`,
		Example: a.examples("retire --store sqlite:app.db "+graph.FinalizerHold, "", "retire "+graph.FinalizerHold),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onStore(cmd.Context(), nil, nil, func(ctx context.Context, s *site) error {
				return s.retire(ctx, args[0], yes)
			})
		},
	}
	a.addLive(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "ask for no confirmation")
	return cmd
}

// retireQuestion returns the question of retire, with the objects that it is about.
func (s *site) retireQuestion(ctx context.Context, finalizer string) (string, error) {
	listed, err := s.app.listStore(ctx, s.store)
	if err != nil {
		return "", err
	}
	carry, last := 0, 0
	for i := range listed.Objects {
		o := &listed.Objects[i]
		if !o.HasFinalizer(finalizer) && (finalizer != graph.FinalizerHold || !o.HasFinalizer(graph.FinalizerNew)) {
			continue
		}
		carry++
		if o.Deleting && len(o.Finalizers) == 1 && !graph.IsGuardFinalizer(finalizer) {
			last++
		}
	}
	text := fmt.Sprintf("Take %s off %s?", spell.Clip(finalizer), spell.Count(uint64(carry), "object"))
	if last > 0 {
		text += fmt.Sprintf(" Without it the deletion of %s ends at once.", spell.Count(uint64(last), "object"))
	}
	return text, nil
}

func (s *site) retire(ctx context.Context, finalizer string, yes bool) error {
	if !yes {
		question, err := s.retireQuestion(ctx, finalizer)
		if err != nil {
			return err
		}
		if err := s.app.confirm(ctx, false, question); err != nil {
			return err
		}
	}
	done, err := s.Retire(ctx, finalizer)
	text := fmt.Sprintf("retired: taken off %s\n", spell.Count(uint64(done.Objects), "object"))
	for _, k := range done.Left {
		text += fmt.Sprintf("left: %s\n", k.Text())
	}
	if wrong := s.app.printer().Text(text); wrong != nil && err == nil {
		err = wrong
	}
	if err == nil && len(done.Left) > 0 {
		err = printing.ErrFound
	}
	return err
}
