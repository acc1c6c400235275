package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestAtPlace: a walk in slices finds every node of a name, observed or not, and no other.
func TestAtPlace(t *testing.T) {
	g := graph.New(graph.Config{})
	see := func(e graph.Event) {
		if _, err := g.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}})
	for _, text := range []string{"a/x@1#1", "a/x@2#1", "a/y@3#1 -> a/x@9", "b/x@4#1", "a/z@5#1 -> a/w@6"} {
		o, err := graph.ParseObject(text)
		if err != nil {
			t.Fatal(err)
		}
		see(graph.Event{Type: graph.Put, Object: o})
	}
	for _, c := range []struct {
		kind   graph.Kind
		name   string
		want   string
		reason string
	}{
		{"a", "x", "[1 2 9]", "two objects and a reference have the name"},
		{"b", "x", "[4]", "another kind has the name, too"},
		{"a", "w", "[6]", "only a reference has the name"},
		{"a", "v", "[]", "no node has the name"},
		{"c", "x", "[]", "no node has the kind"},
		{"", "x", "[]", "no node is without a kind"},
	} {
		uids := []graph.UID{}
		for from, more := graph.NodeID(0), true; more; more = from != 0 {
			var ids []graph.NodeID
			ids, from = g.Inside(inside.Key{}).AtPlace(graph.Key{Kind: c.kind, Name: c.name}, from, 2)
			for _, id := range ids {
				uids = append(uids, g.Node(id).Key().UID)
			}
		}
		slices.Sort(uids)
		if got := fmt.Sprint(uids); got != c.want {
			t.Errorf("%s/%s: %s, want %s: %s", c.kind, c.name, got, c.want, c.reason)
		}
	}
}

// TestAtUnknownKind: a kind that the graph does not know has no nodes, and claims are none.
func TestAtUnknownKind(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a; put a -> x@u?; put a/y -> none/x")
	for _, k := range []graph.Key{{Kind: "nosuch", Name: "x"}, {Kind: "nosuch"}, {Name: "x"}, {}} {
		for n := range w.At(k) {
			t.Errorf("%s yields %s", k, n.Key())
		}
		if ids, _ := w.Inside(inside.Key{}).AtPlace(k, 0, 100); len(ids) > 0 {
			t.Errorf("%s has nodes %v", k, ids)
		}
	}
}

// TestAt: a place has its nodes in any state and of any UID, and no others.
func TestAt(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b; put a/x@1; put a/x@2; put a/y -> a/x@9; put b/x")
	if got := names(w.At(graph.Key{Kind: "a", Name: "x"})); got != "a/x@9 a/x@2 a/x@1" {
		t.Errorf("at a/x are %s", got)
	}
}
