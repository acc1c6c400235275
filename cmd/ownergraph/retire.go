package main

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/spf13/cobra"
)

func (a *app) retireCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "retire FINALIZER --store URL",
		Short: "Take the finalizer of a removed guard or sweep off all objects",
		Long: `Take a finalizer off all objects of a live store, after its guard or sweep was taken out of
the settings of your program. Without that the finalizer would block the objects for ever.
The name ` + graph.FinalizerHold + ` stands for both finalizers of guards.

Change the settings of your program first. The command does not know them. A collector that
still has the guard or the sweep puts the finalizer back. Until then a deletion can pass
without its guard.

The finalizer stays on a marked object that a guard holds, because that would approve its
cascade. Each needs "ownergraph approve".

Exit code 3: such objects are left.`,
		Example: `  ownergraph retire --store sqlite:app.db ` + graph.FinalizerHold,
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

func (s *site) retire(ctx context.Context, finalizer string, yes bool) error {
	if err := s.app.confirm(ctx, yes, fmt.Sprintf("Take %s off all objects?", spell.Clip(finalizer))); err != nil {
		return err
	}
	done, err := s.Retire(ctx, finalizer)
	text := fmt.Sprintf("retired: taken off %s\n", spell.Count(uint64(done.Objects), "object"))
	for _, k := range done.Left {
		text += fmt.Sprintf("left: %s\n", spell.Key(k))
	}
	if wrong := s.app.printer().Text(text); wrong != nil && err == nil {
		err = wrong
	}
	if err == nil && len(done.Left) > 0 {
		err = printing.ErrFound
	}
	return err
}
