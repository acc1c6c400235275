package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// maxListed bounds the objects of one kind in a section of the report.
const maxListed = 40

// held is a held object with its reason.
type held struct {
	key    graph.Key
	reason string
}

// findings are the changes between two moments. Their text does not depend on any
// order.
//
// Held by TestReportIgnoresOrder.
type findings struct {
	before, after map[graph.Key]graph.Object
	held          []held
	user          graph.Key                  // the object that the user deleted, if any
	why           func(key graph.Key) string // of a write of the collector; nil for no reasons
}

// String lists the deleted objects, the new objects, the objects that lost an owner,
// and the held objects.
func (f findings) String() string {
	var gone, come []graph.Key
	for key := range f.before {
		if _, stays := f.after[key]; !stays {
			gone = append(gone, key)
		}
	}
	for key := range f.after {
		if _, old := f.before[key]; !old {
			come = append(come, key)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "gone: %d of %d objects, %d stay\n", len(gone), len(f.before), len(f.after))
	writeCounts(&out, gone, f.reason)
	if len(come) > 0 {
		fmt.Fprintf(&out, "new: %d\n", len(come))
		writeCounts(&out, come, nil)
	}
	writeList(&out, "stay without an owner that they had", f.orphaned())
	writeList(&out, "held", f.held)
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

func byKey(objects []graph.Object) map[graph.Key]graph.Object {
	m := make(map[graph.Key]graph.Object, len(objects))
	for _, o := range objects {
		m[o.Key] = o
	}
	return m
}

// orphaned returns the objects that lost a reference and still exist.
func (f findings) orphaned() []held {
	var list []held
	for key, o := range f.after {
		var lost []string
		for _, ref := range f.before[key].Owners {
			if !slices.ContainsFunc(o.Owners, ref.Same) {
				lost = append(lost, spell.Key(ref.Key))
			}
		}
		if len(lost) == 0 {
			continue
		}
		text := spell.Some(lost)
		if why := f.reason(key); why != "" {
			text += ": " + why
		}
		list = append(list, held{key, text})
	}
	return list
}

// explainAll returns the held objects with the text of their reasons.
func explainAll(reported []ownergraph.Held) []held {
	var list []held
	for _, h := range reported {
		list = append(list, held{h.Key, Explain(h)})
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
		line := spell.Kind(key.Kind)
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
// kind with many objects.
func writeList(out *strings.Builder, title string, list []held) {
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b held) int {
		return cmp.Or(a.key.Compare(b.key), cmp.Compare(a.reason, b.reason))
	})
	fmt.Fprintf(out, "%s: %d\n", title, len(list))
	for len(list) > 0 {
		kind := list[0].key.Kind
		n := slices.IndexFunc(list, func(h held) bool { return h.key.Kind != kind })
		if n < 0 {
			n = len(list)
		}
		for _, h := range list[:min(n, maxListed)] {
			fmt.Fprintf(out, "  %s: %s\n", spell.Key(h.key), h.reason)
		}
		if n > maxListed {
			fmt.Fprintf(out, "  ... and %d more %s\n", n-maxListed, spell.Kind(kind))
		}
		list = list[n:]
	}
}

// finalizers counts the finalizers, except those of the engine's propagations.
func finalizers(is map[graph.Key]graph.Object) string {
	perLine := make(map[string]int)
	carriers := 0
	for _, o := range is {
		foreign := 0
		for i, f := range o.Finalizers {
			again := slices.Contains(o.Finalizers[:i], f)
			if f != graph.FinalizerForeground && f != graph.FinalizerOrphan && !again {
				perLine[f+" on "+spell.Kind(o.Kind)]++
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
