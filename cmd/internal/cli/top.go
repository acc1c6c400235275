package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

func (a *app) topCommand() *cobra.Command {
	var t topFlags
	cmd := &cobra.Command{
		Use:   "top",
		Short: "List the deletions under way",
		Long: `List the deletions under way in a namespace, or everywhere with -A, the oldest first. A row is the
root of a cascade: an object with a deletion mark, whose owners have none. A namespace stands for
its content. Owners that are gone come last, with the dependents that are left.

LEFT counts the root and the objects below it, MARKED those with a mark, and HELD those with a mark
and the finalizer of a controller. BLOCKER is one of them: the one with the oldest mark. An orphan
deletion leaves the objects below its root. LEFT then counts the root, and the references to drop.

With --watch it lists again and again, until no deletion is left or an interrupt. DONE is the share
of the objects that it has seen. The JSON has a line for each look then.

Exit code 1: no kind could be listed.`,
		Example: a.examples("top -f all.json", "top --store sqlite:app.db --watch", "top --from http://localhost:8080/ownergraph",
			"", "top -A", "top -n shop -o json", "top -A --watch"),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := live.Interruptible(cmd.Context())
			defer stop()
			return a.top(ctx, &t)
		},
	}
	t.add(cmd)
	a.addSource(cmd)
	a.addFrom(cmd)
	a.addFormat(cmd, printing.Plain())
	a.addEverywhere(cmd)
	return cmd
}

// topFlags are the flags of the subcommand top.
type topFlags struct {
	watch bool
	every time.Duration
}

func (t *topFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&t.watch, "watch", "w", false, "list again and again, until no deletion is left")
	cmd.Flags().DurationVar(&t.every, "every", 2*time.Second, "with --watch, the time between two looks")
}

// topAnswer is the form top/v1, or kubectl-ownergraph.top/v1 for a cluster.
type topAnswer struct {
	Schema   string     `json:"schema"`
	At       *time.Time `json:"at,omitempty"` // of a look with --watch
	Cascades []cascade  `json:"cascades"`
	Unknown  *unknown   `json:"unknown,omitempty"`
}

// top lists the deletions under way, once or again and again.
//
//test:by TestTop TestTopWatch
func (a *app) top(ctx context.Context, t *topFlags) error {
	switch {
	case t.watch && a.source.file != "":
		return printing.UsageError("--watch: a dump does not change")
	case t.watch && t.every < 100*time.Millisecond:
		return printing.UsageError("--every: want a time from 100ms")
	case !t.watch:
		r, list, err := a.lookTop(ctx)
		if err != nil {
			return err
		}
		return a.writeTop(r, list, nil)
	}
	seen := seenCascades{}
	for {
		r, list, err := a.lookTop(ctx)
		if err != nil {
			return err
		}
		now := a.now()
		if a.from == "" { // a program counts by itself
			seen.look(list, now)
		}
		if err := a.writeTop(r, list, &now); err != nil || len(list) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return nil // an interrupt ends the looks
		case <-time.After(t.every):
		}
	}
}

// lookTop returns the deletions under way, and the listing that has them.
func (a *app) lookTop(ctx context.Context) (*listing, []cascade, error) {
	if a.from == "" {
		r, err := a.list(ctx)
		if err != nil {
			return nil, nil, err
		}
		return r, r.cascades(), nil
	}
	if err := a.checkFrom(); err != nil {
		return nil, nil, err
	}
	list, more, err := a.topFrom(ctx)
	r := &listing{counted: true}
	if more > 0 {
		r.note = fmt.Sprintf(" (and %s)", spell.Count(uint64(more), "more deletion"))
	}
	return r, list, err
}

// writeTop writes the deletions of one look. A look with --watch has an instant.
func (a *app) writeTop(r *listing, list []cascade, at *time.Time) error {
	open := unknown{}
	if r.ofCluster {
		shown := covered(list)
		open = unknowns(*r.in, partOf(*r.content, func(k graph.Key) bool { return r.inside(k) || shown[k.UID] }), "")
	}
	if a.format == printing.JSON {
		out := topAnswer{Schema: "top/v1", At: at, Cascades: append([]cascade{}, list...)}
		if r.ofCluster {
			out.Schema, out.Unknown = "kubectl-ownergraph.top/v1", &open
		}
		if at != nil {
			return a.printer().JSONLine(out)
		}
		return a.printer().JSON(out)
	}
	text := topText(list, a.now(), at != nil || r.counted)
	if len(list) == 0 {
		text = "no deletion is under way" + r.note + "\n"
	}
	if r.counted && r.note != "" && len(list) > 0 {
		text += strings.Trim(r.note, " ()") + "\n"
	}
	if at != nil && terminal.New(a.stdout).IsTerminal() {
		if _, err := fmt.Fprint(a.stdout, "\x1b[H\x1b[J"); err != nil { // the looks share the screen
			return err
		}
	}
	return a.printer().Text(text + open.text())
}

func topText(list []cascade, now time.Time, watched bool) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	head := "ROOT\tHOW\tAGE\tLEFT\tMARKED\tHELD\tBLOCKER"
	if watched {
		head = "ROOT\tHOW\tAGE\tDONE\tRATE\tLEFT\tHELD\tBLOCKER"
	}
	fmt.Fprintln(w, head)
	for i := range list {
		c := &list[i]
		since := "-"
		if c.MarkedAt != nil {
			since = age(now, *c.MarkedAt)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t", c.key().Text(), c.Propagation, since)
		if watched {
			fmt.Fprintf(w, "%s\t%.0f/s\t%s\t", bar(c.Gone, c.Gone+c.Left), c.rate, c.left())
		} else {
			fmt.Fprintf(w, "%s\t%d\t", c.left(), c.Marked)
		}
		fmt.Fprintf(w, "%d\t%s\n", c.Held, c.Blocker.text())
	}
	_ = w.Flush() // a strings.Builder does not fail
	return out.String()
}

// left returns the number of objects that are left, and that of the references that have to go.
func (c *cascade) left() string {
	if c.References == 0 {
		return strconv.Itoa(c.Left)
	}
	return fmt.Sprintf("%d, %s", c.Left, spell.Count(uint64(c.References), "reference"))
}

// barCells is the number of cells of a bar.
const barCells = 10

// bar returns the share that is done, as cells and in percent. It is full only if all is done.
func bar(done, all int) string {
	if all == 0 {
		return "-"
	}
	cells := done * barCells / all
	return fmt.Sprintf("%s%s %d%%", strings.Repeat("#", cells), strings.Repeat(".", barCells-cells), done*100/all)
}

// seenCascades are the objects that the looks before have shown, by the UID of their root.
type seenCascades map[graph.UID]*seenCascade

type seenCascade struct {
	objects map[graph.UID]bool
	gone    int
	at      time.Time
}

// look counts the objects of each cascade that are gone since the first look, and their rate since the
// last one. A cascade that is no longer there is forgotten.
//
//test:by TestTopWatch
func (s seenCascades) look(list []cascade, now time.Time) {
	there := map[graph.UID]bool{}
	for i := range list {
		c := &list[i]
		there[c.UID] = true
		was := s[c.UID]
		if was == nil {
			was = &seenCascade{objects: map[graph.UID]bool{}, at: now}
			s[c.UID] = was
		}
		for j := range c.objects {
			was.objects[c.objects[j].UID] = true
		}
		c.Gone = len(was.objects) - c.Left
		if spent := now.Sub(was.at).Seconds(); spent > 0 {
			c.rate = float64(c.Gone-was.gone) / spent
		}
		was.gone, was.at = c.Gone, now
	}
	for uid := range s {
		if !there[uid] {
			delete(s, uid)
		}
	}
}
