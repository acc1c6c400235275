package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// writeRestore writes the plan of a restore.
func (a *app) writeRestore(made *archive.Plan, f *restoreFlags) error {
	if a.format == printing.JSON {
		return a.printer().JSONLine(newJSONRestore(made))
	}
	return a.printer().Text(restoreText(made, f.limit))
}

// parts has lines in parts, each with a bound of lines.
type parts struct {
	strings.Builder
	limit, left, cut int
}

func (p *parts) begin() { p.left, p.cut = p.limit, 0 }

func (p *parts) line(format string, args ...any) {
	if p.limit > 0 && p.left == 0 {
		p.cut++
		return
	}
	p.left--
	p.WriteString(spell.Line(fmt.Sprintf(format, args...)) + "\n")
}

func (p *parts) end() {
	if p.cut > 0 {
		fmt.Fprintf(p, "... and %d more: see --limit\n", p.cut)
	}
}

// restoreText returns a plan: a line for each object and entry, and the sum.
//
//test:by TestRestoreGolden TestRestoreRefused
func restoreText(made *archive.Plan, limit int) string {
	p := &parts{limit: limit}
	p.begin()
	moved := map[graph.UID]graph.Key{} // from former objects to present ones
	for _, l := range made.Back {
		moved[l.From.UID] = l.To
		p.line("= %s is back: %s %s", nameOf(l.From), l.To.Text(), l.To.UID)
	}
	p.end()
	p.begin()
	for i := range made.Members {
		place := made.Members[i].Place()
		place.UID = made.Members[i].Entry.Object.UID
		moved[place.UID] = place
	}
	for i := range made.Members {
		p.line("+ %s", memberText(&made.Members[i], moved))
	}
	p.end()
	p.begin()
	for _, k := range made.Relinks {
		p.line("~ %s lives, and its references move", k.Text())
	}
	p.end()
	p.begin()
	for _, w := range made.Waits {
		p.line("! %s", waitText(w))
	}
	p.end()
	p.begin()
	for i := range made.Left {
		p.line("- %s stays away: %s", nameOf(made.Left[i].Entry.Object.Key), whyText(&made.Left[i]))
	}
	p.end()
	p.begin()
	for i := range made.Refused {
		p.line("! %s", refusedText(&made.Refused[i]))
	}
	for _, t := range made.Taken {
		p.line("! the name of %s is taken by %s %s: see --rename", t.Member.Text(), t.By.Text(), t.By.UID)
	}
	p.end()
	p.WriteString(restoreSum(made) + "\n")
	return p.String()
}

// memberText describes an object that comes back. Its owners have their present names, or those of the members.
func memberText(m *archive.Member, moved map[graph.UID]graph.Key) string {
	o := &m.Entry.Object
	text := o.Key.Text()
	if place := m.Place(); place != o.Place() {
		text += " as " + place.Text()
	}
	if len(m.Owners) > 0 {
		text += ", owned by " + owners(m.Owners, moved)
	}
	var out []graph.Owner
	for _, r := range o.Owners {
		kept := func(x graph.Owner) bool { return x.UID == r.UID || x.UID == moved[r.UID].UID }
		if !slices.ContainsFunc(m.Owners, kept) {
			out = append(out, r)
		}
	}
	if len(out) > 0 {
		text += ", without its owner " + owners(out, nil)
	}
	if len(o.Finalizers) > 0 {
		text += "; its finalizers had run: " + spell.Some(o.Finalizers)
	}
	return text
}

func owners(list []graph.Owner, moved map[graph.UID]graph.Key) string {
	var names []string
	for _, o := range list {
		k, is := moved[o.UID]
		if !is {
			k = o.Key
		}
		names = append(names, k.Text())
	}
	return spell.Some(names)
}

// nameOf names an entry. A purged one has its UID alone.
func nameOf(k graph.Key) string {
	if k.Kind == "" {
		return string(k.UID)
	}
	return k.Text()
}

func waitText(w archive.Waiting) string {
	if len(w.Finalizers) == 0 {
		return w.Key.Text() + " has a deletion mark: the restore waits for its end"
	}
	return fmt.Sprintf("%s has a deletion mark: the restore waits for its end, and for %s", w.Key.Text(), spell.Some(w.Finalizers))
}

func whyText(x *archive.Left) string {
	text := x.Why.String()
	if x.Owner.UID != "" {
		text += " (" + x.Owner.Key.Text() + ")"
	}
	if x.Why == archive.PayloadUnreadable {
		text += ": " + x.Entry.Unreadable
	}
	return text
}

// refusedText names a root that cannot come back, and the remedy.
func refusedText(x *archive.Left) string {
	text := nameOf(x.Entry.Object.Key) + " cannot come back: " + whyText(x)
	switch x.Why {
	case archive.CascadeMissing, archive.RestrictMissing, archive.OwnersMissing:
		text += ". Restore that one first, or add --detach"
	case archive.EndedAgain:
		text += fmt.Sprintf(". Give its UID: %s", x.Entry.Restored.UID)
	case archive.NotEnded:
		text += endingText(&x.Entry.Object)
	}
	return text
}

// endingText tells how far an object is from its end.
func endingText(o *graph.Object) string {
	switch {
	case !o.Deleting:
		return ", and has no deletion mark"
	case len(o.Finalizers) > 0:
		return ". It has a deletion mark, and waits for " + spell.Some(o.Finalizers) + ". Call the command again after its end"
	}
	return ". It has a deletion mark. Call the command again after its end"
}

// restoreSum is the sum of a plan.
func restoreSum(made *archive.Plan) string {
	text := spell.Counted(len(made.Members), "object comes back", "objects come back")
	for _, x := range []struct {
		n         int
		one, many string
	}{
		{len(made.Back), "is back", "are back"}, {len(made.Relinks), "living one gets a new owner", "living ones get new owners"},
		{len(made.Waits), "has to end first", "have to end first"}, {len(made.Left), "stays away", "stay away"},
		{len(made.Refused), "root is refused", "roots are refused"}, {len(made.Taken), "name is taken", "names are taken"},
	} {
		if x.n > 0 {
			text += "; " + spell.Counted(x.n, x.one, x.many)
		}
	}
	return text
}

// writeRestored writes the result: from each former UID to the present object, by the key of that one.
//
//test:by TestRestoreGolden TestRestoreHeld
func (a *app) writeRestored(r *archive.Result, last archive.Progress, end string, limit int) error {
	if a.format == printing.JSON {
		return a.printer().JSONLine(a.newJSONRestored(r, last, end))
	}
	p := &parts{limit: limit}
	p.begin()
	for _, uid := range restoredOrder(r) {
		k := r.Restored[uid]
		p.line("%s -> %s %s", uid, k.Text(), k.UID)
	}
	p.end()
	p.begin()
	for _, t := range r.Held {
		p.line("held: %s, because of the name of %s %s", t.Member.Text(), t.By.Text(), t.By.UID)
	}
	p.end()
	fmt.Fprintf(p, "restored: %s", spell.Count(uint64(r.Created), "object"))
	if n := len(r.Restored) - r.Created; n > 0 {
		fmt.Fprintf(p, "; %s back before", spell.Counted(n, "was", "were"))
	}
	if r.Relinked > 0 {
		fmt.Fprintf(p, "; %s new owners", spell.Counted(r.Relinked, "living one got", "living ones got"))
	}
	if len(r.Held) > 0 {
		fmt.Fprintf(p, "; %d held", len(r.Held))
	}
	p.WriteString("\n")
	if err := a.printer().Text(p.String()); err != nil || end != "quiet" {
		return err
	}
	fmt.Fprintf(a.stderr, "the restore has not ended. Call the command again: it finds the rest\n")
	for _, w := range last.Waits {
		fmt.Fprintf(a.stderr, "  %s\n", spell.Line(waitText(w)))
	}
	return nil
}

// restoredOrder returns the former UIDs by their present objects.
func restoredOrder(r *archive.Result) []graph.UID {
	uids := slices.Collect(maps.Keys(r.Restored))
	slices.SortFunc(uids, func(a, b graph.UID) int {
		return cmp.Or(r.Restored[a].Compare(r.Restored[b]), cmp.Compare(a, b))
	})
	return uids
}
