package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestContentsOfVanishedKind: a kind that is no longer served keeps its nodes. They are members of
// their definition until their ends, as they are members of their scope. A kind without a node
// leaves the definition, also where the ids of kinds are used again or cut off.
func TestContentsOfVanishedKind(t *testing.T) {
	g := New(Config{})
	infos := containerKinds()
	for i := range 300 {
		infos = append(infos, KindInfo{Kind: Kind(fmt.Sprint("empty", i)), Definition: "x"})
	}
	apply(t, g, Event{Type: KindsKnown, Kinds: infos})
	put(t, g, "def/x#1; a/s/1#1; c/4#1")
	want := func(list string) {
		t.Helper()
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		got, n := members(t, g, "def/x"), g.inner().CountContent(Content{KindMembers, "x"})
		if got != list || n != len(strings.Fields(list)) {
			t.Errorf("def/x has %d members: %q, want %q", n, got, list)
		}
	}
	want("a/s/1 c/4")
	for _, k := range infos[2:] {
		if k.Kind != "b" {
			apply(t, g, Event{Type: KindVanished, Kind: k.Kind})
		}
	}
	want("a/s/1 c/4")
	put(t, g, "b/s/5#1 -> invented/s/1") // it takes the id of a kind that has gone
	want("a/s/1 c/4")
	apply(t, g, Event{Type: KindsKnown, Kinds: infos[:2]})
	want("a/s/1 c/4")
	apply(t, g, Event{Type: KindsKnown, Kinds: append(slices.Clone(infos[:2]), KindInfo{Kind: "c", Definition: "y"})})
	want("a/s/1")
}

// TestContentsOfAnotherDefinition: a kind gets another definition during a walk over the members of
// the first one. The walk visits no member of the other one, and goes on to the later kinds of the
// first one.
func TestContentsOfAnotherDefinition(t *testing.T) {
	g := New(Config{})
	infos := append(containerKinds(), KindInfo{Kind: "d", Definition: "y"})
	apply(t, g, Event{Type: KindsKnown, Kinds: infos})
	put(t, g, "def/x#1; a/s/1#1; a/s/2#1; c/3#1; d/4#1")
	var c Cursor
	g.OpenCursor(&c)
	c.StartContents(g, at(t, g, "def/x"))
	c.Next(g)
	infos[2].Definition = "y"
	apply(t, g, Event{Type: KindsKnown, Kinds: infos})
	if got := rest(g, &c); strings.Contains(got, "d/4") || !strings.Contains(got, "c/3") {
		t.Errorf("the walk over the members of def/x goes on to %s, want c/3 and not d/4", got)
	}
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
}

// TestContentsOfManyKinds: a definition may have many kinds. Each kind knows its place among them, so
// that no step of a walk over the members looks for it in the list of all.
func TestContentsOfManyKinds(t *testing.T) {
	g := New(Config{})
	infos, objects := containerKinds()[1:2], []string{"def/x#1"}
	for i := range 3000 {
		infos = append(infos, KindInfo{Kind: Kind(fmt.Sprintf("k%04d", i)), Definition: "x"})
		objects = append(objects, fmt.Sprintf("k%04d/1#1", i))
	}
	apply(t, g, Event{Type: KindsKnown, Kinds: infos})
	put(t, g, strings.Join(objects, "; "))
	if err := g.Check(); err != nil { // it compares the places
		t.Fatal(err)
	}
	if got := len(strings.Fields(members(t, g, "def/x"))); got != 3000 {
		t.Errorf("%d members, want 3000", got)
	}
}
