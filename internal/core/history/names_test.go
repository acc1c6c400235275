package history

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestNames: a number names the roots of its set, and tells whether the set has left out
// others. An end has all owners of the object, or tells that some are left out.
func TestNames(t *testing.T) {
	m, g := New(100), graph.New(graph.Config{})
	v := record.Nodes{Graph: g, Table: &record.Table{}}
	apply := func(ev graph.Event) {
		if ev.Type == graph.Gone {
			n, _ := g.Lookup(ev.Key)
			m.Draft(v, &End{Node: n.ID()})
		}
		if _, err := g.Inside(inside.Key{}).ApplyEvent(&ev); err != nil {
			t.Fatal(err)
		}
		m.Keep()
	}
	put := func(name string, owners ...string) graph.Key {
		o := graph.Object{Key: key(name), Version: "1"}
		for _, w := range owners {
			o.Owners = append(o.Owners, graph.Owner{Key: key(w)})
		}
		apply(graph.Event{Type: graph.Put, Object: o})
		return o.Key
	}
	apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "k"}}})
	var many []string
	for i := range maxOwners + 1 {
		many = append(many, fmt.Sprintf("r%02d", i))
		put(many[i])
	}
	put("lone")
	put("one", "r00")
	put("all", many...)
	for _, name := range []string{"one", "all", "lone"} {
		put("below-"+name, name) // so the graph keeps it
	}
	for _, r := range many {
		apply(graph.Event{Type: graph.Gone, Key: key(r)})
	}
	for _, c := range []struct {
		name, wanted      string
		found, whole, own bool
		owners            []string
		known             bool
		reason            string
	}{
		{"one", "r00", true, true, false, []string{"r00"}, true, "its owner is its root"},
		{"one", "r01", false, true, false, []string{"r00"}, true, "another is not"},
		{"all", "r00", true, false, false, many[:maxOwners], false, "the set has left out roots, and the end an owner"},
		{"all", "r16", false, false, false, many[:maxOwners], false, "this root is left out"},
		{"lone", "lone", false, true, true, nil, true, "it is its own root, and in no set"},
	} {
		if n, ok := g.Lookup(key(c.name)); ok && n.State() == graph.Observed {
			apply(graph.Event{Type: graph.Gone, Key: key(c.name)})
		}
		n, _ := g.Lookup(key(c.name))
		want := key(c.wanted)
		text := graph.Inside(inside.Key{}).AppendKey(nil, &want)
		found, whole, own := m.Names(v.State(n.ID()).Root, func(k []byte) bool { return string(k) == string(text) })
		if found != c.found || whole != c.whole || own != c.own {
			t.Errorf("found %v, whole %v, own %v: %s", found, whole, own, c.reason)
		}
		var names []string
		owners, known := m.Owners(key(c.name))
		for _, o := range owners {
			names = append(names, o.Name)
		}
		if known != c.known || !slices.Equal(names, c.owners) {
			t.Errorf("owners %v, known %v: %s", names, known, c.reason)
		}
	}
	for _, number := range []uint64{Unknown, firstSet + 1<<40} {
		if found, whole, own := m.Names(number, func([]byte) bool { return true }); found || own || whole != (number == Unknown) {
			t.Errorf("found %v, whole %v, own %v for %d, which has no set", found, whole, own, number)
		}
	}
	if _, ok := m.Owners(key("never")); ok {
		t.Error("an object that never was has owners at its end")
	}
}

func key(name string) graph.Key { return graph.Key{Kind: "k", Name: name, UID: graph.UID(name)} }
