package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/view"
)

// inSpace returns the containers of a text: each ns has the objects of its scope.
func inSpace(objects []graph.Object) (list []view.Container) {
	for _, o := range objects {
		if o.Kind != "ns" {
			continue
		}
		c := view.Container{Key: o.Key, Actor: "the janitor"}
		for _, m := range objects {
			if m.Scope == o.Name {
				c.Members = append(c.Members, m.Key)
			}
		}
		list = append(list, c)
	}
	return list
}

const spaced = `ns/s -> tenant/t; tenant/t; a/s/x; b/s/y -> a/s/x; c/s/z; d/r/w -> c/s/z`

// TestTreeWithMembers: the members of a container stand below it with the objects below them, and
// the container names their actor.
func TestTreeWithMembers(t *testing.T) {
	for _, c := range []struct{ objects, root, want, reason string }{
		{spaced, "ns/s", "tenant/t\n└── ns/s  (3 members end with it, by the janitor)\n    ├── a/s/x  (member)\n    │   └── b/s/y\n    └── c/s/z  (member)\n        └── d/r/w\n1 owner above it\n4 objects below it\n", "a member below a member has one line"},
		{spaced, "tenant/t", "tenant/t\n└── ns/s  (3 members end with it, by the janitor)\n    ├── a/s/x  (member)\n    │   └── b/s/y\n    └── c/s/z  (member)\n        └── d/r/w\n5 objects below it\n", "a container below the subject"},
		{spaced, "a/s/x", "a/s/x\n└── b/s/y\n1 object below it\n", "the container is no owner"},
		{"ns/s; a/r/x", "ns/s", "ns/s\n0 objects below it\n", "an empty container"},
		{"ns/s; a/s/x", "ns/s", "ns/s  (1 member ends with it, by the janitor)\n└── a/s/x  (member)\n1 object below it\n", "one member"},
		{"ns/s; a/s/x -> a/s/y; a/s/y -> a/s/x", "ns/s", "ns/s  (2 members end with it, by the janitor)\n└── a/s/x  (member; also owned by a/s/y)\n    └── a/s/y\n        └── a/s/x  (a ring: drawn above)\n2 objects below it\n", "a ring has one line below its container"},
		{"ns/s; a/s/x -> a/s/x", "ns/s", "ns/s  (1 member ends with it, by the janitor)\n└── a/s/x  (member; also owned by a/s/x)\n    └── a/s/x  (a ring: drawn above)\n1 object below it\n", "a member that owns itself"},
		{"ns/s; a/s/x -> ns/s", "ns/s", "ns/s  (1 member ends with it, by the janitor)\n└── a/s/x\n1 object below it\n", "a member that its container owns"},
		{"ns/s; a/s/x -> o/n; o/n", "ns/s", "ns/s  (1 member ends with it, by the janitor)\n└── a/s/x  (member; also owned by o/n)\n1 object below it\n", "an owner outside keeps no member"},
	} {
		objects := parse(t, c.objects)
		root, err := graph.ParseKey(c.root)
		if err != nil {
			t.Fatal(err)
		}
		if got := view.TreeWithMembers(objects, inSpace(objects), root, 0).Text(); got != c.want {
			t.Errorf("%s: %s\ngot\n%s\nwant\n%s", c.objects, c.reason, got, c.want)
		}
	}
	objects := parse(t, spaced)
	p := view.TreeWithMembers(objects, inSpace(objects), objects[0].Key, 0)
	for form, want := range map[string]string{
		"dot": `style="dashed", label="member"`, "mmd": "-.->|member|", "svg": "a/s/x is a member of ns/s",
	} {
		if got := forms(p)[form]; !strings.Contains(got, want) || !strings.Contains(strings.Join(strings.Fields(got), " "), "janitor") {
			t.Errorf("%s has no %q, or no actor:\n%s", form, want, got)
		}
	}
	strangers := []view.Container{{Key: graph.Key{Kind: "ns", Name: "gone"}, Members: []graph.Key{objects[0].Key}}, {Key: objects[0].Key, Members: []graph.Key{{Kind: "a", Name: "gone"}}}}
	if got, want := view.TreeWithMembers(objects, strangers, objects[2].Key, 0).Text(), view.Tree(objects, objects[2].Key, 0).Text(); got != want {
		t.Errorf("containers and members that are not there change the tree:\n%s\nwant\n%s", got, want)
	}
}

// TestTreeOfManyMembers: a picture has a bound, and counts the members beyond it.
func TestTreeOfManyMembers(t *testing.T) {
	objects := parse(t, "ns/s")
	for i := range 3000 {
		objects = append(objects, graph.Object{Key: graph.Key{Kind: "a", Scope: "s", Name: fmt.Sprint("x", i), UID: graph.UID(fmt.Sprint("u", i))}})
	}
	const folded = "ns/s  (3000 members end with it, by the janitor)\n└── a x 3000: s/x0, s/x1, s/x10 and 2997 more  (member)\n3000 objects below it\n"
	if got := view.TreeWithMembers(objects, inSpace(objects), objects[0].Key, 0).Text(); got != folded {
		t.Errorf("got\n%s\nwant\n%s", got, folded)
	}
	p := view.TreeWithMembers(objects, inSpace(objects), objects[0].Key, 1000)
	text := p.Text()
	for _, want := range []string{"3000 members end with it", "... and 2960 more a\n", "3000 objects below it\n2960 objects left out\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%.400s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n != 44 || p.Below() != 3000 {
		t.Errorf("%d lines and %d below, want 44 and 3000:\n%s", n, p.Below(), text)
	}
}

// TestPlanOfContainer: the members of a container that goes stand below it, with its actor.
func TestPlanOfContainer(t *testing.T) {
	objects := parse(t, "ns/s; a/s/x; b/s/y -> a/s/x")
	p := plan.Plan{Objects: []plan.Object{
		{Key: objects[0].Key, Outcome: plan.Removed, Root: true, Wave: 3},
		{Key: objects[1].Key, Outcome: plan.Removed, Container: objects[0].Key, Parent: objects[0].Key, Wave: 2},
		{Key: objects[2].Key, Outcome: plan.Removed, Container: objects[0].Key, Parent: objects[1].Key, Wave: 2},
	}}
	want := "ns/s  (goes in wave 3; deleted by the user)\n└── a/s/x  (member; goes in wave 2; by the actor of ns/s)\n    └── b/s/y  (goes in wave 2; by the actor of ns/s)\n" +
		"3 objects, 0 waves, 0 writes, at most 0 reads and 0 fences\n"
	if got := view.Plan(p, objects, 0).Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
