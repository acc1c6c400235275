package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// maxListed is how many objects of one kind a section of the report names.
const maxListed = 40

// held is an object that stays though something asks for its deletion, or
// though an owner of it is not there, and why.
type held struct {
	key    graph.Key
	reason string
}

// report says what went between before and after, what was orphaned, what is
// held and why, and what carries finalizers. Entries of holds whose object is
// not in after are left out. The result is the same for any order of the
// input. Held by TestReportIgnoresOrder.
func report(before, after []graph.Object, holds []held) string {
	was, is := byKey(before), byKey(after)
	var gone, come []graph.Key
	for key := range was {
		if _, stays := is[key]; !stays {
			gone = append(gone, key)
		}
	}
	for key := range is {
		if _, old := was[key]; !old {
			come = append(come, key)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d of %d objects are gone, %d stay\n", len(gone), len(was), len(is))
	writeCounts(&out, gone)
	if len(come) > 0 {
		fmt.Fprintf(&out, "%d objects are new\n", len(come))
		writeCounts(&out, come)
	}
	writeList(&out, "no longer name an owner", orphaned(was, is))
	writeList(&out, "are held", reasons(is, holds))
	writeFinalizers(&out, is)
	return out.String()
}

func byKey(objects []graph.Object) map[graph.Key]graph.Object {
	m := make(map[graph.Key]graph.Object, len(objects))
	for _, o := range objects {
		m[o.Key] = o
	}
	return m
}

// orphaned lists the objects that lost a reference and live on.
func orphaned(was, is map[graph.Key]graph.Object) []held {
	var list []held
	for key, o := range is {
		var lost []string
		for _, ref := range was[key].Owners {
			if !slices.ContainsFunc(o.Owners, ref.Same) {
				lost = append(lost, spell(ref.Key))
			}
		}
		if len(lost) > 0 {
			list = append(list, held{key, joinSome(lost)})
		}
	}
	return list
}

// reasons returns the holds on what is there, and adds those that show in the
// object itself: a deletion mark and what it waits for.
func reasons(is map[graph.Key]graph.Object, holds []held) []held {
	explained := make(map[graph.Key]bool)
	var list []held
	for _, h := range holds {
		if _, there := is[h.key]; there {
			explained[h.key] = true
			list = append(list, h)
		}
	}
	for key, o := range is {
		switch {
		case !o.Deleting || explained[key]:
		case len(o.Finalizers) > 0:
			list = append(list, held{key, "is being deleted and waits for finalizer " + joinSome(o.Finalizers)})
		default:
			list = append(list, held{key, fmt.Sprintf("is being deleted and has a grace period of %d s", o.GraceSeconds)})
		}
	}
	return list
}

// writeCounts writes how many keys there are of each kind.
func writeCounts(out *strings.Builder, keys []graph.Key) {
	perKind := make(map[graph.Kind]int)
	for _, key := range keys {
		perKind[key.Kind]++
	}
	for _, kind := range slices.Sorted(maps.Keys(perKind)) {
		fmt.Fprintf(out, "  %5d  %s\n", perKind[kind], spellKind(kind))
	}
}

// writeList writes the objects and what is said of each, sorted, with a cut
// where one kind has many.
func writeList(out *strings.Builder, title string, list []held) {
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b held) int {
		return cmp.Or(a.key.Compare(b.key), cmp.Compare(a.reason, b.reason))
	})
	fmt.Fprintf(out, "%d %s\n", len(list), title)
	for len(list) > 0 {
		kind := list[0].key.Kind
		n := slices.IndexFunc(list, func(h held) bool { return h.key.Kind != kind })
		if n < 0 {
			n = len(list)
		}
		for _, h := range list[:min(n, maxListed)] {
			fmt.Fprintf(out, "  %s: %s\n", spell(h.key), h.reason)
		}
		if n > maxListed {
			fmt.Fprintf(out, "  ... and %d more %s\n", n-maxListed, spellKind(kind))
		}
		list = list[n:]
	}
}

// writeFinalizers counts the finalizers that are there, but for those by which
// the engine itself remembers a propagation.
func writeFinalizers(out *strings.Builder, is map[graph.Key]graph.Object) {
	perLine := make(map[string]int)
	carriers := 0
	for _, o := range is {
		foreign := 0
		for _, f := range o.Finalizers {
			if f != graph.FinalizerForeground && f != graph.FinalizerOrphan {
				perLine[f+" on "+spellKind(o.Kind)]++
				foreign = 1
			}
		}
		carriers += foreign
	}
	if carriers == 0 {
		return
	}
	fmt.Fprintf(out, "%d carry finalizers that nobody here handles: a deletion marks them, and they stay\n", carriers)
	for _, line := range slices.Sorted(maps.Keys(perLine)) {
		fmt.Fprintf(out, "  %5d  %s\n", perLine[line], line)
	}
}
