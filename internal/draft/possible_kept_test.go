package draft

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPossibleKept: nothing goes because of a protected object, so no end below it depends on
// the order. A protected object that is a target is deleted by its user.
func TestPossibleKept(t *testing.T) {
	for _, c := range []struct {
		kept, target string
		want         int
		reason       string
	}{
		{"k/p", "k/r", 0, "p stays, and so does what is below it"},
		{"k/none", "k/r", 2, "by rule 3 the ends of p and of the object below it depend on the order"},
		{"k/r", "k/r", 2, "a user deletes the protected object"},
	} {
		list := parts(t, "k/p[x] -> k/r; k/q -> k/p!; k/r")
		x := NewIndex(list)
		at := func(key string) int32 { i, _ := x.Of(keyOf(t, key)); return i }
		q := Question{
			Parts: list, Dependents: make([][]int32, len(list)), Targets: map[int32]graph.Propagation{at(c.target): graph.Foreground},
			Stays: func(f string) bool { return f == "x" },
			Kept:  func(i int32) bool { return list[i].Object.Key == keyOf(t, c.kept) },
		}
		q.Dependents[at("k/r")], q.Dependents[at("k/p")] = []int32{at("k/p")}, []int32{at("k/q")}
		got := 0
		for _, possible := range Possible(q) {
			if possible {
				got++
			}
		}
		if got != c.want {
			t.Errorf("kept %s: %d possible ends, want %d: %s", c.kept, got, c.want, c.reason)
		}
	}
}
