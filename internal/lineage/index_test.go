package lineage

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestBelow: the objects below another one, and above it, are found once, also in rings, with
// shared owners and with wrong places of owners.
func TestBelow(t *testing.T) {
	kinds := []graph.KindInfo{
		{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor"}}, {Kind: "pod", Scoped: true}, {Kind: "node"},
	}
	for _, c := range []struct {
		objects      string // of which the first is the subject
		below, above []int
		reason       string
	}{
		{"node/a -> node/c; node/b -> node/a; node/c -> node/b, node/a; node/d -> node/c, node/x; node/x; node/e -> node/a, node/a",
			[]int{0, 1, 2, 3, 5}, []int{0, 1, 2}, "a ring and its dependents"},
		{"node/d -> node/x, node/y; node/x; node/e", []int{0}, []int{0, 1}, "nothing is below it"},
		{"node/a@u; pod/s/b -> pod/t/x@u; pod/s/c -> node/a@u?", []int{0, 1, 2}, []int{0}, "a reference counts by its UID"},
		{"ns/s; pod/s/a; pod/t/b -> pod/s/a; pod/t/c", []int{0, 1, 2}, []int{0}, "the members of a container are below it"},
		{"pod/s/a; ns/s", []int{0}, []int{0}, "and a container is not above them"},
	} {
		objects, err := graph.Parse(c.objects)
		if err != nil {
			t.Fatal(err)
		}
		x := New(kinds, objects)
		if below, above := x.Below(objects[0].Key), x.Above(objects[0].Key); !slices.Equal(below, c.below) || !slices.Equal(above, c.above) {
			t.Errorf("%s: below %v, want %v; above %v, want %v: %s", c.objects, below, c.below, above, c.above, c.reason)
		}
		if got := x.Below(graph.Key{Kind: "node", Name: "z", UID: "z"}); got != nil {
			t.Errorf("%s: %v is below an object that is not there", c.objects, got)
		}
	}
}
