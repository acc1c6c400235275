package graph

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCursor: a cursor visits each dependent that refers to the node from the beginning to
// the end of its walk, while others come and go.
func TestCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := New(Config{})
		version := 0
		do := func(ev Event) {
			if _, err := g.Apply(ev); err != nil {
				t.Fatal(err)
			}
		}
		k := func(i int) Key {
			return Key{Kind: "k", Name: fmt.Sprint(i), UID: UID(fmt.Sprint("u", i))}
		}
		do(Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "k"}}})
		change := func(i int) {
			version++
			o := Object{Key: k(i), Version: Version(fmt.Sprint(version))}
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				do(Event{Type: Gone, Key: k(i)})
				return
			case 1:
				o.Owners = []Owner{{Key: k(0)}, {Key: k(9)}}
			case 2:
				o.Owners = []Owner{{Key: k(0), Unresolved: true}}
			}
			do(Event{Type: Put, Object: o})
		}
		do(Event{Type: Put, Object: Object{Key: k(0), Version: "1"}})
		for i := range 8 {
			change(1 + i)
		}
		root, _ := g.Lookup(k(0))
		var c Cursor
		g.OpenCursor(&c)
		defer g.CloseCursor(&c)
		stay := dependentsOf(root)
		c.Start(g, root.ID())
		seen := map[Key]bool{}
		for {
			id, ok := c.Next(g)
			if !ok {
				break
			}
			seen[g.Node(id).Key()] = true
			if rapid.Bool().Draw(t, "meanwhile") {
				i := rapid.IntRange(1, 8).Draw(t, "object")
				change(i)
				stay = slices.DeleteFunc(stay, func(d Key) bool { return d == k(i) })
			}
		}
		for _, d := range stay {
			if !seen[d] {
				t.Fatalf("the cursor has not visited %s", d)
			}
		}
	})
}

func dependentsOf(n Node) (out []Key) {
	for d := range n.Dependents() {
		out = append(out, d.Key())
	}
	return out
}

// TestSameUID: the nodes with one UID know each other, in every state. Other nodes
// have none.
func TestSameUID(t *testing.T) {
	g := New(Config{})
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "k"}, {Kind: "x"}}})
	put(t, g, "k/a@u#1; k/b#1 -> k/wrong@u; k/c#1 -> x/wrong@u; k/d#1 -> k/a@u?; k/e#1")
	for _, c := range []struct {
		key    Key
		others int
		reason string
	}{
		{Key{Kind: "k", Name: "a", UID: "u"}, 3, "two phantoms and the claim"},
		{Key{Kind: "k", Name: "wrong", UID: "u"}, 3, "the object, the other phantom, the claim"},
		{Key{UID: "u"}, 3, "the claim has them, too"},
		{Key{Kind: "k", Name: "e", UID: "k/e"}, 0, "its UID is its own"},
	} {
		n, ok := g.Lookup(c.key)
		if !ok {
			t.Fatalf("no node for %s", c.key)
		}
		if got := n.inner().SameUID(); len(got) != c.others || slices.Contains(got, n.ID()) {
			t.Errorf("%s: %d others, want %d: %s", c.key, len(got), c.others, c.reason)
		}
		if one, ok := g.inner().OfUID(c.key.UID); !ok || one.Key().UID != c.key.UID || len(one.inner().SameUID()) != c.others {
			t.Errorf("%s: the node of its UID is %s: %s", c.key, one.Key(), c.reason)
		}
	}
	if n, ok := g.inner().OfUID("none"); ok {
		t.Errorf("%s has a UID that no node has", n.Key())
	}
}
