package graph

import (
	"strings"
	"testing"
)

// sample returns a graph with something of everything: references, phantoms,
// an absent node, twins, a fan-out and a sweep under way, and free records.
func sample(t *testing.T) *Graph {
	t.Helper()
	g := New(Config{})
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "pod", Scoped: true}}})
	put(t, g, "a#1; b#1 -> a!, pod/s/x; pod/s/y#1 -> a, gone; pod/s/twin@a#1; pod/s/third@a#1; b/last#1 -> last/phantom")
	apply(t, g, Event{Type: ListBegun, Kind: "b"})
	put(t, g, "b/old#1 -> old/phantom, pod/s/x; b/older#1")
	for _, k := range []string{"b/old", "b/older", "pod/s/x"} {
		key, err := ParseKey(k)
		if err != nil {
			t.Fatal(err)
		}
		apply(t, g, Event{Type: Gone, Key: key})
	}
	apply(t, g, Event{Type: ListEnded, Kind: "b"})
	g.Fan(at(t, g, "a"))
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	return g
}

func apply(t testing.TB, g *Graph, e Event) Delta {
	t.Helper()
	d, err := g.Apply(e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func put(t testing.TB, g *Graph, objects string) {
	t.Helper()
	list, err := Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		apply(t, g, Event{Type: Put, Object: o})
	}
}

func at(t testing.TB, g *Graph, key string) NodeID {
	t.Helper()
	k, err := ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	n, ok := g.Lookup(k)
	if !ok {
		t.Fatalf("%s is not in the graph", key)
	}
	return n.ID()
}

// TestCheckNamesTheInvariant breaks each invariant by hand.
func TestCheckNamesTheInvariant(t *testing.T) {
	for _, tc := range []struct {
		want   string
		damage func(t *testing.T, g *Graph)
		reason string
	}{
		{"I1: a is not found under its key", func(t *testing.T, g *Graph) { g.byKey[g.nodes[at(t, g, "a")].obj.Key] = at(t, g, "b") },
			"a key leads to another node"},
		{"I1: a is not found under its key", func(t *testing.T, g *Graph) { delete(g.byKey, g.nodes[at(t, g, "a")].obj.Key) },
			"a key leads nowhere"},
		{"I1: 9 nodes, 10 keys; 6 observed, counted as 6", func(t *testing.T, g *Graph) { g.byKey[Key{Kind: "x"}] = at(t, g, "a") },
			"a node has two keys"},
		{"I1: 9 nodes, 9 keys; 6 observed, counted as 7", func(_ *testing.T, g *Graph) { g.observed++ },
			"the count of observed nodes is off"},
		{"I2: absent pod/s/x is in the list of UID \"pod/s/x\"", func(t *testing.T, g *Graph) { g.alive["pod/s/x"] = at(t, g, "pod/s/x") },
			"what is gone counts as alive"},
		{"I2: observed b is in the list of UID \"a\"", func(t *testing.T, g *Graph) { g.alive["a"] = at(t, g, "b") },
			"a UID leads to another's node"},
		{"I2: 6 observed, 5 found under their UIDs; 3 twins, 3 in lists", func(_ *testing.T, g *Graph) { delete(g.alive, "b") },
			"a UID leads nowhere"},
		{"I2: 6 observed, 6 found under their UIDs; 4 twins, 3 in lists", func(t *testing.T, g *Graph) { g.twins[at(t, g, "pod/s/x")] = twin{next: 1} },
			"a twin is in no list"},
		{"I2: observed pod/s/twin@a is in the list of UID \"a\"", func(t *testing.T, g *Graph) {
			g.twins[at(t, g, "pod/s/twin@a")] = twin{next: at(t, g, "a"), prev: at(t, g, "a")}
		}, "a link does not lead back"},
		{"I3: b: reference 0 has no edge, or another's", func(t *testing.T, g *Graph) { g.nodes[at(t, g, "b")].firstOwner = 0 },
			"a reference has no edge"},
		{"I3: b: reference 0 has no edge, or another's", func(t *testing.T, g *Graph) { g.edges[g.nodes[at(t, g, "b")].firstOwner].owner = at(t, g, "pod/s/y") },
			"a reference leads elsewhere"},
		{"I3: b: reference 0 has no edge, or another's", func(t *testing.T, g *Graph) { g.edges[g.nodes[at(t, g, "b")].firstOwner].block = false },
			"a reference has another flag"},
		{"I3: b: more edges than references", func(t *testing.T, g *Graph) { x := &g.nodes[at(t, g, "b")]; x.obj.Owners = x.obj.Owners[:1] },
			"a reference was dropped, its edge was not"},
		{"I3: a: its list of dependents is broken", func(t *testing.T, g *Graph) { g.edges[g.nodes[at(t, g, "a")].firstDep].prev = 1 },
			"a link does not lead back"},
		{"I3: a: its list of dependents is broken", func(t *testing.T, g *Graph) { g.nodes[at(t, g, "a")].firstDep = g.nodes[at(t, g, "pod/s/x")].firstDep },
			"another's dependents"},
		{"I3: 6 edges in use, 5 in lists of owners", func(_ *testing.T, g *Graph) { g.edges = append(g.edges, edge{owner: 1}) },
			"an edge is in no list"},
		{"I3: 5 edges in use, 3 in lists of dependents", func(t *testing.T, g *Graph) {
			x := &g.nodes[at(t, g, "a")]
			x.firstDep, x.fan, x.refs, x.blocks = 0, 0, 0, 0
		}, "references are in nobody's list"},
		{"I4: a: counts 3/1, holds 2/1", func(t *testing.T, g *Graph) { g.nodes[at(t, g, "a")].refs++ }, "the count of references is off"},
		{"I4: a: counts 2/0, holds 2/1", func(t *testing.T, g *Graph) { g.nodes[at(t, g, "a")].blocks-- }, "the count of blocking references is off"},
		{"I5: phantom pod/s/twin@a has no dependent", func(t *testing.T, g *Graph) { g.nodes[at(t, g, "pod/s/twin@a")].state = Phantom },
			"nothing holds the node"},
		{"I6: b stands in the list of kind \"a\"", func(t *testing.T, g *Graph) { g.kinds[g.byKind["a"]].first = at(t, g, "b") },
			"a list holds another kind"},
		{"I6: b stands in the list of kind \"b\"", func(t *testing.T, g *Graph) { g.nodes[at(t, g, "b")].prevKind = at(t, g, "a") },
			"a link does not lead back"},
		{"I6: 9 nodes, 8 in lists of kinds; 5 kinds, 5 found", func(_ *testing.T, g *Graph) { g.kinds[g.byKind["a"]].first = 0 },
			"a node is in no list"},
		{"I6: kind \"a\" is not found, or held for nothing", func(_ *testing.T, g *Graph) { g.byKind["a"] = g.byKind["b"] },
			"a kind is not found"},
		{"I6: kind \"c\" is not found, or held for nothing", func(_ *testing.T, g *Graph) {
			g.kinds = append(g.kinds, kind{info: KindInfo{Kind: "c"}})
			g.byKind["c"] = kindID(len(g.kinds) - 1)
		}, "a kind is neither served nor has it a node"},
		{"I6: 9 nodes, 9 in lists of kinds; 5 kinds, 6 found", func(_ *testing.T, g *Graph) { g.byKind["c"] = 1 },
			"a name leads to another kind"},
		{"I7: node 1 is free and in use, or free twice", func(_ *testing.T, g *Graph) { g.freeNodes = append(g.freeNodes, 1) },
			"a node in use is free"},
		{"I7: node 0 is free and in use, or free twice", func(_ *testing.T, g *Graph) { g.freeNodes = append(g.freeNodes, 0) },
			"the node that is never used is free"},
		{"I7: the record of no node or edge is in use", func(_ *testing.T, g *Graph) { g.edges[0].prev = 1 }, "a link was made where nothing is"},
		{"I7: the record of no node or edge is in use", func(_ *testing.T, g *Graph) { g.nodes[0].prevKind = 1 }, "a link was made where nothing is"},
		{"free twice", func(_ *testing.T, g *Graph) { g.freeNodes = append(g.freeNodes, g.freeNodes[0]) },
			"a node is free twice"},
		{"I7: 3 nodes are unused, 2 are free", func(_ *testing.T, g *Graph) { g.freeNodes = g.freeNodes[1:] }, "a node is lost"},
		{"free twice", func(_ *testing.T, g *Graph) { g.freeEdges = append(g.freeEdges[:1], g.freeEdges[0]) }, "an edge is free twice"},
		{"I7: 1 kinds are unused, 0 are free", func(_ *testing.T, g *Graph) { g.freeKinds = nil }, "a kind is lost"},
		{"I8: pod/s/x: its cursor stands elsewhere", func(t *testing.T, g *Graph) { g.nodes[at(t, g, "pod/s/x")].fan = g.nodes[at(t, g, "a")].firstDep },
			"a cursor stands in another's list"},
		{"I8: kind \"b\": its sweep stands elsewhere", func(t *testing.T, g *Graph) { g.kinds[g.byKind["b"]].sweep = at(t, g, "a") },
			"a sweep stands in another's list"},
		{"I8: kind \"a\": its sweep stands elsewhere", func(t *testing.T, g *Graph) { g.kinds[g.byKind["a"]].sweep = at(t, g, "a") },
			"a cursor without a sweep"},
	} {
		g := sample(t)
		tc.damage(t, g)
		err := g.Check()
		if err == nil || !strings.HasPrefix(err.Error(), "graph invariant I") || !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("Check says %v, want %s: %s", err, tc.want, tc.reason)
		}
	}
}
