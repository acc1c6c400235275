package live

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestHeldOf: a held object counts if a deletion is about it.
func TestHeldOf(t *testing.T) {
	objects, err := graph.Parse("pod/s/a; pod/s/b -> pod/s/a; pod/s/c -> pod/s/b; pod/s/d")
	if err != nil {
		t.Fatal(err)
	}
	s := Session{}
	for _, o := range objects[1:] {
		s.holds = append(s.holds, ownergraph.Held{Key: o.Key})
	}
	at := func(i int, p graph.Propagation) Deletion { return Deletion{objects[i].Key, p} }
	for _, c := range []struct {
		todo   []Deletion
		want   string
		reason string
	}{
		{nil, "bcd", "without a deletion the collector is asked about every object"},
		{[]Deletion{at(0, graph.Background)}, "bc", "the objects below, at any depth"},
		{[]Deletion{at(0, graph.Orphan)}, "", "the dependents of an orphan deletion stay"},
		{[]Deletion{at(1, graph.Orphan)}, "b", "its own object has to go"},
		{[]Deletion{at(3, graph.Foreground), at(2, graph.Background)}, "cd", "several deletions"},
	} {
		got := ""
		for _, h := range s.HeldOf(objects, c.todo) {
			got += h.Key.Name
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q: %s", c.todo, got, c.want, c.reason)
		}
	}
}
