package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

func (a *app) archiveHoldCommand() *cobra.Command {
	var by, reason, until string
	cmd := &cobra.Command{
		Use:   "hold ENTRY --by HOLDER --reason TEXT [--until TIME]",
		Short: "Keep an entry from being purged, and a living object from being deleted",
		Long: `Put a hold on an entry, for a legal reason for example. The store then refuses to purge the entry. A hold does
not hinder a restore. A hold of the same holder is replaced.

ENTRY may be a living object: the UID, or KIND/[SCOPE/]NAME@UID. The object gets the finalizer
` + graph.FinalizerProtect + `, so that no collector deletes it, and its entry inherits the hold.

Without --until the hold has no end. "archive end-hold" ends it.`,
		Example: a.examples("archive hold --store sqlite:app.db 6f1c... --by legal --reason 'case 7' --until 2030-01-01T00:00:00Z",
			"", "archive hold --store postgres://localhost/app 6f1c... --by legal --reason 'case 7'"),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h := archive.Hold{By: by, Reason: reason}
			switch {
			case by == "":
				return printing.UsageError("--by is missing: want the holder")
			case reason == "":
				return printing.UsageError("--reason is missing")
			case cmd.Flags().Changed("until"):
				t, err := time.Parse(time.RFC3339, until)
				if err != nil {
					return printing.UsageError(fmt.Sprintf("--until %s: want a time such as 2030-01-02T15:04:05Z", spell.Clip(until)))
				}
				if !t.After(a.now()) {
					return printing.UsageError(fmt.Sprintf("--until %s: the time is over", spell.Clip(until)))
				}
				h.Until = t
			}
			return a.onHeld(cmd.Context(), args[0], func(ctx context.Context, s *archived, k graph.Key) error {
				if err := s.HoldEntry(ctx, k, h); err != nil {
					return err
				}
				return a.printer().Text(fmt.Sprintf("%s holds %s\n", spell.Clip(by), k.Text()))
			})
		},
	}
	a.addLive(cmd)
	addHolder(cmd, &by)
	cmd.Flags().StringVar(&reason, "reason", "", "the reason, for people")
	cmd.Flags().StringVar(&until, "until", "", "the end of the hold by the clock of the store, such as 2030-01-02T15:04:05Z; none without it")
	return cmd
}

func addHolder(cmd *cobra.Command, by *string) {
	cmd.Flags().StringVar(by, "by", "", "the holder; an entry has at most one hold of each")
}

func (a *app) archiveEndHoldCommand() *cobra.Command {
	by := ""
	cmd := &cobra.Command{
		Use:   "end-hold ENTRY --by HOLDER",
		Short: "End a hold",
		Long: `End the hold of a holder on an entry or a living object. The finalizer of protection goes with the last hold, if a
hold has put it on. The entry may be purged then, once its time is over.`,
		Example: a.examples("archive end-hold --store sqlite:app.db 6f1c... --by legal", "", "archive end-hold --store postgres://localhost/app 6f1c... --by legal"),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if by == "" {
				return printing.UsageError("--by is missing: want the holder")
			}
			return a.onHeld(cmd.Context(), args[0], func(ctx context.Context, s *archived, k graph.Key) error {
				if err := s.EndHold(ctx, k, by); err != nil {
					return err
				}
				return a.printer().Text(fmt.Sprintf("the hold of %s on %s has ended\n", spell.Clip(by), k.Text()))
			})
		},
	}
	a.addLive(cmd)
	addHolder(cmd, &by)
	return cmd
}

// onHeld calls do with the key of an entry or a living object. A key of other coordinates would be that of the hold.
//
//test:by TestArchiveHold
func (a *app) onHeld(ctx context.Context, arg string, do func(context.Context, *archived, graph.Key) error) error {
	k, err := parseEntry(arg)
	if err != nil {
		return err
	}
	return a.onArchive(ctx, func(ctx context.Context, s *archived) error {
		e, err := s.read(ctx, k.UID)
		if err != nil {
			return err
		}
		if e == nil {
			found, err := s.living(ctx, arg, k)
			if err != nil {
				return err
			}
			return do(ctx, s, found)
		}
		if k.Kind != "" && k != e.Object.Key {
			return fmt.Errorf("find entry %s: this UID is that of %s", spell.Clip(arg), e.Object.Key.Text())
		}
		return do(ctx, s, e.Object.Key)
	})
}

// living returns the key of a living object with a UID.
func (s *archived) living(ctx context.Context, arg string, k graph.Key) (graph.Key, error) {
	if k.Kind != "" {
		return k, nil // the store looks for it
	}
	listed, err := s.app.listStore(ctx, s.opened)
	if err != nil {
		return k, err
	}
	i := slices.IndexFunc(listed.Objects, func(o graph.Object) bool { return o.UID == k.UID })
	if i < 0 {
		return k, fmt.Errorf("find %s: %w: neither an entry nor an object has this UID", spell.Clip(arg), graph.ErrNotFound)
	}
	return listed.Objects[i].Key, nil
}
