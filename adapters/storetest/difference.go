package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// maxObjects bounds the number of objects in a line.
const maxObjects = 5

// formatObjects prints the first objects of a list.
func formatObjects(list []ownergraph.Object) string {
	if n := len(list) - maxObjects; n > 0 {
		return fmt.Sprintf("%s; and %d more", graph.Format(list[:maxObjects]), n)
	}
	return graph.Format(list)
}

// difference prints the missing, the surplus and the differing objects among those
// that were seen. It is "" if there is no difference. Both lists may be in any
// order.
//
//test:by TestDifference
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
			if other = append(other, o); len(other) <= maxObjects {
				lines = append(lines, fmt.Sprintf("differs: %s, want %s", x, o))
			}
		}
	}
	for _, o := range seen {
		if _, there := wanted[o.Key]; !there {
			surplus = append(surplus, o)
		}
	}
	if n := len(other) - maxObjects; n > 0 {
		lines = append(lines, fmt.Sprintf("differs: %d more", n))
	}
	if len(surplus) > 0 {
		lines = slices.Insert(lines, 0, "surplus: "+formatObjects(surplus))
	}
	if len(missing) > 0 {
		lines = slices.Insert(lines, 0, "missing: "+formatObjects(missing))
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
