package observed

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestCursorsOutliveTheirNodes: the cursor of a pruning moves on when its node leaves the
// graph. Another node may get the id of that node.
func TestCursorsOutliveTheirNodes(t *testing.T) {
	g := New(Config{})
	apply(t, g, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "k"}, {Kind: "x"}}})
	put(t, g, "k/a#1; k/b#1; k/c#1")
	apply(t, g, graph.Event{Type: graph.ListBegun, Kind: "k"})
	apply(t, g, graph.Event{Type: graph.ListEnded, Kind: "k"})
	if id, _, _ := g.Prune("k", 1); g.Node(id).Key().Name != "c" {
		t.Fatalf("the pruning begins at %s, want the newest", g.Node(id).Key())
	}
	apply(t, g, graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "k", Name: "b", UID: "k/b"}})
	put(t, g, "x/y#1")
	if err := g.Check(); err != nil {
		t.Error(err)
	}
	if id, _, _ := g.Prune("k", 1); g.Node(id).Key().Name != "a" {
		t.Errorf("the pruning goes on at %s, want a: b is gone, and its place may be taken", g.Node(id).Key())
	}
}
