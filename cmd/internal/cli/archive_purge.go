package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

func (a *app) archivePurgeCommand() *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "purge [ENTRY...]",
		Short: "Drop entries for good",
		Long: `Drop entries for good. No restore brings their objects back, and nothing brings the entries back.

Without ENTRY the command drops the entries whose time is over and that no hold keeps, with the cascade entries that hang
from no other one. It also ends the holds whose time is over. A cron job does that with --yes.

With ENTRY (UID or KIND/[SCOPE/]NAME@UID) it drops exactly these, also before their time. A hold on one refuses all. The
cascade entries of a purged one stay until the next purge, and "restore --detach" brings them back.

The question has the number of the entries. If 100 or more go, the answer is their number.`,
		Example: a.examples("archive purge --store sqlite:app.db --yes", "archive purge --store sqlite:app.db 6f1c...",
			"", "archive purge --store postgres://localhost/app --yes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.openArchive(ctx, func(ctx context.Context, s *archived) error { return s.purge(ctx, args, yes) })
		},
	}
	a.addLive(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "ask for no confirmation")
	return cmd
}

// purge asks and drops. Without arguments the store itself decides which entries may go, in the transaction of the purge.
//
//test:by TestArchivePurge
func (s *archived) purge(ctx context.Context, args []string, yes bool) error {
	var uids []graph.UID
	var names []string
	n := 0
	err := s.within(ctx, func(ctx context.Context) (err error) {
		if uids, names, err = s.findAll(ctx, args); err != nil || len(args) > 0 || yes {
			n = len(uids)
			return err
		}
		n, err = s.ended(ctx)
		return err
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Purge %s whose time is over?", spell.Counted(n, "entry", "entries"))
	if len(names) > 0 {
		text = fmt.Sprintf("Purge %s: %s?", spell.Counted(n, "entry", "entries"), spell.Some(names))
	}
	word := "yes"
	if n >= askNumber {
		word = strconv.Itoa(n)
	}
	if !yes {
		fmt.Fprintf(s.app.stderr, "The place is %s.\n", terminal.Printable(s.app.place()))
	}
	if err := s.app.confirmBy(ctx, yes, text+" No restore brings the objects back.", word); err != nil {
		return err
	}
	purged := 0
	err = s.within(ctx, func(ctx context.Context) (err error) {
		purged, err = s.PurgeEntries(ctx, uids)
		return err
	})
	if err != nil {
		return err
	}
	return s.app.printer().Text(fmt.Sprintf("purged: %s\n", spell.Counted(purged, "entry", "entries")))
}

// findAll returns the UIDs of entries, each once, and the names of their objects.
func (s *archived) findAll(ctx context.Context, args []string) (uids []graph.UID, names []string, err error) {
	for _, arg := range args {
		e, err := s.find(ctx, arg)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(uids, e.Object.UID) {
			uids, names = append(uids, e.Object.UID), append(names, e.Object.Key.Text())
		}
	}
	return uids, names, nil
}

// maxCounted bounds the entries that the question of a purge is computed from, which take about a kilobyte each.
const maxCounted = 1_000_000

// ended counts the entries that may go by now.
func (s *archived) ended(ctx context.Context) (int, error) {
	var list []archive.Entry
	err := s.all(ctx, archive.Query{}, func(e *archive.Entry) bool {
		list = append(list, *e)
		return len(list) <= maxCounted
	})
	if err == nil && len(list) > maxCounted {
		err = fmt.Errorf("count the entries: more than %d: give --yes", maxCounted)
	}
	if err != nil {
		return 0, err
	}
	listed, err := s.app.listStore(ctx, s.opened)
	marked := map[graph.UID]bool{}
	for i := range listed.Objects {
		if o := &listed.Objects[i]; o.Deleting {
			marked[o.UID] = true
		}
	}
	return len(archive.Ended(list, s.app.now(), func(uid graph.UID) bool { return marked[uid] })), err
}
