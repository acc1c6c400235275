package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph"
	sqlstore "github.com/ownergraph/ownergraph/adapters/sql"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// resealFlags are the flags of the subcommand archive reseal.
type resealFlags struct {
	yes   bool
	limit int
	after string
}

func (a *app) archiveResealCommand() *cobra.Command {
	var f resealFlags
	cmd := &cobra.Command{
		Use:   "reseal --identity FILE --recipients FILE",
		Short: "Seal old entries for new recipients",
		Long: `Open the sealed payloads of all entries with the identities of a file, and seal them anew for the recipients of a file.
Each page of ` + strconv.Itoa(sqlstore.MaxReseal) + ` entries is one transaction.

Entries of sealed kinds that are in the clear are sealed, too. They are from before the sealing. The first reseal leaves
none, so a person has put a later one there, and it may be forged: purge that one instead.

A recipient that the file lacks loses the access to all entries that open. Nothing brings it back but another reseal. The
database keeps former payloads for some time: in dead rows, in its log, and in backups.

An entry that no identity opens keeps its payload, and is listed with the reason. First give the programs the new recipients,
and then reseal. Keep the old identity until no entry is kept, and no backup with old entries is of use.

After an interrupt or an error call the command again, with the --after that the error names, or from the beginning. From the
beginning it needs the new identities in the file, too, because they alone open the entries of the first call.

The question has the recipients and the number of the entries. If 100 or more are sealed, the answer is their number.
-o json prints a line for each page.

Exit code 3: an entry is kept.`,
		Example: a.examples("archive reseal --store sqlite:app.db --identity old.key --recipients new.txt",
			"", "archive reseal --store postgres://localhost/app --identity old.key --recipients new.txt"),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.reseal(ctx, &f)
		},
	}
	a.addLive(cmd)
	a.addFormat(cmd, printing.Plain())
	cmd.Flags().BoolVar(&f.yes, "yes", false, "ask for no confirmation")
	cmd.Flags().IntVar(&f.limit, "limit", 100, "most kept entries that the text lists; 0 for all")
	cmd.Flags().StringVar(&f.after, "after", "", "the entries behind this mark, which an error has named")
	return cmd
}

// reseal counts the entries, asks, and seals.
//
//test:by TestReseal TestResealGolden TestPostgresReseal
func (a *app) reseal(ctx context.Context, f *resealFlags) error {
	keys := a.source.store.keys
	switch err := a.wantsStore(); {
	case err != nil:
		return err
	case keys.identity == "":
		return printing.UsageError("--identity is missing: want the file with the identities that open the entries")
	case keys.recipients == "":
		return printing.UsageError("--recipients is missing: want the file with the new recipients")
	}
	if _, err := keys.read(ctx); err != nil {
		return err
	}
	if !f.yes {
		n, err := a.confirmReseal(ctx)
		if err == nil && n == 0 {
			r := resealing{app: a}
			err = cmp.Or(r.show(&sqlstore.Resealed{}), r.end())
		}
		if err != nil || n == 0 {
			return err
		}
	}
	return a.openArchive(ctx, func(ctx context.Context, s *archived) error { return s.reseal(ctx, f) })
}

// confirmReseal asks, unless there is no entry. It counts without the identity, because the listing opens each payload with it.
func (a *app) confirmReseal(ctx context.Context) (n int, err error) {
	keys, inClear := a.source.store.keys, 0
	a.source.store.keys = keyFlags{}
	err = a.onArchive(ctx, func(ctx context.Context, s *archived) error {
		return s.all(ctx, archive.Query{}, func(e *archive.Entry) bool {
			switch {
			case e.Sealed:
				n++
			case slices.Contains(s.opened.sealed, e.Object.Kind):
				n, inClear = n+1, inClear+1
			}
			return true
		})
	})
	a.source.store.keys = keys
	if err != nil || n == 0 {
		return 0, err
	}
	text := "Seal " + spell.Counted(n, "entry", "entries")
	if inClear > 0 {
		text += fmt.Sprintf(", %d of them in the clear,", inClear)
	}
	text += " for the recipients of " + spell.Clip(keys.recipients) + "? Former recipients lose their access."
	word := "yes"
	if n >= askNumber {
		word = strconv.Itoa(n)
	}
	names, err := keys.recipientNames()
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(a.stderr, "The place is %s.\nThe recipients are %s.\n", terminal.Printable(a.place()), terminal.Printable(spell.Some(names)))
	return n, a.confirmBy(ctx, false, text, word)
}

// reseal seals page after page.
func (s *archived) reseal(ctx context.Context, f *resealFlags) error {
	power, ok := ownergraph.As[resealer](s.opened.Store)
	if !ok {
		return errors.New("the store seals no entries")
	}
	r, after := resealing{app: s.app, limit: f.limit}, f.after
	for {
		var page sqlstore.Resealed
		err := s.within(ctx, func(ctx context.Context) (err error) {
			page, err = power.Reseal(ctx, after, 0)
			return err
		})
		if err != nil {
			return r.failed(err, after)
		}
		if err := r.show(&page); err != nil {
			return r.failed(err, page.More)
		}
		if after = page.More; after == "" {
			return r.end()
		}
	}
}

// resealing shows the progress of a reseal.
type resealing struct {
	app                   *app
	limit                 int
	sealed, inClear, kept int
	shown                 time.Time // of the latest count
}

// jsonReseal is the form reseal/v1. The numbers are those of all pages so far.
type jsonReseal struct {
	Schema  string     `json:"schema"`
	At      time.Time  `json:"at"`
	Sealed  int        `json:"resealed"`
	InClear int        `json:"clear"`
	Kept    int        `json:"kept"`
	Entries []jsonLeft `json:"entries,omitempty"` // the kept ones of the page
	More    string     `json:"more,omitempty"`
	End     string     `json:"end,omitempty"` // "done" in the last line
}

// show writes the kept entries of a page. Text has a count at most each second.
func (r *resealing) show(page *sqlstore.Resealed) error {
	before := r.kept
	r.sealed, r.inClear, r.kept = r.sealed+page.Sealed, r.inClear+page.Clear, r.kept+len(page.Kept)
	if r.app.format == printing.JSON {
		line := jsonReseal{Schema: "reseal/v1", At: r.app.now().UTC(), Sealed: r.sealed, InClear: r.inClear, Kept: r.kept, More: page.More}
		if page.More == "" {
			line.End = "done"
		}
		for i := range page.Kept {
			line.Entries = append(line.Entries, jsonLeft{Key: jsonKey(page.Kept[i].Object.Key), Why: page.Kept[i].Unreadable})
		}
		return r.app.printer().JSONLine(line)
	}
	kept := page.Kept
	if r.limit > 0 {
		kept = kept[:min(len(kept), max(r.limit-before, 0))]
	}
	text := ""
	for i := range kept {
		k := kept[i].Object.Key
		text += spell.Line(fmt.Sprintf("kept: %s %s: %s", k.Text(), k.UID, kept[i].Unreadable)) + "\n"
	}
	if now := r.app.now(); page.More != "" && now.Sub(r.shown) >= time.Second {
		r.shown = now
		text += fmt.Sprintf("resealed %s\n", spell.Counted(r.sealed, "entry", "entries"))
	}
	return r.app.printer().Text(text)
}

// end writes the sum as text. The error is printing.ErrFound if an entry is kept.
func (r *resealing) end() (err error) {
	if r.app.format != printing.JSON {
		err = r.app.printer().Text(r.sum())
	}
	if err == nil && r.kept > 0 {
		err = printing.ErrFound
	}
	return err
}

func (r *resealing) sum() (text string) {
	if n := r.kept - r.limit; r.limit > 0 && n > 0 {
		text = fmt.Sprintf("... and %d more: see --limit\n", n)
	}
	text += "resealed: " + spell.Counted(r.sealed, "entry", "entries")
	if r.inClear > 0 {
		text += "; " + spell.Counted(r.inClear, "was in the clear", "were in the clear")
	}
	if r.kept > 0 {
		text += "; " + spell.Counted(r.kept, "is kept, because it does not open", "are kept, because they do not open")
	}
	return text + "\n"
}

// failed adds how to go on. Each page before has its own transaction.
func (r *resealing) failed(err error, after string) error {
	if after == "" {
		return fmt.Errorf("%w. Call the command again", err)
	}
	return fmt.Errorf("%w. Resealed so far: %s. Go on with --after %s", err, spell.Counted(r.sealed, "entry", "entries"), spell.Line(after))
}
