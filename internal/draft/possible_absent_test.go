package draft

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPossibleBesideAbsentOwner: an owner that does not exist goes beside one that orphans.
// By the order of the writes the object dies of the one, or loses both references first.
func TestPossibleBesideAbsentOwner(t *testing.T) {
	list := parts(t, "k/a -> k/gone, k/r; k/r")
	x := NewIndex(list)
	a, _ := x.Of(keyOf(t, "k/a"))
	r, _ := x.Of(keyOf(t, "k/r"))
	for _, c := range []struct {
		propagation graph.Propagation
		want        bool
		reason      string
	}{
		{graph.Orphan, true, "r orphans, and gone does not"},
		{graph.Background, false, "a dies of both"},
	} {
		q := Question{
			Parts: list, Dependents: make([][]int32, len(list)), Targets: map[int32]graph.Propagation{r: c.propagation},
			Stays: func(string) bool { return false },
		}
		q.Dependents[r] = []int32{a}
		if got := Possible(q)[a]; got != c.want {
			t.Errorf("delete k/r %s: a is possible %t, want %t: %s", c.propagation, got, c.want, c.reason)
		}
	}
}
