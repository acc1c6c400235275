package excerpt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
	"pgregory.net/rapid"
)

// TestCopyMeanwhile: objects come, change and go between the steps of a copy. Its parts at
// the end are those of the graph at that moment. Every object below the root is a member
// (RULES, P1).
func TestCopyMeanwhile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(0, 30).Draw(t, "before") {
			w.change(t)
		}
		root, ok := w.g.Lookup(key(0))
		if !ok || root.State() != graph.Observed {
			return
		}
		c := New(w.g)
		defer c.Close(w.g)
		w.copies = []*Copy{c}
		c.Add(root.ID())
		for left := rapid.IntRange(0, 40).Draw(t, "meanwhile"); ; left-- {
			done := c.Step(w.view(), rapid.IntRange(1, 9).Draw(t, "budget"))
			if done && left <= 0 {
				break
			}
			if left > 0 {
				w.change(t)
			}
		}
		if err := c.Check(w.view()); err != nil {
			t.Fatal(err)
		}
		if n, ok := w.g.Lookup(key(0)); ok && n.ID() == root.ID() && n.State() == graph.Observed {
			w.checkMembers(t, c)
		}
	})
}

// TestCopyRestricted: the copy of an object has the object that it restricts, and everything below that one
// if it has to go. Another object may begin to restrict it meanwhile.
func TestCopyRestricted(t *testing.T) {
	for _, tc := range []struct {
		graph, late, want string
		reason            string
	}{
		{"a -> b:restrict; b -> x; c -> b", "", "[a b c]", "b has to go"},
		{"a -> b:restrict; b~*; c -> b", "", "[a b c]", "b is marked"},
		{"a -> b:restrict; b; c -> b", "", "[a]", "nothing deletes b"},
		{"a -> b:restrict; b -> d; c -> b; d", "", "[a]", "an owner keeps b"},
		{"a -> b:release; b -> x; c -> b", "", "[a]", "a does not restrict b"},
		{"a -> b:restrict; b -> x, d:restrict; c -> b; d -> x; e -> d", "", "[a b c d e]", "the end of b ends a restriction, too"},
		{"a -> b:release; b -> x; c -> b", "d -> b:restrict", "[a b c d]", "another object restricts b meanwhile"},
	} {
		g := graph.New(graph.Config{Policies: true})
		w := &world{g: g}
		apply := func(text string) {
			list, err := graph.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range list {
				o.Version = graph.Version(fmt.Sprint(i + 1))
				d, err := g.Inside(inside.Key{}).ApplyEvent(&graph.Event{Type: graph.Put, Object: o})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range w.copies {
					c.Observe(w.view(), d)
				}
			}
		}
		infos := []graph.KindInfo{}
		for _, k := range []graph.Kind{"a", "b", "c", "d", "e"} {
			infos = append(infos, graph.KindInfo{Kind: k})
		}
		if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: infos}); err != nil {
			t.Fatal(err)
		}
		apply(tc.graph)
		c := New(g)
		w.copies = []*Copy{c}
		root, _ := g.Lookup(graph.Key{Kind: "a", Name: "a", UID: "a"})
		c.Add(root.ID())
		for !c.Step(w.view(), 1) {
		}
		if tc.late != "" {
			apply(tc.late)
			for !c.Step(w.view(), 1) {
			}
		}
		var got []string
		for _, p := range c.Take() {
			if p.Member && p.State == Exists {
				got = append(got, p.Object.Name)
			}
		}
		if fmt.Sprint(got) != tc.want {
			t.Errorf("%s: members %v, want %s: %s", tc.graph, got, tc.want, tc.reason)
		}
	}
}

// TestCopyLoose: from some step on, a change of the graph follows each step, and never ends.
// A loose copy ends all the same. It has every part that it began with and that is still in
// the graph, and each has its key.
func TestCopyLoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(10, 30).Draw(t, "before") {
			w.change(t)
		}
		c := New(w.g)
		defer c.Close(w.g)
		w.copies = []*Copy{c}
		for n := range w.g.Nodes() {
			c.Add(n.ID())
		}
		begun := c.Len()
		c.Loosen()
		for steps := 0; !c.Step(w.view(), 1); steps++ {
			if steps > 100*begun {
				t.Fatalf("%d parts of %d after %d steps", c.Len(), begun, steps)
			}
			w.change(t)
		}
		for id := range c.parts {
			if !w.g.Inside(inside.Key{}).InUse(id) {
				t.Fatalf("node %d is no part of the graph", id)
			}
		}
		for _, p := range c.Take() {
			if p.State == StateUnset || p.Object.Key == (graph.Key{}) {
				t.Fatalf("a part has the key %s and the state %s", p.Object.Key, p.State)
			}
		}
	})
}

// world is a graph of few objects that changes at random.
type world struct {
	g       *graph.Graph
	table   record.Table
	copies  []*Copy
	version int
}

func newWorld(t *rapid.T) *world {
	w := &world{g: graph.New(graph.Config{})}
	w.apply(t, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{
		{Kind: "k", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor"}}, {Kind: "s", Scoped: true},
	}})
	return w
}

func (w *world) view() View { return View{Nodes: record.Nodes{Graph: w.g, Table: &w.table}} }

func (w *world) apply(t *rapid.T, ev graph.Event) {
	d, err := w.g.Inside(inside.Key{}).ApplyEvent(&ev)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range w.copies {
		c.Observe(w.view(), d)
	}
}

func key(i int) graph.Key {
	name := string(rune('a' + i))
	return graph.Key{Kind: "k", Name: name, UID: graph.UID("u" + name)}
}

// change puts an object with random owners, or removes one. Some references are not
// resolved, and some objects are marked.
func (w *world) change(t *rapid.T) {
	k := key(rapid.IntRange(0, 7).Draw(t, "object"))
	if rapid.IntRange(0, 3).Draw(t, "scoped") == 0 {
		k = graph.Key{Kind: "s", Scope: k.Name, Name: k.Name, UID: "s" + k.UID}
	}
	if rapid.IntRange(0, 3).Draw(t, "gone") == 0 && k != key(0) {
		w.apply(t, graph.Event{Type: graph.Gone, Key: k})
		return
	}
	w.version++
	o := graph.Object{Key: k, Version: graph.Version(fmt.Sprint(w.version)), Deleting: rapid.IntRange(0, 5).Draw(t, "marked") == 0}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, 7), 0, 3, rapid.ID).Draw(t, "owners") {
		r := graph.Owner{Key: key(i), Unresolved: rapid.IntRange(0, 4).Draw(t, "unresolved") == 0}
		o.Owners = append(o.Owners, r)
	}
	w.apply(t, graph.Event{Type: graph.Put, Object: o})
}

// checkMembers walks the graph below the root by brute force.
func (w *world) checkMembers(t *rapid.T, c *Copy) {
	below := map[graph.UID]bool{key(0).UID: true}
	for grown := true; grown; {
		grown = false
		for n := range w.g.Nodes() {
			o := n.Object()
			named := slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return below[r.UID] }) || o.Scope != "" && below[graph.UID("u"+o.Scope)]
			if n.State() == graph.Observed && !below[o.UID] && named {
				below[o.UID], grown = true, true
			}
		}
	}
	for n := range w.g.Nodes() {
		if n.State() == graph.Observed && below[n.Key().UID] && !c.Has(n.ID()) {
			t.Fatalf("%s is below the root, and no member", n.Key())
		}
	}
}
