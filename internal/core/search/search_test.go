package search

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/history"
)

// TestSearch: a search finds the object of a name in slices, also if the graph changes between its steps.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		reason  string
		objects string
		gone    graph.UID // after the first step
		key     graph.Key
		uid     graph.UID
		err     error
	}{
		{"one object has the name", "a/y@1#1; a/x@2#1", "", graph.Key{Kind: "a", Name: "x"}, "2", nil},
		{"a live object goes before a reference", "a/x@1#1; b/z@2#1 -> a/x@3", "", graph.Key{Kind: "a", Name: "x"}, "1", nil},
		{"only a reference names it", "b/z@2#1 -> a/x@3", "", graph.Key{Kind: "a", Name: "x"}, "3", nil},
		{"two objects have the name", "a/x@1#1; a/x@2#1", "", graph.Key{Kind: "a", Name: "x"}, "", graph.ErrInvalid},
		{"one of the two has gone since", "a/x@1#1; a/x@2#1; b/z@3#1", "1", graph.Key{Kind: "a", Name: "x"}, "2", nil},
		{"no object has the name", "a/x@1#1", "", graph.Key{Kind: "a", Name: "y"}, "", graph.ErrNotFound},
		{"a full key is its own answer", "a/x@1#1", "", graph.Key{Kind: "a", Name: "y", UID: "9"}, "9", nil},
		{"the kind is empty", "a/x@1#1", "", graph.Key{Name: "y"}, "", graph.ErrInvalid},
		{"the name is empty", "a/x@1#1", "", graph.Key{Kind: "a"}, "", graph.ErrInvalid},
	} {
		g, h := graph.New(graph.Config{}), history.New(100)
		apply := func(ev graph.Event) {
			t.Helper()
			if _, err := g.Apply(ev); err != nil {
				t.Fatal(err)
			}
		}
		apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}})
		objects, err := graph.Parse(c.objects)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			apply(graph.Event{Type: graph.Put, Object: o})
		}
		s, steps := New(c.key), 0
		for err = nil; !s.Done() && err == nil; steps++ {
			err = s.Step(g, &h, 1)
			if c.gone != "" && steps == 1 { // both are found
				apply(graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "a", Name: "x", UID: c.gone}})
			}
		}
		found := graph.Key{}
		if err == nil {
			found, err = s.Choose()
		}
		if found.UID != c.uid || !errors.Is(err, c.err) || err == nil && c.key.UID == "" && steps < 2 {
			t.Errorf("%s: %s after %d steps, error %v", c.reason, found, steps, err)
		}
	}
}
