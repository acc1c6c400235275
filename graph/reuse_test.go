package graph

import (
	"fmt"
	"testing"
)

// TestReuseAfter: a free id names a node again after as many new nodes as ReuseAfter
// says. An id in use has no such number, nor has an id that was never used.
func TestReuseAfter(t *testing.T) {
	g := large(t)
	key := func(i int) Key {
		return Key{Kind: "a", Name: fmt.Sprint(i), UID: UID(fmt.Sprint("u", i))}
	}
	const many = 2*pageNodes + 10
	for i := range many {
		apply(t, g, Event{Type: Put, Object: Object{Key: key(i), Version: "1"}})
	}
	var free []NodeID
	for _, i := range []int{3, pageNodes + 1, 1, pageNodes + 7, many - 2, 2} {
		n, _ := g.Lookup(key(i))
		free = append(free, n.ID())
		apply(t, g, Event{Type: Gone, Key: key(i)})
	}
	for _, id := range free {
		c, want := g.Clone(), 0
		for !c.inner().InUse(id) {
			want++
			apply(t, c, Event{Type: Put, Object: Object{Key: key(many + want), Version: "1"}})
		}
		if got := g.inner().ReuseAfter(id); got != want {
			t.Errorf("node %d is used again after %d more, want %d", id, got, want)
		}
	}
	for _, id := range []NodeID{0, 5, NodeID(g.inner().Cap()), NodeID(g.inner().Cap()) + pageNodes} {
		if got := g.inner().ReuseAfter(id); got != 0 {
			t.Errorf("node %d is used again after %d more, want 0", id, got)
		}
	}
}

// TestEdgeOf: edgeOf returns a reference only if it still exists and is still that
// node's.
func TestEdgeOf(t *testing.T) {
	g := large(t)
	key := func(name string) Key { return Key{Kind: "a", Name: name, UID: UID(name)} }
	refs := func(names ...string) (out []Owner) {
		for _, n := range names {
			out = append(out, Owner{Key: key(n)})
		}
		return out
	}
	for _, o := range []Object{{Key: key("x")}, {Key: key("y")}, {Key: key("d"), Owners: refs("x", "y")}, {Key: key("e"), Owners: refs("y")}} {
		o.Version = "1"
		apply(t, g, Event{Type: Put, Object: o})
	}
	id := func(name string) NodeID {
		n, _ := g.Lookup(key(name))
		return n.ID()
	}
	first := g.firstEdge(id("d"))
	second := g.edge(first).nextOwner
	for _, c := range []struct {
		dep    NodeID
		edge   edgeID
		owner  string
		reason string
	}{
		{id("d"), first, "x", "its first"},
		{id("d"), second, "y", "its second"},
		{id("e"), first, "", "another node's first"},
		{id("e"), second, "", "another node's second"},
		{id("x"), edgeID(id("x")), "", "it has no reference"},
		{NodeID(g.inner().Cap()), edgeID(g.inner().Cap()), "", "no node has the id"},
		{id("d"), furtherEdge | edgeID(g.edges.len()), "", "there are fewer"},
		{id("d"), furtherEdge | edgeID(g.edges.len()+pageNodes), "", "there are far fewer"},
	} {
		e, ok := g.edgeOf(c.dep, c.edge)
		if ok != (c.owner != "") || ok && g.Node(e.owner).Key() != key(c.owner) {
			t.Errorf("edge %x of node %d: %+v, %v: %s", c.edge, c.dep, e, ok, c.reason)
		}
	}
}
