package main

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/spf13/cobra"
)

func (a *app) approveCommand() *cobra.Command {
	var (
		fingerprint string
		atMost      int
		foreground  bool
	)
	cmd := &cobra.Command{
		Use:   "approve OBJECT --store URL (--fingerprint F | --at-most N)",
		Short: "Let the cascade of a guarded object begin",
		Long: `Let the cascade of a guarded object begin, whose deletion a guard holds. The command plans
the deletion behind a fence, compares the plan with the approval, and takes the finalizer ` + graph.FinalizerHold + `
off the object. The collector of your program does the rest.

The finalizer is in the store, so this works from any process. The settings of the guard are
not. If the guard has phases, give --foreground: the command then repeats the deletion in
the foreground first, because a background deletion has no order. Take the fingerprint from
"ownergraph plan --store ...", which knows as little of the settings as this command. Neither
counts the members of your sweeps.

The command cannot approve a cascade that the brake holds. Such an approval is in the memory
of your program's collector: call ApproveCascade there.`,
		Example: `  ownergraph approve --store sqlite:app.db tenant/blue --at-most 120
  ownergraph approve --store sqlite:app.db tenant/blue --fingerprint 3f9c...`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			approval := ownergraph.Approval{Fingerprint: fingerprint}
			if cmd.Flags().Changed("at-most") {
				approval.AtMost = &atMost
			}
			if (fingerprint == "") == (approval.AtMost == nil) || atMost < 0 {
				return usageError("want --fingerprint, or --at-most with a number from 0")
			}
			return a.onStore(cmd.Context(), args, ordered(foreground), func(ctx context.Context, s *site) error {
				if err := s.Approve(ctx, s.objects[0].Key, approval); err != nil {
					return err
				}
				return a.writeText(fmt.Sprintf("approved: %s\n", spell.Key(s.objects[0].Key)))
			})
		},
	}
	a.addLive(cmd)
	cmd.Flags().StringVar(&fingerprint, "fingerprint", "", "approve exactly the plan with this fingerprint")
	cmd.Flags().IntVar(&atMost, "at-most", 0, "approve the end of this number of objects beside OBJECT")
	cmd.Flags().BoolVar(&foreground, "foreground", false, "repeat the deletion in the foreground, for a guard with phases")
	return cmd
}

// ordered returns settings with a guard of the object that has a phase. Approve then repeats
// the deletion in the foreground. A collector that only observes guards nothing by it, and
// no plan has another root of that guard.
//
// Held by TestApproveForeground.
func ordered(foreground bool) settings {
	if !foreground {
		return nil
	}
	return func(cfg *ownergraph.Config, objects []graph.Object) {
		root := objects[0].Key
		all := func(graph.Object) bool { return true }
		cfg.Guards = []finalizer.Guard{{
			Kinds: []graph.Kind{root.Kind}, Scopes: []string{root.Scope}, Names: []string{root.Name},
			Phases: []finalizer.Phase{{Where: all}},
		}}
	}
}

func (a *app) refuseCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "refuse OBJECT --store URL",
		Short: "Let a guarded object go without its dependents",
		Long: `Refuse the cascade of a guarded object, whose deletion a guard holds. A deletion mark cannot
be taken back. So the object goes, and its dependents stay: the command repeats the deletion
with orphan, and then takes the finalizer ` + graph.FinalizerHold + ` off. It
does so only if a plan behind a fence ends no other object. The collector of your program
removes the references of the dependents.

To keep the object too, leave the hold in place.

Your program's sweeps are not known here: they delete members without owner references. The
command cannot refuse a cascade that the brake holds. Call RefuseCascade in your program.`,
		Example: `  ownergraph refuse --store sqlite:app.db tenant/blue`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onStore(cmd.Context(), args, nil, func(ctx context.Context, s *site) error {
				return s.refuse(ctx, s.objects[0].Key, yes)
			})
		},
	}
	a.addLive(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "ask for no confirmation")
	return cmd
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
	if err := s.app.confirm(yes, fmt.Sprintf("Let %s go, and orphan its dependents?", spell.Key(key))); err != nil {
		return err
	}
	pre := graph.Precondition{UID: o.UID, Version: o.Version}
	if err := s.store.Delete(ctx, key, graph.DeleteOptions{Precondition: pre, Propagation: graph.Orphan}); err != nil {
		return err
	}
	none := 0
	if err := s.Approve(ctx, key, ownergraph.Approval{AtMost: &none}); err != nil {
		return fmt.Errorf("its deletion orphans now, and is still held: %w", err)
	}
	return s.app.writeText(fmt.Sprintf("refused: %s goes, and its dependents stay\n", spell.Key(key)))
}
