package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// mostObjects bounds how many objects a line names.
const mostObjects = 5

// sayObjects names the first objects of a list.
func sayObjects(list []ownergraph.Object) string {
	if n := len(list) - mostObjects; n > 0 {
		return fmt.Sprintf("%s; and %d more", graph.Format(list[:mostObjects]), n)
	}
	return graph.Format(list)
}

// difference says in a few lines which objects are missing among those that were
// seen, which are surplus, and which were seen in another state. It is "" if
// there is no difference. Both lists may be in any order.
//
// Held by TestDifference.
func difference(want, seen []ownergraph.Object) string {
	var missing, surplus, other []ownergraph.Object
	var lines []string
	shown, wanted := byKey(seen), byKey(want)
	for _, o := range want {
		x, there := shown[o.Key]
		switch {
		case !there:
			missing = append(missing, o)
		case !x.Equal(o):
			if other = append(other, o); len(other) <= mostObjects {
				lines = append(lines, fmt.Sprintf("differs: %s, want %s", x, o))
			}
		}
	}
	for _, o := range seen {
		if _, there := wanted[o.Key]; !there {
			surplus = append(surplus, o)
		}
	}
	if n := len(other) - mostObjects; n > 0 {
		lines = append(lines, fmt.Sprintf("differs: %d more", n))
	}
	if len(surplus) > 0 {
		lines = slices.Insert(lines, 0, "surplus: "+sayObjects(surplus))
	}
	if len(missing) > 0 {
		lines = slices.Insert(lines, 0, "missing: "+sayObjects(missing))
	}
	return strings.Join(lines, "\n")
}

func byKey(list []ownergraph.Object) map[ownergraph.Key]ownergraph.Object {
	out := map[ownergraph.Key]ownergraph.Object{}
	for _, o := range list {
		out[o.Key] = o
	}
	return out
}
