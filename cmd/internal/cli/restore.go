package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/restore"
)

// restoreFlags are the flags of the subcommand restore.
type restoreFlags struct {
	waitFlags
	detach, dry, yes bool
	renames          []string
	limit            int
}

func (a *app) restoreCommand() *cobra.Command {
	var f restoreFlags
	cmd := &cobra.Command{
		Use:   "restore ENTRY...",
		Short: "Bring deleted objects back from the archive of a store",
		Long: `Bring deleted objects back from the archive of a live store: the objects of the entries, and exactly those that
their deletion took along. The objects get new UIDs, and no finalizers. What other deletions took stays gone.

The command prints the plan, and asks. A taken name or a root that cannot come back refuses all of it before the first
write: see --rename and --detach. Then it shows the progress. If the cascade still runs, it waits for the end of each
marked object, and brings that back, too. After an interrupt or an error call it again: it finds the rest.

A sealed entry needs --identity. Without it a root is refused, and an entry below a root stays away until a later restore.

It writes the objects itself, and collects nothing. Handlers have run, and what they destroyed stays destroyed: the plan
has the finalizers that each object had.

ENTRY is UID, KIND/[SCOPE/]NAME@UID, or KIND/[SCOPE/]NAME of exactly one entry that was not restored. If each was restored,
the name is that of exactly one entry.
-o json prints a line with the plan, and then a line for each change.

Exit code 3: the plan is refused, names were taken meanwhile, or nothing has changed for the time of --patience.`,
		Example: a.examples("restore --store sqlite:app.db 6f1c... --dry-run", "restore --store sqlite:app.db team/blue --rename project/blue/site=old-site",
			"", "restore --store postgres://localhost/app 6f1c..."),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.restore(ctx, args, &f)
		},
	}
	a.addLive(cmd)
	a.addFormat(cmd, printing.Plain())
	f.add(cmd)
	cmd.Flags().BoolVar(&f.detach, "detach", false, "restore ENTRY also without owners that are not there, and leave their references out")
	cmd.Flags().StringArrayVar(&f.renames, "rename", nil, "FROM=[SCOPE/]NAME: another name for a restored object, which is a UID or KIND/[SCOPE/]NAME")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "end after the plan")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "ask for no confirmation")
	cmd.Flags().IntVar(&f.limit, "limit", 100, "most lines of each part of the text; 0 for all")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

// restore plans, asks and restores.
//
//test:by TestRestore TestRestoreRefused TestRestoreHeld TestRestoreWaits
func (a *app) restore(ctx context.Context, args []string, f *restoreFlags) error {
	if err := a.wantsStore(); err != nil {
		return err
	}
	renames, err := parseRenames(f.renames)
	if err != nil {
		return err
	}
	return a.onStore(ctx, nil, nil, func(ctx context.Context, s *site) error {
		at, err := a.archiveOf(s.store)
		if err != nil {
			return err
		}
		req := archive.Request{Detach: f.detach, Rename: renames.of}
		var made archive.Plan
		err = at.within(ctx, func(ctx context.Context) (err error) {
			if req.Roots, err = s.roots(ctx, at, args); err != nil {
				return err
			}
			made, err = restore.Plan(ctx, s.Collector, req)
			return err
		})
		if err == nil {
			err = renames.check(made.Members)
		}
		if err == nil {
			err = a.writeRestore(&made, f)
		}
		switch {
		case err != nil:
			return err
		case len(made.Refused)+len(made.Taken) > 0:
			return printing.ErrFound
		case f.dry:
			return nil
		}
		if !made.IsDone() {
			if err := a.confirmRestore(ctx, &made, f.yes); err != nil {
				return err
			}
		}
		return s.runRestore(ctx, req, f)
	})
}

// roots returns the UIDs of the roots that the arguments name, each once. The plan refuses those that have not ended.
//
//test:by TestRestoreNotEnded
func (s *site) roots(ctx context.Context, from *archived, args []string) (uids []graph.UID, err error) {
	for _, arg := range args {
		var uid graph.UID
		e, err := from.findNamed(ctx, arg, true)
		switch {
		case err == nil:
			uid = e.Object.UID
		case errors.Is(err, graph.ErrNotFound):
			if uid, err = s.notEnded(ctx, arg, err); err != nil {
				return nil, err
			}
		default:
			return nil, err
		}
		if !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	return uids, nil
}

// notEnded returns the UID of an object without an entry: any one with the UID of the argument, or a marked one with its name. A
// living object of that name may be another one than the user wants. The error is missing if there is none.
func (s *site) notEnded(ctx context.Context, arg string, missing error) (graph.UID, error) {
	listed, err := s.app.listStore(ctx, s.store)
	if err != nil {
		return "", err
	}
	if k, err := parseEntry(arg); err == nil {
		at := slices.IndexFunc(listed.Objects, func(o graph.Object) bool { return o.UID == k.UID && (k.Kind == "" || o.Key == k) })
		if at >= 0 {
			return k.UID, nil
		}
	}
	list, err := listed.find([]string{arg}, s.app.scope())
	if err != nil || !list[0].Deleting {
		return "", missing
	}
	return list[0].UID, nil
}

// confirmRestore asks for the word yes, or for the number of the objects if they are many.
func (a *app) confirmRestore(ctx context.Context, made *archive.Plan, yes bool) error {
	var names []string
	for _, m := range made.Members {
		if m.Root {
			names = append(names, m.Entry.Object.Key.Text())
		}
	}
	text := "Go on with the restore?"
	if len(names) > 0 {
		text = "Restore " + spell.Some(names) + "?"
	}
	word := "yes"
	if n := len(made.Members); n >= askNumber {
		word = strconv.Itoa(n)
	}
	if !yes {
		fmt.Fprintf(a.stderr, "The place is %s.\n", terminal.Printable(a.place()))
	}
	return a.confirmBy(ctx, yes, text+" "+restoreSum(made)+".", word)
}

var errQuiet = errors.New("nothing has changed")

// runRestore restores, and shows the progress until the end. Nothing that changes for the time of --patience ends it.
func (s *site) runRestore(ctx context.Context, req archive.Request, f *restoreFlags) error {
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over := time.AfterFunc(f.patience, func() { cancel(fmt.Errorf("%w for --patience %s", errQuiet, f.patience)) })
	defer over.Stop()
	shown := restoring{app: s.app}
	result, err := restore.Run(running, s.Collector, req, func(p archive.Progress) {
		if shown.show(p) {
			over.Reset(f.patience)
		}
	})
	quiet := ctx.Err() == nil && errors.Is(context.Cause(running), errQuiet) && (errors.Is(err, errQuiet) || errors.Is(err, context.Canceled))
	if err != nil && !quiet {
		return restoreFailed(err)
	}
	end := "done"
	switch {
	case quiet:
		end = "quiet"
	case len(result.Held) > 0:
		end = "held"
	}
	if wrong := s.app.writeRestored(&result, shown.last, end, f.limit); wrong != nil {
		return wrong
	}
	if end != "done" {
		return printing.ErrFound
	}
	return nil
}

// restoreFailed adds how to go on. A restore has no state of its own.
func restoreFailed(err error) error {
	var refused *archive.RefusedError
	var taken *archive.TakenError
	if errors.As(err, &refused) || errors.As(err, &taken) {
		return err
	}
	return fmt.Errorf("%w. Call the command again: it finds the rest", err)
}
