package exhaustive

import (
	"testing"
	"time"
)

// TestGraphs: the numbers of graphs are those of the digraphs with two kinds of
// edges, up to renaming.
func TestGraphs(t *testing.T) {
	for _, c := range []struct {
		n      int
		selves bool
		want   int
		reason string
	}{
		{1, false, 1, "nothing to refer to"},
		{2, false, 6, "each of two pairs has one of three"},
		{3, false, 138, "as the issue says"},
		{4, false, 22_815, "as the issue says"},
		{1, true, 3, "none, plain or blocking"},
		{2, true, 45, "three loops each, and the six, up to renaming"},
		{3, true, 3_411, "as the issue says"},
	} {
		if got := len(graphs(c.n, 0, c.selves)); got != c.want {
			t.Errorf("%d objects, selves %v: %d graphs, want %d: %s", c.n, c.selves, got, c.want, c.reason)
		}
	}
}

// TestNamed: each name has stages of its own, and the first one all of them.
func TestNamed(t *testing.T) {
	sum := 0
	for _, name := range Names()[1:] {
		stages := Named(name)
		if len(stages) == 0 {
			t.Errorf("%q has no stages", name)
		}
		sum += len(stages)
	}
	if all := len(Named(Names()[0])); all != sum || sum == 0 {
		t.Errorf("%q has %d stages, want %d", Names()[0], all, sum)
	}
	if Named("nothing") != nil {
		t.Error("a name that there is not has stages")
	}
}

// TestRange: a stage takes the graphs from one number to another, and says what
// was cut off by those numbers.
func TestRange(t *testing.T) {
	s := Stage{Objects: 3, From: 100, To: 130, Every: 10, Scope: Scope{Actions: 1, States: 30}}
	row := s.run(1, time.Time{})
	if got := ranges(row.Cut); row.Graphs != 4 || got != "100, 110, 120, 130" {
		t.Errorf("%d graphs, cut off %s", row.Graphs, got)
	}
}
