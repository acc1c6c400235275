package graph_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func parse(t testing.TB, text string) []graph.Object {
	t.Helper()
	list, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLoad: the graph of a listing has its objects, all kinds are listed, and an owner that the
// listing does not have is not observed.
func TestLoad(t *testing.T) {
	g, err := graph.Load(graph.Config{}, kinds("a b+ c a"), parse(t, "a#1; b/s/x#1 -> a, a/none"))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	n, ok := g.Lookup(parse(t, "b/s/x")[0].Key)
	if !ok || g.Observed() != 2 {
		t.Fatalf("%d objects are observed, want 2, and b is among them", g.Observed())
	}
	if r := n.Reference(0); r.Class != graph.Solid {
		t.Errorf("the owner in the listing is %s, want solid", r.Class)
	}
	if r := n.Reference(1); r.Class != graph.Unknown || r.Doubt != graph.Unobserved {
		t.Errorf("the other owner is %s (%s), want unknown (unobserved)", r.Class, r.Doubt)
	}
	for _, k := range g.Kinds() {
		if !k.Known || !k.Listed {
			t.Errorf("kind %s is known %v and listed %v, want both", k.Kind, k.Known, k.Listed)
		}
	}
}

// TestLoadErrors: a listing that no store has is refused, and the error names object and field.
func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ kinds, objects, want, reason string }{
		{"a", "a#1; a#2", "load a: listed twice", "two objects with one key"},
		{"a", "b#1", "b: kind: not among the kinds known", "a kind that the listing does not name"},
		{"a", "a", "a: version: empty", "an object without a version"},
		{"a+", "a#1", "a: scope: empty", "a scoped kind"},
		{"a a+", "", "two different descriptions", "two descriptions of one kind"},
	} {
		var objects []graph.Object
		for text := range strings.SplitSeq(c.objects, "; ") {
			objects = append(objects, parse(t, text)...)
		}
		g, err := graph.Load(graph.Config{}, kinds(c.kinds), objects)
		if g != nil || !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("kinds %q, objects %q: error %v, want ErrInvalid and %q: %s", c.kinds, c.objects, err, c.want, c.reason)
		}
	}
}

// TestEndListing: the objects that a new listing does not bring are named once, and only after its end.
func TestEndListing(t *testing.T) {
	g, err := graph.Load(graph.Config{}, kinds("a b"), parse(t, "a/x#1; a/y#1; b#1 -> a/x"))
	if err != nil {
		t.Fatal(err)
	}
	do := func(e graph.Event) {
		t.Helper()
		if _, err := g.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	do(graph.Event{Type: graph.ListBegun, Kind: "a"})
	if gone := g.EndListing("a"); gone != nil {
		t.Errorf("a listing that has not ended proves the end of %v", gone)
	}
	do(graph.Event{Type: graph.Put, Object: parse(t, "a/y#2")[0]})
	do(graph.Event{Type: graph.ListEnded, Kind: "a"})
	gone := g.EndListing("a")
	if len(gone) != 1 || gone[0].Name != "x" {
		t.Fatalf("gone are %v, want a/x", gone)
	}
	do(graph.Event{Type: graph.Gone, Key: gone[0]})
	if again := g.EndListing("a"); again != nil {
		t.Errorf("a second EndListing names %v", again)
	}
	n, _ := g.Lookup(parse(t, "b")[0].Key)
	if r := n.Reference(0); r.Class != graph.Dangling {
		t.Errorf("the owner is %s after its end, want dangling", r.Class)
	}
	if g.EndListing("none") != nil {
		t.Error("a kind that no listing has brought proves an end")
	}
}
