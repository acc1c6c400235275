package live

import (
	"testing"

	"github.com/ownergraph/ownergraph/engine"
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
		s.all = append(s.all, engine.Held{Key: o.Key})
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

// TestHeldOfContainer: the members of a container are below it with each propagation.
func TestHeldOfContainer(t *testing.T) {
	objects, err := graph.Parse("ns/s; pod/s/a; pod/t/b; pod/t/c -> pod/s/a")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []graph.KindInfo{{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor"}}, {Kind: "pod", Scoped: true}}
	s := Session{containers: newContainers(kinds, objects)}
	for _, o := range objects {
		s.all = append(s.all, engine.Held{Key: o.Key})
	}
	for _, p := range []graph.Propagation{graph.Background, graph.Orphan} {
		got := ""
		for _, h := range s.HeldOf(objects, []Deletion{{objects[0].Key, p}}) {
			got += h.Key.Name
		}
		if most := (Deletion{objects[0].Key, p}).maxGone(&s.containers, objects); got != "sac" || most != 3 {
			t.Errorf("%s: held %q, want sac; at most %d, want 3", p, got, most)
		}
	}
}
