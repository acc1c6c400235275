package graph_test

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A dependent is observed before its owner. Only the observed end of the owner proves
// that the owner is gone.
func Example() {
	g := graph.New(graph.Config{})
	objects, err := graph.Parse("pod/shop/web-1#7 -> set/shop/web!^; set/shop/web#3")
	check(err)
	pod, set := objects[0], objects[1]

	for _, e := range []graph.Event{
		{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "pod", Scoped: true}, {Kind: "set", Scoped: true}}},
		{Type: graph.Put, Object: pod},
		{Type: graph.Put, Object: set},
		{Type: graph.Gone, Key: set.Key},
	} {
		_, err := g.Apply(e)
		check(err)
		if n, ok := g.Lookup(pod.Key); ok {
			owner, _ := n.OwnerNode(0)
			r := n.Reference(0)
			fmt.Printf("%s: the owner is %s, the reference %s (%s)\n", e.Type, owner.State(), r.Class, r.Doubt)
		}
	}
	// Output:
	// put: the owner is phantom, the reference unknown (owner's kind not listed yet)
	// put: the owner is observed, the reference solid (unset)
	// gone: the owner is absent, the reference dangling (unset)
}

// The dependents of an owner are walked in steps. Dependents may come and go meanwhile.
func ExampleGraph_OpenCursor() {
	g := graph.New(graph.Config{})
	objects, err := graph.Parse("a#1; b#1 -> a; c#1 -> a; d#1 -> a")
	check(err)
	_, err = g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}, {Kind: "d"}}})
	check(err)
	for _, o := range objects {
		_, err := g.Apply(graph.Event{Type: graph.Put, Object: o})
		check(err)
	}

	a, _ := g.Lookup(objects[0].Key)
	var c graph.Cursor
	g.OpenCursor(&c)
	defer g.CloseCursor(&c)
	c.Start(g, a.ID())
	for d, ok := c.Next(g); ok; d, ok = c.Next(g) {
		fmt.Println(g.Node(d).Key())
		_, err := g.Apply(graph.Event{Type: graph.Gone, Key: objects[2].Key}) // c
		check(err)
	}
	// Output:
	// d
	// b
}

// The end of a listing proves that the other objects of the kind are gone.
func ExampleGraph_EndListing() {
	objects, err := graph.Parse("pod/shop/a#1; pod/shop/b#1; pod/shop/c#1")
	check(err)
	g, err := graph.Load(graph.Config{}, []graph.KindInfo{{Kind: "pod", Scoped: true}}, objects)
	check(err)
	for _, e := range []graph.Event{
		{Type: graph.ListBegun, Kind: "pod"},
		{Type: graph.Put, Object: objects[1]},
		{Type: graph.ListEnded, Kind: "pod"},
	} {
		_, err := g.Apply(e)
		check(err)
	}

	for _, gone := range g.EndListing("pod") {
		fmt.Println("gone:", gone)
		_, err := g.Apply(graph.Event{Type: graph.Gone, Key: gone})
		check(err)
	}
	for n := range g.Nodes() {
		fmt.Println("left:", n.Object())
	}
	// Output:
	// gone: pod/shop/c
	// gone: pod/shop/a
	// left: pod/shop/b#1
}

// A listing is a graph. An owner that is not in the listing is unknown, because only a read or an
// observed end proves its absence.
func ExampleLoad() {
	objects, err := graph.Parse("team/blue#1; repo/site#2 -> team/blue, team/red")
	check(err)
	g, err := graph.Load(graph.Config{}, []graph.KindInfo{{Kind: "team"}, {Kind: "repo"}}, objects)
	check(err)
	site, _ := g.Lookup(objects[1].Key)
	for i, r := range site.References() {
		fmt.Println(site.OwnerAt(i), r.Class, r.Doubt.Code())
	}

	_, err = graph.Load(graph.Config{}, []graph.KindInfo{{Kind: "team"}}, objects)
	fmt.Println(err)
	// Output:
	// team/blue solid Unset
	// team/red unknown Unobserved
	// load: apply put: repo/site: kind: not among the kinds known: invalid
}

// An admission check judges the owner references of an object before the store has it.
func ExampleGraph_Classify() {
	stored, err := graph.Parse("team/blue#1; team/red#2~[foreground]; repo/other/app#3")
	check(err)
	g, err := graph.Load(graph.Config{}, []graph.KindInfo{{Kind: "team"}, {Kind: "repo", Scoped: true}}, stored)
	check(err)

	o, err := graph.ParseObject("repo/shop/site -> team/blue, team/red, team/grey, repo/other/app")
	check(err)
	for _, r := range o.Owners {
		class, doubt := g.Classify(o.Scope, r)
		fmt.Println(r, class, doubt.Code())
	}
	// Output:
	// team/blue solid Unset
	// team/red waiting Unset
	// team/grey unknown Unobserved
	// repo/other/app unknown ForeignScope
}

// Two objects wait for each other in the foreground. No object waits for a reference to the third.
func ExampleGraph_Rings() {
	objects, err := graph.Parse("a#1~[foreground] -> b!; b#2~[foreground] -> a!; c#3~[foreground] -> a!")
	check(err)
	g, err := graph.Load(graph.Config{}, []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}, objects)
	check(err)
	for _, ring := range g.Rings() {
		for _, n := range ring {
			fmt.Println(n.Object())
		}
	}
	// Output:
	// a#1~[foreground] -> b!
	// b#2~[foreground] -> a!
}
