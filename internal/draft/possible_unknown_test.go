package draft

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPossibleBesideUnknownOwner: a dependent with an unknown owner stays, and blocks an
// object that goes. That object waits for it, or goes before. An owner that stays takes the
// other references away.
func TestPossibleBesideUnknownOwner(t *testing.T) {
	list := parts(t, "k/c -> k/r; k/f -> k/c!, k/s; k/r; k/s")
	x := NewIndex(list)
	at := func(key string) int32 {
		i, _ := x.Of(keyOf(t, key))
		return i
	}
	c, f, r, s := at("k/c"), at("k/f"), at("k/r"), at("k/s")
	for _, tc := range []struct {
		unknown, fixed, open int32
		targets              []int32
		want                 bool
		reason               string
	}{
		{f, -1, -1, []int32{r}, false, "s stays, so f loses its reference to c"},
		{f, -1, -1, []int32{r, s}, true, "f stays for its unknown owner alone"},
		{-1, f, -1, []int32{r}, true, "f is flawed, and keeps its reference to c"},
		{-1, -1, -1, []int32{r, s}, false, "f goes"},
		{-1, -1, c, []int32{r}, true, "more than the parts decides about c"},
	} {
		q := Question{
			Parts: list, Dependents: make([][]int32, len(list)), Targets: map[int32]graph.Propagation{},
			Stays:   func(string) bool { return false },
			Unknown: func(i int32) bool { return i == tc.unknown }, Open: func(i int32) bool { return i == tc.open },
			Fixed: func(i int32) bool { return i == tc.fixed },
		}
		q.Dependents[r], q.Dependents[c], q.Dependents[s] = []int32{c}, []int32{f}, []int32{f}
		for _, i := range tc.targets {
			q.Targets[i] = graph.Foreground
		}
		if got := Possible(q)[c]; got != tc.want {
			t.Errorf("unknown %d, fixed %d, open %d, targets %d: c is possible %t, want %t: %s", tc.unknown, tc.fixed, tc.open, tc.targets, got, tc.want, tc.reason)
		}
	}
}

// TestPossibleBesideEndedOrphaning: the orphaning of an owner has ended, and the owner goes. In
// the foreground a dependent may die of the waiting owner, or be orphaned at its end.
func TestPossibleBesideEndedOrphaning(t *testing.T) {
	list := parts(t, "k/a; k/b -> k/a")
	x := NewIndex(list)
	a, _ := x.Of(keyOf(t, "k/a"))
	b, _ := x.Of(keyOf(t, "k/b"))
	list[a].Orphaned = true
	for _, c := range []struct {
		propagation graph.Propagation
		want        bool
		reason      string
	}{
		{graph.Foreground, true, "b dies of a, or is orphaned at the end of a"},
		{graph.Background, false, "b is orphaned"},
	} {
		q := Question{
			Parts: list, Dependents: make([][]int32, len(list)), Targets: map[int32]graph.Propagation{a: c.propagation},
			Stays: func(string) bool { return false },
		}
		q.Dependents[a] = []int32{b}
		if got := Possible(q)[b]; got != c.want {
			t.Errorf("delete k/a %s: b is possible %t, want %t: %s", c.propagation, got, c.want, c.reason)
		}
	}
}
