package history

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
)

// TestAskRoots: a question about roots has the answer of RootOf, and changes no set and no node. It
// reports whether RootOf does. If some roots are not known, the rest is among them.
func TestAskRoots(t *testing.T) {
	m, g := New(100), graph.New(graph.Config{})
	v := record.Nodes{Graph: g, Table: &record.Table{}}
	apply := func(ev graph.Event) {
		t.Helper()
		if _, err := g.Apply(ev); err != nil {
			t.Fatal(err)
		}
	}
	apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "k"}}})
	long := strings.Repeat("x", maxText)
	many := make([]string, 0, MaxRoots+1)
	for i := range MaxRoots + 1 {
		many = append(many, fmt.Sprint("r", i))
	}
	rest, cache := key("rest"), RootCache{}
	const gone, solid, unknown = graph.Dangling, graph.Solid, graph.Unknown
	for _, c := range []struct {
		reason string
		owners []string
		class  graph.Class
		root   uint64 // of the owners
		keys   int
		cut    bool
		fixes  bool
	}{
		{"without an owner", nil, gone, Unknown, 1, false, false},
		{"beside a solid owner", []string{"s"}, solid, Unknown, 1, false, false},
		{"below an owner that is unknown", []string{"u"}, unknown, Unknown, 1, true, true},
		{"below an owner of unknown root", []string{"a"}, gone, Unknown, 1, false, true},
		{"below a root", []string{"b"}, gone, Self, 1, false, true},
		{"below two roots", []string{"c", "d"}, gone, Self, 2, false, true},
		{"below too many roots", many, gone, Self, MaxRoots + 1, true, true},
		{"below a root with a long name", []string{long}, gone, Self, 1, true, true},
	} {
		o := graph.Object{Key: key("o " + c.reason), Version: "1"}
		in := &policy.Facts{}
		for _, w := range c.owners {
			o.Owners = append(o.Owners, graph.Owner{Key: key(w)})
			in.Owners = append(in.Owners, policy.OwnerFacts{Class: c.class})
		}
		in.References = len(c.owners)
		apply(graph.Event{Type: graph.Put, Object: o})
		n, _ := g.Lookup(o.Key)
		for i := range c.owners {
			v.Edit(v.OwnerID(n.ID(), i)).Root = c.root
		}
		for round := range 3 {
			sets, table := m.sets.clone(), v.Table.Clone()
			roots, fixes := m.AskRoots(v, n.ID(), in, rest, &RootCache{})
			if !reflect.DeepEqual(sets, m.sets.clone()) || !reflect.DeepEqual(table, v.Table.Clone()) {
				t.Errorf("%s: the question changes a set or a node", c.reason)
			}
			if len(roots) != c.keys || slices.Contains(roots, rest) != c.cut || fixes != (c.fixes && round == 0) {
				t.Errorf("%s, round %d: %v, fixes %t", c.reason, round, roots, fixes)
			}
			cached, _ := m.AskRoots(v, n.ID(), in, rest, &cache)
			root := m.AskRoot(v, n.ID(), in)
			number := m.RootOf(v, n.ID(), in)
			if want := m.RootAt(n, number); !reflect.DeepEqual(root, want) {
				t.Errorf("%s, round %d: %+v, want %+v", c.reason, round, root, want)
			}
			if want := m.FixRoots(v, n.ID(), in, rest, &RootCache{}); !slices.Equal(roots, want) || !slices.Equal(cached, want) {
				t.Errorf("%s, round %d: %v, with a cache %v, want %v", c.reason, round, roots, cached, want)
			}
		}
	}
}
