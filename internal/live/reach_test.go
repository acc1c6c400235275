package live

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestReach: the objects below another one are found once, also in rings and with shared
// owners.
func TestReach(t *testing.T) {
	objects := []graph.Object{node("a", "c"), node("b", "a"), node("c", "b", "a"), node("d", "c", "x"), node("x"), node("e", "a", "a")}
	var c containers
	for _, tc := range []struct {
		root   graph.Key
		want   []int
		reason string
	}{
		{objects[0].Key, []int{0, 1, 2, 3, 5}, "a ring and its dependents"},
		{objects[2].Key, []int{2, 0, 1, 3, 5}, "the root comes first"},
		{objects[3].Key, []int{3}, "nothing is below it"},
		{node("z").Key, nil, "it is not there"},
	} {
		got := c.reach(objects, tc.root)
		if !slices.Equal(got, tc.want) {
			t.Errorf("reach(%v) = %v, want %v: %s", tc.root, got, tc.want, tc.reason)
		}
	}
}
