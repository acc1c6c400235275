package graph

import (
	"strings"
	"testing"
)

// sample returns a graph with all sorts of records: references, phantoms, an absent node,
// duplicates, a fan-out and a pruning under way, and free records.
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
	g.inner().Fan(at(t, g, "a"))
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
		{"I1: a is not found under its key", func(t *testing.T, g *Graph) { g.swapIndexed(at(t, g, "a"), at(t, g, "b")) },
			"a UID leads to another node, whose own then leads there twice"},
		{"I1: the index leads to 6 nodes of 7; 1 segments are deep, counted as 1", func(t *testing.T, g *Graph) { g.unindexNode(at(t, g, "a")) },
			"a UID leads nowhere"},
		{"I1: the index leads to node 10", func(t *testing.T, g *Graph) {
			if g.inner().InUse(10) {
				t.Fatal("node 10 is in use")
			}
			insert(g.index.few, g.index.hash(uid{}), 0, 10)
		}, "an entry of a node that has left"},
		{"I1: a segment of 1 buckets has 7 nodes, counted as 8", func(_ *testing.T, g *Graph) { g.index.heads[0].used++ },
			"a segment's count is off"},
		{"I1: a segment of depth 0 is not at entry 1", func(_ *testing.T, g *Graph) { g.index.heads = append(g.index.heads, head{depth: 1}) },
			"half of a segment's entries are another's"},
		{"I1: 0 nodes have passed a bucket by, counted as 1", func(_ *testing.T, g *Graph) { g.index.few[0].more += passedUnit },
			"a look-up would go on"},
		{"I1: the index has the hint 0x1 of node 0, want 0x0", func(_ *testing.T, g *Graph) { g.index.few[0].more |= displaced << (10 * hintBits) },
			"a place that is not in use has a hint"},
		{"I1: pod/s/twin@a is not found under its key", func(t *testing.T, g *Graph) { g.groupNodes[g.key(at(t, g, "pod/s/twin@a"))] = at(t, g, "b") },
			"a key leads to another node"},
		{"I1: 9 nodes, counted as 9; 6 observed, counted as 7; 2 members of groups, 2 found, 2 in lists", func(_ *testing.T, g *Graph) { g.observed++ },
			"the count of observed nodes is off"},
		{"I1: 9 nodes, counted as 9; 6 observed, counted as 6; 2 members of groups, 2 found, 1 in lists", func(t *testing.T, g *Graph) { delete(g.groupLinks, at(t, g, "pod/s/twin@a")) },
			"a member of a group is in no list"},
		{"I2: observed b is in the list of UID \"a\"", func(t *testing.T, g *Graph) { g.groups["a"].alive = at(t, g, "b") },
			"a UID leads to another's node"},
		{"I2: 3 observed, 0 found under their UIDs; 3 duplicates, 0 in lists", func(_ *testing.T, g *Graph) { g.groups["a"].alive = 0 },
			"a UID leads nowhere"},
		{"I2: pod/s/x has the mark of a duplicate: false", func(t *testing.T, g *Graph) { g.duplicates[at(t, g, "pod/s/x")] = links{next: 1} },
			"a duplicate is in no list"},
		{"I2: observed pod/s/twin@a is in the list of UID \"a\"", func(t *testing.T, g *Graph) {
			g.duplicates[at(t, g, "pod/s/twin@a")] = links{next: at(t, g, "a"), prev: at(t, g, "a")}
		}, "a link does not lead back"},
		{"I2: UID \"a\" has no second node, or a foreign claim", func(t *testing.T, g *Graph) { g.groups["a"].claim = at(t, g, "a") },
			"an object is taken for a claim"},
		{"I2: 1 groups, 2 marked; 2 members, 2 in lists", func(t *testing.T, g *Graph) { g.at(at(t, g, "pod/s/x")).set(groupHeadMark, true) },
			"a node counts as one with a shared UID"},
		{"I3: b: reference 0 has no edge, or another's", func(t *testing.T, g *Graph) { g.at(at(t, g, "b")).owner = 0 },
			"a reference has no edge"},
		{"I3: b: reference 0 has no edge, or another's", func(t *testing.T, g *Graph) { g.at(at(t, g, "b")).owner = at(t, g, "pod/s/y") },
			"a reference leads elsewhere"},
		{"I3: b: reference 0 has no edge, or another's", func(t *testing.T, g *Graph) { g.at(at(t, g, "b")).set(blockMark, false) },
			"a reference has another flag"},
		{"I3: b: more edges than references", func(t *testing.T, g *Graph) {
			p := g.page(1)
			p.owners[slotOf(at(t, g, "b"))] = p.owners[slotOf(at(t, g, "b"))][:1]
		}, "a reference was dropped, its edge was not"},
		{"I3: a: a list of references is kept: true", func(t *testing.T, g *Graph) { g.page(1).owners[slotOf(at(t, g, "a"))] = []Owner{} },
			"references are kept of a node that has none"},
		{"I3: a: its list of dependents is broken", func(t *testing.T, g *Graph) { g.setPrev(g.ownerRecordOf(at(t, g, "a")).firstDep, 1) },
			"a link does not lead back"},
		{"I3: a: its list of dependents is broken", func(t *testing.T, g *Graph) {
			g.makeOwnerRecord(at(t, g, "a")).firstDep = g.ownerRecordOf(at(t, g, "pod/s/x")).firstDep
		}, "another's dependents"},
		{"I3: 3 edges in use, 2 in lists of owners", func(_ *testing.T, g *Graph) { g.edges.add(edge{owner: 1}) },
			"an edge is in no list"},
		{"I3: 5 edges in use, 3 in lists of dependents", func(t *testing.T, g *Graph) { *g.makeOwnerRecord(at(t, g, "a")) = ownerRecord{} },
			"references are in no list"},
		{"I4: a: counts 3/1, has 2/1", func(t *testing.T, g *Graph) { g.makeOwnerRecord(at(t, g, "a")).refs++ }, "the count of references is off"},
		{"I4: a: counts 2/0, has 2/1", func(t *testing.T, g *Graph) { g.makeOwnerRecord(at(t, g, "a")).blocks-- }, "the count of blocking references is off"},
		{"I11: 0 restricting references of 0 objects, found 0 of 1", func(t *testing.T, g *Graph) { g.restrictions.acts = map[NodeID]bool{at(t, g, "b"): true} },
			"an object restricts nothing"},
		{"I5: phantom b has no dependent", func(t *testing.T, g *Graph) { g.at(at(t, g, "b")).setState(Phantom) },
			"nothing keeps the node"},
		{"I6: kind \"pod\" has 3 objects, counted as 99", func(_ *testing.T, g *Graph) { g.kinds[g.kindNamed("pod")].objects = 99 },
			"the count of a kind is off"},
		{"I6: b stands in the list of kind \"a\"", func(t *testing.T, g *Graph) { g.kinds[g.byKind["a"]].first = at(t, g, "b") },
			"a list has another kind"},
		{"I6: b stands in the list of kind \"b\"", func(t *testing.T, g *Graph) { g.at(at(t, g, "b")).prevKind = at(t, g, "a") },
			"a link does not lead back"},
		{"I6: 9 nodes, 8 in lists of kinds; 5 kinds, 5 found", func(_ *testing.T, g *Graph) { g.kinds[g.byKind["a"]].first = 0 },
			"a node is in no list"},
		{"I6: kind \"a\" is not found, or kept for nothing", func(_ *testing.T, g *Graph) { g.byKind["a"] = g.byKind["b"] },
			"a kind is not found"},
		{"I6: kind \"c\" is not found, or kept for nothing", func(_ *testing.T, g *Graph) {
			g.kinds = append(g.kinds, kind{info: KindInfo{Kind: "c"}})
			g.byKind["c"] = kindID(len(g.kinds) - 1)
		}, "a kind is neither served nor has it a node"},
		{"I6: 9 nodes, 9 in lists of kinds; 5 kinds, 6 found", func(_ *testing.T, g *Graph) { g.byKind["c"] = 1 },
			"a name leads to another kind"},
		{"I6: place 1 has 1 nodes, counted as 2", func(_ *testing.T, g *Graph) { g.places[1].used++ }, "the count of a place is off"},
		{"I6: place 1 has 1 observed nodes, counted as 2", func(_ *testing.T, g *Graph) { g.places[1].alive++ }, "the count of objects of a place is off"},
		{"I6: place 1 is not found", func(_ *testing.T, g *Graph) { g.byPlace[placeKey{g.places[1].kind, g.places[1].scope}] = 2 }, "a place is not found"},
		{"I6: 6 places, 7 found", func(_ *testing.T, g *Graph) { g.byPlace[placeKey{7, "x"}] = 2 }, "a place has two names"},
		{"I6: 9 nodes, 8 found at their places", func(t *testing.T, g *Graph) { g.places[g.at(at(t, g, "a")).place].first = 0 }, "the nodes of a place are not found"},
		{"I6: a stands among the nodes of place 2", func(_ *testing.T, g *Graph) { g.places[2].first = g.places[1].first }, "a place leads to another's nodes"},
		{"I10: place 3 stands in the list of scope \"x\"", func(_ *testing.T, g *Graph) { g.contents.scopes["x"] = g.contents.scopes["s"] }, "a scope leads to another's places"},
		{"I10: 1 places with a scope, 0 in lists", func(_ *testing.T, g *Graph) { clear(g.contents.scopes) }, "a place is not found by its scope"},
		{"I10: node 1 is no container \"a\"", func(t *testing.T, g *Graph) { g.noteContainer(at(t, g, "a"), ScopeMembers, true) }, "a node counts as a container"},
		{"I10: 1 containers, 0 found", func(t *testing.T, g *Graph) {
			g.kinds[g.kindNamed("a")].info.Container.Members = KindMembers
		}, "a container is not found"},
		{"I7: node 1 is free and in use, or free twice", func(_ *testing.T, g *Graph) { g.page(1).free = 1 + 1 },
			"a node in use is free"},
		{"I7: the record of no node or edge is in use", func(_ *testing.T, g *Graph) { g.edges.at(0).prev = 1 }, "a link was made where nothing is"},
		{"I7: the record of no node or edge is in use", func(_ *testing.T, g *Graph) { g.at(0).prevKind = 1 }, "a link was made where nothing is"},
		{"free twice", func(_ *testing.T, g *Graph) { p := g.page(1); p.nodes[p.free-1].nextKind = NodeID(p.free) },
			"a node is free twice"},
		{"I7: page 0: 10 nodes of 13 are used, counted as 10, and 0 are free", func(_ *testing.T, g *Graph) { g.page(1).free = 0 }, "nodes are lost"},
		{"I7: page 0 has 10 nodes, and is listed as open: false", func(_ *testing.T, g *Graph) { g.openPages = nil }, "room is lost"},
		{"I7: a page is listed as open twice", func(_ *testing.T, g *Graph) { g.openPages = append(g.openPages, 0) }, "room is there twice"},
		{"free twice", func(_ *testing.T, g *Graph) { g.edges.free = append(g.edges.free[:1], g.edges.free[0]) }, "an edge is free twice"},
		{"I7: 1 kinds are unused, 0 are free", func(_ *testing.T, g *Graph) { g.freeKinds = nil }, "a kind is lost"},
		{"I7: 1 places are unused, 0 are free", func(_ *testing.T, g *Graph) { g.freePlaces = nil }, "a place is lost"},
		{"I8: pod/s/x: its cursor stands elsewhere", func(t *testing.T, g *Graph) {
			g.makeOwnerRecord(at(t, g, "pod/s/x")).fan = g.ownerRecordOf(at(t, g, "a")).firstDep
		}, "a cursor stands in another's list"},
		{"I8: kind \"b\": its pruning stands elsewhere", func(t *testing.T, g *Graph) { g.kinds[g.byKind["b"]].pruneAt = at(t, g, "a") },
			"a pruning stands in another's list"},
		{"I8: kind \"a\": its pruning stands elsewhere", func(t *testing.T, g *Graph) { g.kinds[g.byKind["a"]].pruneAt = at(t, g, "a") },
			"a cursor without a pruning"},
		{"I9: node 1: a long text is kept: true", func(_ *testing.T, g *Graph) { g.page(1).long = map[uint16][]byte{1: nil} }, "text is kept twice"},
		{"I9: page 0: 152 bytes of text, 51 of them dead, but 102 live", func(_ *testing.T, g *Graph) { g.page(1).dead++ }, "the count of dead text is off"},
		{"I9: page 0: text of node 1 stands in the gap", func(t *testing.T, g *Graph) {
			g.page(1).gap, g.page(1).gapAt = textUnit, g.at(at(t, g, "a")).text-1
		}, "what belongs to a node counts as free"},
		{"I9: page 0: 6 owner records of 8 are used, counted as 7, and 2 are free", func(_ *testing.T, g *Graph) { g.page(1).usedRecords++ }, "the count of hubs is off"},
	} {
		g := sample(t)
		tc.damage(t, g)
		err := g.Check()
		if err == nil || !strings.HasPrefix(err.Error(), "graph invariant I") || !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("Check says %v, want %s: %s", err, tc.want, tc.reason)
		}
	}
}

// TestCheckGroups: the nodes of one UID are in no group of another UID.
func TestCheckGroups(t *testing.T) {
	g := New(Config{})
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b"}}})
	put(t, g, "a/x@1#1; a/y@1#1; b/x@2#1; b/y@2#1")
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	one, two := g.groups["1"], g.groups["2"]
	one.first, two.first = two.first, one.first
	if err := g.Check(); err == nil || !strings.Contains(err.Error(), "is in the group of UID") {
		t.Errorf("the lists of two UIDs have changed places: %v", err)
	}
}
