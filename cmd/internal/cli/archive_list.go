package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

func (a *app) archiveListCommand() *cobra.Command {
	q, kind := archive.Query{}, ""
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the entries, the newest end first",
		Long: `List the entries of the archive, the newest end first. BY is "user" if a user deleted the object, and "cascade"
if it went with another one. From UNTIL on the entry may be purged. A cascade entry goes with the entries that it hangs
from. HOLDS has the holders that keep the entry. RESTORED is the UID of the object that came back.

A page has --limit entries. The last line of a page tells how to get the next one.`,
		Example: a.examples("archive ls --store sqlite:app.db --explicit", "archive ls --store sqlite:app.db --of-kind project --scope blue -o json",
			"", "archive ls --store postgres://localhost/app"),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.Limit < 1 || q.Limit > archive.MaxPage {
				return printing.UsageError(fmt.Sprintf("--limit: want a number from 1 to %d", archive.MaxPage))
			}
			if q.Kind = graph.Kind(kind); q.Scope == "" {
				q.Scope = a.scope()
			}
			return a.onArchive(cmd.Context(), func(ctx context.Context, s *archived) error { return s.list(ctx, q) })
		},
	}
	a.addLive(cmd)
	a.addFormat(cmd, printing.Plain())
	f := cmd.Flags()
	f.StringVar(&kind, "of-kind", "", "the objects of this kind")
	f.StringVar(&q.Name, "name", "", "the objects of this name")
	f.StringVar(&q.Scope, "scope", "", "the objects of this scope; -n is the same")
	f.BoolVar(&q.Explicit, "explicit", false, "the objects that users deleted")
	f.IntVar(&q.Limit, "limit", 100, "most entries of a page")
	f.StringVar(&q.After, "after", "", "the page behind this mark, which the page before has printed")
	return cmd
}

// jsonArchive is the form archive/v1.
type jsonArchive struct {
	Schema  string      `json:"schema"`
	Entries []jsonEntry `json:"entries"`
	More    string      `json:"more,omitempty"`
}

// jsonEntry has all facts of an entry.
type jsonEntry struct {
	Object     graph.Object `json:"object"`
	At         time.Time    `json:"at"`
	Until      *time.Time   `json:"until,omitempty"`
	Explicit   bool         `json:"explicit"`
	Orphaning  bool         `json:"orphaning,omitempty"`
	Cause      *jsonCause   `json:"cause,omitempty"`
	Holds      []jsonHold   `json:"holds,omitempty"`
	Restored   *jsonKey     `json:"restored,omitempty"`
	Size       int          `json:"size"`
	Sealed     bool         `json:"sealed,omitempty"`
	Unreadable string       `json:"unreadable,omitempty"`
}

// jsonCause is the word of the engine that deleted an object.
type jsonCause struct {
	Root   *jsonKey `json:"root,omitempty"`
	Holder *jsonKey `json:"holder,omitempty"`
}

type jsonHold struct {
	By     string     `json:"by"`
	Reason string     `json:"reason,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
}

func newJSONEntry(e *archive.Entry) jsonEntry {
	out := jsonEntry{Object: e.Object, At: e.At.UTC(), Until: someTime(e.Until), Explicit: e.Explicit, Orphaning: e.Orphaning,
		Restored: someKey(e.Restored), Size: e.Size, Sealed: e.Sealed, Unreadable: e.Unreadable}
	if c := e.Cause; c != (graph.Cause{}) {
		out.Cause = &jsonCause{someKey(c.Root), someKey(c.Holder)}
	}
	for _, h := range e.Holds {
		out.Holds = append(out.Holds, jsonHold{h.By, h.Reason, someTime(h.Until)})
	}
	return out
}

func someTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func someKey(k graph.Key) *jsonKey {
	if k == (graph.Key{}) {
		return nil
	}
	return (*jsonKey)(&k)
}

// list writes a page of entries.
//
//test:by TestArchiveGolden TestArchivePages
func (s *archived) list(ctx context.Context, q archive.Query) error {
	page, err := s.Entries(ctx, q)
	if err != nil {
		return err
	}
	if s.app.format == printing.JSON {
		out := jsonArchive{Schema: "archive/v1", Entries: []jsonEntry{}, More: page.More}
		for i := range page.Entries {
			out.Entries = append(out.Entries, newJSONEntry(&page.Entries[i]))
		}
		return s.app.printer().JSON(out)
	}
	if len(page.Entries) == 0 {
		return s.app.printer().Text("no entries\n")
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "END\tOBJECT\tUID\tBY\tUNTIL\tHOLDS\tRESTORED")
	for i := range page.Entries {
		fmt.Fprintln(w, entryLine(&page.Entries[i]))
	}
	_ = w.Flush() // a strings.Builder does not fail
	if page.More != "" {
		fmt.Fprintf(&text, "... and more: add --after %s\n", page.More)
	}
	return s.app.printer().Text(text.String())
}

func entryLine(e *archive.Entry) string {
	by, back := "cascade", "-"
	if e.Explicit {
		by = "user"
	}
	if e.IsRestored() {
		back = string(e.Restored.UID)
	}
	var holders []string
	for _, h := range e.Holds {
		holders = append(holders, h.By)
	}
	if len(holders) == 0 {
		holders = []string{"-"}
	}
	cells := []string{at(e.At), e.Object.Key.Text(), string(e.Object.UID), by, untilOf(e), spell.Some(holders), back}
	for i := range cells {
		cells[i] = spell.Line(cells[i])
	}
	return strings.Join(cells, "\t")
}

// untilOf returns the time from which an entry may be purged.
func untilOf(e *archive.Entry) string {
	switch {
	case !e.Explicit:
		return "-"
	case e.Until.IsZero():
		return "never"
	}
	return at(e.Until)
}

func (a *app) archiveShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ENTRY",
		Short: "Show all facts of an entry, without its payload",
		Long: `Show all facts of an entry: the object with its owners and their policies, the finalizers that it had when it was
marked, the cause of its deletion, the holds, and the object that came back. The payload stays in the store.

ENTRY is UID, KIND/[SCOPE/]NAME@UID, or KIND/[SCOPE/]NAME of exactly one entry.`,
		Example: a.examples("archive show --store sqlite:app.db 6f1c...", "archive show --store sqlite:app.db project/blue/site -o json",
			"", "archive show --store postgres://localhost/app 6f1c..."),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onArchive(cmd.Context(), func(ctx context.Context, s *archived) error {
				e, err := s.findNamed(ctx, args[0], false)
				if err != nil {
					return err
				}
				if a.format == printing.JSON {
					return a.printer().JSON(struct {
						Schema string    `json:"schema"`
						Entry  jsonEntry `json:"entry"`
					}{"archive-entry/v1", newJSONEntry(e)})
				}
				return a.printer().Text(entryText(e))
			})
		},
	}
	a.addLive(cmd)
	a.addFormat(cmd, printing.Plain())
	return cmd
}

// entryText returns all facts of an entry, a line for each.
//
//test:by TestArchiveGolden
func entryText(e *archive.Entry) string {
	var out strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&out, "%-11s %s\n", name, spell.Line(fmt.Sprintf(format, args...)))
	}
	line("object", "%s", e.Object.Key.Text())
	line("uid", "%s", e.Object.UID)
	line("version", "%s", e.Object.Version)
	line("end", "%s", at(e.At))
	line("by", "%s", map[bool]string{true: "a user deleted it", false: "a cascade: it went with another object"}[e.Explicit])
	if e.Orphaning {
		line("orphaning", "it left its dependents behind")
	}
	if k := e.Cause.Root; k != (graph.Key{}) {
		line("root", "%s %s", k.Text(), k.UID)
	}
	if k := e.Cause.Holder; k != (graph.Key{}) {
		line("holder", "%s %s", k.Text(), k.UID)
	}
	for _, o := range e.Object.Owners {
		line("owner", "%s %s%s", o.Key.Text(), o.UID, policyWords(o))
	}
	for _, f := range e.Object.Finalizers {
		line("finalizer", "%s", f)
	}
	if e.Explicit {
		line("until", "%s", untilOf(e))
	} else {
		line("until", "it goes with the entries that it hangs from")
	}
	for _, h := range e.Holds {
		until := "without an end"
		if !h.Until.IsZero() {
			until = "until " + at(h.Until)
		}
		line("hold", "%s, %s: %s", h.By, until, h.Reason)
	}
	if e.IsRestored() {
		line("restored", "%s %s", e.Restored.Text(), e.Restored.UID)
	}
	sealed := ""
	if e.Sealed {
		sealed = ", sealed"
	}
	line("payload", "%s%s", spell.Counted(e.Size, "byte", "bytes"), sealed)
	if e.Unreadable != "" {
		line("unreadable", "%s", e.Unreadable)
	}
	return out.String()
}

// policyWords returns the words of a reference behind its owner.
func policyWords(o graph.Owner) string {
	text := ""
	if o.OnDelete != graph.OnDeleteUnset {
		text += " " + o.OnDelete.String()
	}
	if o.Block {
		text += " block"
	}
	if o.Controller {
		text += " controller"
	}
	return text
}
