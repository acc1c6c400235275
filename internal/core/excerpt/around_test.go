package excerpt_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
)

// TestAround: a step looks at a bounded number of objects. Objects that go between two steps are
// left out, and no other object takes their place. An unresolved reference leads to each object
// with its UID.
func TestAround(t *testing.T) {
	const n, budget = 2000, 50
	g := graph.New(graph.Config{})
	apply := func(e graph.Event) {
		t.Helper()
		if _, err := g.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	key := func(i int) graph.Key {
		return graph.Key{Kind: "pod", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("u", i))}
	}
	put := func(i int, owners ...graph.Owner) {
		t.Helper()
		apply(graph.Event{Type: graph.Put, Object: graph.Object{Key: key(i), Version: "1", Owners: owners}})
	}
	apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "pod"}}})
	put(0, graph.Owner{Key: graph.Key{Kind: "none", Name: "x", UID: "u5000"}, Unresolved: true})
	put(5000)
	for i := 1; i < n; i++ {
		put(i, graph.Owner{Key: key(0)})
	}
	root, _ := g.Lookup(key(0))
	var a excerpt.Around
	a.Start(g, root, 3*n)
	if a.Step(g, budget) {
		t.Fatal("one step has all")
	}
	if objects, _ := a.Objects(); len(objects) > budget {
		t.Errorf("a step takes %d objects", len(objects))
	}
	for i := 1; i < n; i += 2 {
		apply(graph.Event{Type: graph.Gone, Key: key(i)})
	}
	for i := range n / 2 { // in the places of those that went
		put(6000 + i)
	}
	for !a.Step(g, budget) {
	}
	a.Close(g)
	objects, more := a.Objects()
	got := map[string]bool{}
	for _, o := range objects {
		got[o.Name] = true
	}
	if len(objects) != n/2+1 || len(got) != n/2+1 || more || !got["5000"] || !got["2"] || got["1"] || got["6000"] {
		t.Errorf("%d objects, %d of them different, more %t, want %d", len(objects), len(got), more, n/2+1)
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}

// TestAroundOneUID: many unresolved references to one UID look at the nodes of that UID once. The
// allocations tell it.
func TestAroundOneUID(t *testing.T) {
	const refs, nodes = 500, 500
	g := graph.New(graph.Config{})
	put := func(name string, refs int, unresolved bool) graph.Key {
		t.Helper()
		o := graph.Object{Key: graph.Key{Kind: "pod", Name: name, UID: graph.UID(name)}, Version: "1"}
		for i := range refs {
			k := graph.Key{Kind: graph.Kind(fmt.Sprint(name, i)), Name: fmt.Sprint(name, i), UID: "one"}
			o.Owners = append(o.Owners, graph.Owner{Key: k, Unresolved: unresolved})
		}
		if _, err := g.Apply(graph.Event{Type: graph.Put, Object: o}); err != nil {
			t.Fatal(err)
		}
		return o.Key
	}
	if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "pod"}}}); err != nil {
		t.Fatal(err)
	}
	put("phantoms", nodes, false)
	object := put("claims", refs, true)
	one := put("one", 0, false)
	n, _ := g.Lookup(object)
	var a excerpt.Around
	allocs := testing.AllocsPerRun(1, func() {
		a.Start(g, n, 10)
		for !a.Step(g, 50) {
		}
		a.Close(g)
	})
	if objects, _ := a.Objects(); len(objects) != 2 || objects[1].Key != one {
		t.Errorf("objects %v", objects)
	}
	if allocs > refs {
		t.Errorf("%v allocations for %d references", allocs, refs)
	}
}
