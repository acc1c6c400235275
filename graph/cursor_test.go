package graph

import (
	"testing"
)

// TestCursorsOutliveTheirNodes: the cursor of a pruning moves on when its node leaves the
// graph. Another node may get the id of that node.
func TestCursorsOutliveTheirNodes(t *testing.T) {
	g := New(Config{})
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "k"}, {Kind: "x"}}})
	put(t, g, "k/a#1; k/b#1; k/c#1")
	apply(t, g, Event{Type: ListBegun, Kind: "k"})
	apply(t, g, Event{Type: ListEnded, Kind: "k"})
	if id, _, _ := g.inner().Prune("k", 1); g.Node(id).Key().Name != "c" {
		t.Fatalf("the pruning begins at %s, want the newest", g.Node(id).Key())
	}
	apply(t, g, Event{Type: Gone, Key: Key{Kind: "k", Name: "b", UID: "k/b"}})
	put(t, g, "x/y#1")
	if err := g.Check(); err != nil {
		t.Error(err)
	}
	if id, _, _ := g.inner().Prune("k", 1); g.Node(id).Key().Name != "a" {
		t.Errorf("the pruning goes on at %s, want a: b is gone, and its place may be taken", g.Node(id).Key())
	}
}

// TestCursorLeavesClaim: the claim on the node's UID leaves the graph, and another node gets
// its id. The cursor does not visit the dependents of that node.
func TestCursorLeavesClaim(t *testing.T) {
	g := New(Config{})
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "k"}}})
	put(t, g, "k/r#1; k/a#1 -> k/r?")
	n, _ := g.Lookup(Key{Kind: "k", Name: "r", UID: "k/r"})
	var c Cursor
	g.OpenCursor(&c)
	defer g.CloseCursor(&c)
	c.Start(g, n.ID())
	apply(t, g, Event{Type: Gone, Key: Key{Kind: "k", Name: "a", UID: "k/a"}})
	put(t, g, "k/x#1; k/y#1; k/b#1 -> k/x, k/y")
	if id, ok := c.Next(g); ok {
		t.Errorf("the cursor visits %s", g.Node(id).Key())
	}
}
