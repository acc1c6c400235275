package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// maxListed bounds the objects of one kind in a section of the report.
const maxListed = 40

// held is a held or blocked object with its reason.
type held struct {
	key     graph.Key
	reason  string
	blocked bool
}

// findings are the changes between two moments. Their text does not depend on any
// order.
//
//test:by TestReportIgnoresOrder
type findings struct {
	before, after []graph.Object // of byKey
	held          []held
	heldBefore    int                        // the held objects, without blocked ones, that an earlier report lists
	user          graph.Key                  // the object that the user deleted, if any
	why           func(key graph.Key) string // of a write of the collector; nil for no reasons
}

// String lists the deleted objects, the new objects, the objects that lost an owner,
// and the held objects.
func (f findings) String() string {
	var gone, come []graph.Key
	var orphaned []held
	f.compare(func(was, is *graph.Object) {
		switch {
		case is == nil:
			gone = append(gone, was.Key)
		case was == nil:
			come = append(come, is.Key)
		default:
			if h, lost := f.orphaned(was, is); lost {
				orphaned = append(orphaned, h)
			}
		}
	})
	var out strings.Builder
	fmt.Fprintf(&out, "gone: %d of %s, %s\n", len(gone), spell.Count(uint64(len(f.before)), "object"), staying(len(f.after)))
	writeCounts(&out, gone, f.reason)
	if len(come) > 0 {
		fmt.Fprintf(&out, "new: %d\n", len(come))
		writeCounts(&out, come, nil)
	}
	writeList(&out, "stay without an owner that they had", "", orphaned)
	beside := ""
	if f.heldBefore > 0 {
		beside = fmt.Sprintf(" (beside %s of before)", spell.Count(uint64(f.heldBefore), "held object"))
	}
	blocked := slices.DeleteFunc(slices.Clone(f.held), func(h held) bool { return !h.blocked })
	writeList(&out, "held", beside, slices.DeleteFunc(slices.Clone(f.held), func(h held) bool { return h.blocked }))
	writeList(&out, "blocked", "", blocked)
	return out.String()
}

// reason returns the reason why an object is gone, or "".
func (f findings) reason(key graph.Key) string {
	if f.why == nil {
		return ""
	}
	why := f.why(key)
	switch {
	case key != f.user:
		return why
	case why == "":
		return "deleted by the user"
	}
	return "deleted by the user, and " + why
}

// byKey returns the objects in the order of their keys.
func byKey(objects []graph.Object) []graph.Object {
	order := func(a, b graph.Object) int { return a.Compare(b.Key) }
	if !slices.IsSortedFunc(objects, order) {
		objects = slices.SortedFunc(slices.Values(objects), order)
	}
	return objects
}

// compare shows each object as it was and as it is, and nil where there is none.
func (f findings) compare(show func(was, is *graph.Object)) {
	for i, j := 0, 0; i < len(f.before) || j < len(f.after); {
		order := 0
		switch {
		case i == len(f.before):
			order = 1
		case j == len(f.after):
			order = -1
		default:
			order = f.before[i].Compare(f.after[j].Key)
		}
		var was, is *graph.Object
		if order <= 0 {
			was, i = &f.before[i], i+1
		}
		if order >= 0 {
			is, j = &f.after[j], j+1
		}
		show(was, is)
	}
}

// orphaned returns an object that still exists and has lost a reference.
func (f findings) orphaned(was, is *graph.Object) (h held, lost bool) {
	var owners []string
	for _, ref := range was.Owners {
		if !slices.ContainsFunc(is.Owners, ref.Same) {
			owners = append(owners, ref.Key.Text())
		}
	}
	if len(owners) == 0 {
		return held{}, false
	}
	text := spell.Some(owners)
	if why := f.reason(is.Key); why != "" {
		text += ": " + why
	}
	return held{key: is.Key, reason: text}, true
}

// explainAll returns the held objects with the text of their reasons.
func explainAll(reported []engine.Held) []held {
	var list []held
	for _, h := range reported {
		list = append(list, held{h.Key, Explain(h), h.Status == engine.StatusBlocked})
	}
	return list
}

// newHeld returns the elements of list that are not in old, and every element for key.
func newHeld(list, old []held, key graph.Key) []held {
	known := make(map[held]bool)
	for _, h := range old {
		known[h] = h.key != key
	}
	return slices.DeleteFunc(slices.Clone(list), func(h held) bool { return known[h] })
}

// countHeld counts the held objects without the blocked ones.
func countHeld(list []held) (n int) {
	for _, h := range list {
		if !h.blocked {
			n++
		}
	}
	return n
}

// indent moves lines to the right.
func indent(lines string) string {
	if lines == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  ") + "\n"
}

// writeCounts writes the number of keys for each kind and reason.
func writeCounts(out *strings.Builder, keys []graph.Key, reason func(graph.Key) string) {
	perLine := make(map[string]int)
	for _, key := range keys {
		line := key.Kind.Text()
		if reason != nil && reason(key) != "" {
			line += ": " + reason(key)
		}
		perLine[line]++
	}
	writePerLine(out, perLine)
}

func writePerLine(out *strings.Builder, perLine map[string]int) {
	for _, line := range slices.Sorted(maps.Keys(perLine)) {
		fmt.Fprintf(out, "  %5d  %s\n", perLine[line], line)
	}
}

// writeList writes the objects with their reasons, sorted. It shortens the list of a
// kind with many objects. A note follows their number.
func writeList(out *strings.Builder, title, note string, list []held) {
	if len(list) == 0 && note == "" {
		return
	}
	slices.SortFunc(list, func(a, b held) int {
		return cmp.Or(a.key.Compare(b.key), cmp.Compare(a.reason, b.reason))
	})
	fmt.Fprintf(out, "%s: %d%s\n", title, len(list), note)
	for len(list) > 0 {
		kind := list[0].key.Kind
		n := slices.IndexFunc(list, func(h held) bool { return h.key.Kind != kind })
		if n < 0 {
			n = len(list)
		}
		for _, h := range list[:min(n, maxListed)] {
			fmt.Fprintf(out, "  %s: %s\n", h.key.Text(), h.reason)
		}
		if n > maxListed {
			fmt.Fprintf(out, "  ... and %d more %s\n", n-maxListed, kind.Text())
		}
		list = list[n:]
	}
}

// finalizers counts the finalizers, except those of the engine's propagations and those in the
// spec of a namespace: a run does the work of the namespace controller.
func finalizers(is []graph.Object) string {
	perLine := make(map[string]int)
	carriers := 0
	for _, o := range is {
		foreign := 0
		for i, f := range o.Finalizers {
			again := slices.Contains(o.Finalizers[:i], f)
			if f != graph.FinalizerForeground && f != graph.FinalizerOrphan && !strings.HasPrefix(f, "spec.finalizers:") && !again {
				perLine[f+" on "+o.Kind.Text()]++
				foreign = 1
			}
		}
		carriers += foreign
	}
	if carriers == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "with finalizers of absent controllers: %d (a deletion marks them, and they stay)\n", carriers)
	writePerLine(&out, perLine)
	return out.String()
}

// staying returns "1 stays", "2 stay".
func staying(n int) string {
	if n == 1 {
		return "1 stays"
	}
	return fmt.Sprint(n, " stay")
}
