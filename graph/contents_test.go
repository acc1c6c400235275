package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// containerKinds has two containers: each ns has the objects of a scope, and each def those of a
// kind with its name.
func containerKinds() []KindInfo {
	return []KindInfo{
		{Kind: "ns", Container: Container{Members: ScopeMembers, Actor: "the janitor"}},
		{Kind: "def", Container: Container{Members: KindMembers, Actor: "the server"}},
		{Kind: "a", Scoped: true, Definition: "x"},
		{Kind: "b", Scoped: true},
		{Kind: "c", Definition: "x"},
	}
}

// members returns the observed members of the object, by key.
func members(t testing.TB, g *Graph, container string) string {
	t.Helper()
	var c Cursor
	g.OpenCursor(&c)
	defer g.CloseCursor(&c)
	c.StartContents(g, at(t, g, container))
	return rest(g, &c)
}

func rest(g *Graph, c *Cursor) string {
	var list []string
	for id, ok := c.Next(g); ok; id, ok = c.Next(g) {
		if n := g.Node(id); n.State() == Observed {
			list = append(list, n.Key().String())
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestContents: a container has the observed objects of its scope, or of the kinds that it
// defines, and no others. Each member knows its containers.
func TestContents(t *testing.T) {
	for _, c := range []struct{ objects, container, want, reason string }{
		{"ns/s#1; a/s/1#1; b/s/2#1; a/r/3#1; c/4#1", "ns/s", "a/s/1 b/s/2", "a scope of several kinds"},
		{"ns/s#1; a/r/1#1", "ns/s", "", "another scope"},
		{"ns/s#1; a/s/1#1 -> b/s/2", "ns/s", "a/s/1", "a reference alone makes no object"},
		{"ns/s#1; a/s/1#1 -> b/r/2?", "ns/s", "a/s/1", "a claim on a UID has no scope, and is no member"},
		{"ns/t#1; a/s/1#1 -> b/r/2?", "ns/t", "", "no object is in the scope"},
		{"def/x#1; a/s/1#1; a/r/2#1; b/s/3#1; c/4#1", "def/x", "a/r/2 a/s/1 c/4", "two kinds of one definition"},
		{"def/y#1; a/s/1#1", "def/y", "", "a definition of no served kind"},
		{"b/s/s#1; a/s/1#1", "b/s/s", "", "no container"},
	} {
		g := New(Config{})
		apply(t, g, Event{Type: KindsKnown, Kinds: containerKinds()})
		put(t, g, c.objects)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		if got := members(t, g, c.container); got != c.want {
			t.Errorf("%s: %s has %q, want %q: %s", c.objects, c.container, got, c.want, c.reason)
		}
		if n := g.inner().CountContent(g.Node(at(t, g, c.container)).inner().Content()); n != len(strings.Fields(c.want)) {
			t.Errorf("%s: %d members, want %q: %s", c.objects, n, c.want, c.reason)
		}
		for _, m := range strings.Fields(c.want) {
			id := at(t, g, m)
			if !slices.Contains(g.Node(id).inner().Containers(), at(t, g, c.container)) {
				t.Errorf("%s does not know its container %s: %s", m, c.container, c.reason)
			}
		}
	}
}

// TestContentsDeclared: a set of kinds with another declaration changes the containers that
// exist.
func TestContentsDeclared(t *testing.T) {
	g := New(Config{})
	infos := containerKinds()
	infos[0].Container = Container{}
	apply(t, g, Event{Type: KindsKnown, Kinds: infos})
	put(t, g, "ns/s#1; a/s/1#1")
	for _, c := range []struct{ members, containers string }{{"", "[]"}, {"a/s/1", "[1]"}, {"", "[]"}} {
		if got := members(t, g, "ns/s"); got != c.members {
			t.Errorf("ns/s has %q, want %q", got, c.members)
		}
		if got := fmt.Sprint(g.Node(at(t, g, "a/s/1")).inner().Containers()); got != c.containers {
			t.Errorf("the containers are %s, want %s", got, c.containers)
		}
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		if infos[0].Container.Actor == "" {
			infos[0].Container = containerKinds()[0].Container
		} else {
			infos[0].Container = Container{}
		}
		apply(t, g, Event{Type: KindsKnown, Kinds: infos})
	}
}

// TestContainerFlaws: a flawed declaration refuses the set of kinds.
func TestContainerFlaws(t *testing.T) {
	for _, c := range []struct {
		container Container
		want      string
	}{
		{Container{Members: ScopeMembers}, "kinds[0].container.actor: empty"},
		{Container{Actor: "x"}, "kinds[0].container.members: unset"},
		{Container{Finalizer: "x"}, "kinds[0].container.members: unset"},
		{Container{Members: 9, Actor: "x"}, "kinds[0].container.members: unknown: membership(9)"},
	} {
		_, err := New(Config{}).Apply(Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "k", Container: c.container}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.container, err, c.want)
		}
	}
}

// TestContentsMeanwhile: objects come and go during a walk. The walk visits each member that
// stays from its beginning to its end, no member twice, and no other object.
func TestContentsMeanwhile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := New(Config{})
		see := func(e Event) {
			if _, err := g.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		see(Event{Type: KindsKnown, Kinds: containerKinds()})
		keys := []Key{{Kind: "c", Name: "1", UID: "c1"}, {Kind: "c", Name: "2", UID: "c2"}}
		for _, kind := range []Kind{"a", "b"} {
			for _, scope := range []string{"s", "r"} {
				for _, name := range []string{"1", "2"} {
					keys = append(keys, Key{Kind: kind, Scope: scope, Name: name, UID: UID(string(kind) + scope + name)})
				}
			}
		}
		container := Key{Kind: "ns", Name: "s", UID: "s"}
		is := func(k Key) bool { return k.Scope == "s" }
		if rapid.Bool().Draw(t, "definition") {
			container = Key{Kind: "def", Name: "x", UID: "x"}
			is = func(k Key) bool { return k.Kind != "b" }
		}
		see(Event{Type: Put, Object: Object{Key: container, Version: "1"}})
		live, stays := map[Key]bool{}, map[Key]bool{}
		change := func(label string) {
			k := rapid.SampledFrom(keys).Draw(t, label)
			if live[k] {
				see(Event{Type: Gone, Key: k})
				delete(live, k)
				delete(stays, k)
				return
			}
			live[k] = true
			see(Event{Type: Put, Object: Object{Key: k, Version: "1"}})
		}
		for range rapid.IntRange(0, 12).Draw(t, "before") {
			change("before")
		}
		for k := range live {
			stays[k] = is(k)
		}
		n, _ := g.Lookup(container)
		var c Cursor
		g.OpenCursor(&c)
		c.StartContents(g, n.ID())
		seen := map[Key]bool{}
		for id, ok := c.Next(g); ok; id, ok = c.Next(g) {
			k := g.Node(id).Key()
			if !is(k) || seen[k] && stays[k] {
				t.Fatalf("the walk visits %s", k)
			}
			seen[k] = true
			for range rapid.IntRange(0, 3).Draw(t, "meanwhile") {
				change("change")
			}
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
		}
		for k, yes := range stays {
			if yes && !seen[k] {
				t.Fatalf("the walk leaves %s out", k)
			}
		}
	})
}
