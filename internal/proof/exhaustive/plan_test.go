package exhaustive

import (
	"slices"
	"testing"
	"time"
)

// TestGraphs: the numbers of graphs are those of the digraphs with two sorts of edges,
// up to renaming.
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
		if got := len(graphs(c.n, 0, shape{selves: c.selves})); got != c.want {
			t.Errorf("%d objects, selves %v: %d graphs, want %d: %s", c.n, c.selves, got, c.want, c.reason)
		}
	}
}

// TestShapes: foreign finalizers and unresolved references multiply the graphs, up to
// renaming.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		n      int
		shape  shape
		want   int
		reason string
	}{
		{2, shape{foreign: true}, 21, "nine graphs with one of four marks each, and 3 * 2 that the exchange leaves alone, over 2"},
		{3, shape{foreign: true}, 1032, "Burnside: 729 graphs with 8 marks each, 3 * 27 * 4 and 2 * 9 * 2 that a renaming leaves alone, over 6"},
		{2, shape{doubts: true}, 15, "each of two pairs has one of five"},
	} {
		if got := len(graphs(c.n, 0, c.shape)); got != c.want {
			t.Errorf("%d objects, %+v: %d graphs, want %d: %s", c.n, c.shape, got, c.want, c.reason)
		}
	}
}

// TestSure: seeded bugs count on these rows. They are rows of CI's run with words of
// their own, and they search all graphs to the end.
func TestSure(t *testing.T) {
	all, named := Standard(), map[string]bool{}
	for _, s := range Sure() {
		if !slices.ContainsFunc(all, func(o Stage) bool { return o.String() == s.String() }) || !s.Whole || s.Scope.States != 0 || s.Every != 0 {
			t.Errorf("%s is no whole row of CI's run", s)
		}
		if found, ok := Find(s.String()); !ok || found.String() != s.String() || named[s.String()] {
			t.Errorf("%s is not found by its words alone", s)
		}
		named[s.String()] = true
		if !s.Has(max(s.From, 1)) || s.Has(0) || s.Has(1<<20) {
			t.Errorf("%s has other graphs than it says", s)
		}
	}
	if len(named) < 10 {
		t.Errorf("%d rows, want more", len(named))
	}
	if _, ok := Find("nothing"); ok {
		t.Error("a row that there is not is found")
	}
	if s := (Stage{Objects: 3, From: 100, To: 130, Every: 10}); !s.Has(110) || s.Has(105) || s.Has(140) {
		t.Errorf("%s has other graphs than it says", s)
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

// TestRange: a stage takes the graphs from one number to another, and reports a cut by
// these numbers.
func TestRange(t *testing.T) {
	s := Stage{Objects: 3, From: 100, To: 130, Every: 10, Scope: Scope{Actions: 1, States: 30}}
	row := s.run(1, time.Time{})
	if got := ranges(row.Cut); row.Graphs != 4 || got != "100, 110, 120, 130" {
		t.Errorf("%d graphs, cut off %s", row.Graphs, got)
	}
}
