package kinds

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestGap: a count leaves out the kinds that are sick and not listed, and those of a set that was
// refused.
func TestGap(t *testing.T) {
	for _, c := range []struct {
		script   string
		kinds    []graph.Kind
		more     int
		returned uint64
		reason   string
	}{
		{"list a 1", nil, 0, 0, "b is awaited"},
		{"list a 1; sick a down", nil, 0, 0, "a was listed, and its objects are known"},
		{"list a 1; sick b down", []graph.Kind{"b"}, 0, 0, "b is sick before its first listing"},
		{"list a 1; sick b down; well b", nil, 0, 1, "b is awaited again"},
		{"list a 1; sick b down; list b 1", nil, 0, 1, "b is listed, though the store has not said that it is well"},
		{"list a 1; sick b down; vanish b", nil, 0, 1, "b no longer takes part"},
		{"list a 1; list b 1; refuse-set", []graph.Kind{""}, 0, 0, "the refused set may have had more kinds"},
		{"list a 1; list b 1; refuse-set; kinds a b", nil, 0, 1, "a later set has all of them"},
		{"kinds a b c d e f g h i j; refuse-set; sick a x; sick b x; sick c x; sick d x; sick e x; sick f x; sick g x; sick h x; sick j x",
			[]graph.Kind{"", "a", "b", "c", "d", "e", "f", "g"}, 2, 0, "the names are bounded"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, c.script)
			for range 2 { // the second time it is known
				g := r.t.Gap()
				if g == nil {
					g = &Gap{}
				}
				names := len(c.kinds)
				if c.more > 0 {
					names++ // one for the number of the others
				}
				if got := g.Names(); len(got) != names || slices.Contains(got, "") || !g.Is(g) || g.Is(&Gap{More: 99}) {
					t.Errorf("the names are %q, want %d of them", got, names)
				}
				if !slices.Equal(g.Kinds, c.kinds) || g.More != c.more || r.t.CountMissing() != len(c.kinds)+c.more || r.t.Returned() != c.returned {
					t.Errorf("left out are %q and %d more, %d returned; want %q, %d, %d", g.Kinds, g.More, r.t.Returned(), c.kinds, c.more, c.returned)
				}
			}
		})
	}
}
