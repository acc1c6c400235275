package graph

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const hostile = 100_000

func named(name string) Key { return Key{Kind: "a", Name: name, UID: UID(name)} }

func numbered(i int) Key { return named(fmt.Sprint(i)) }

// marked returns a node of a large graph. The node is being deleted in the foreground and
// has blocking references.
func marked(k Key, owners ...Key) Event {
	o := Object{Key: k, Version: "1", Deleting: true, Finalizers: []string{FinalizerForeground}}
	for _, w := range owners {
		o.Owners = append(o.Owners, Owner{Key: w, Block: true})
	}
	return Event{Type: Put, Object: o}
}

func large(t testing.TB) *Graph {
	g := New(Config{})
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b"}}})
	return g
}

// searchSteps counts the steps of a search for rings from every node.
func searchSteps(g *Graph) (steps int, rings [][]NodeID) {
	var roots []NodeID
	for id := 1; id < g.inner().Cap(); id++ {
		roots = append(roots, NodeID(id))
	}
	s := newRingSearch(roots)
	for !s.Step(g, 1) {
		steps++
	}
	return steps, s.Rings()
}

// TestLongChain: each object is owned by the one before, which comes later.
func TestLongChain(t *testing.T) {
	g := large(t)
	for i := hostile; i > 0; i-- {
		apply(t, g, marked(numbered(i), numbered(i-1)))
	}
	apply(t, g, marked(numbered(0)))
	if steps, rings := searchSteps(g); steps > 3*hostile+3 || len(rings) != 0 {
		t.Errorf("%d steps, %d rings; want at most three steps a node, and no ring", steps, len(rings))
	}
	for i := range hostile {
		apply(t, g, Event{Type: Gone, Key: numbered(i)})
	}
	if err := g.Check(); err != nil || g.Len() != 2 || g.Observed() != 1 {
		t.Errorf("%d nodes, %d observed, %v; want the last one and the absence of its owner", g.Len(), g.Observed(), err)
	}
}

// TestLargeRing: each object is owned by the one before, and the first one by the last. The
// ring leaves the stack and is sorted in steps, too.
func TestLargeRing(t *testing.T) {
	g := large(t)
	for i := range hostile {
		apply(t, g, marked(numbered(i), numbered((i+hostile-1)%hostile)))
	}
	steps, rings := searchSteps(g)
	if steps > 4*hostile+3 || len(rings) != 1 || len(rings[0]) != hostile {
		t.Errorf("%d steps, %d rings; want at most four steps a node, and one ring of all", steps, len(rings))
	}
	if err := g.Check(); err != nil || g.Len() != hostile {
		t.Errorf("%d nodes, %v", g.Len(), err)
	}
}

// TestLargeStar: one object owns all others. Fan-out and pruning take one step for each
// dependent. No other step walks the dependents.
func TestLargeStar(t *testing.T) {
	g := large(t)
	for i := 1; i <= hostile; i++ {
		apply(t, g, marked(numbered(i), numbered(0)))
	}
	if d := apply(t, g, marked(numbered(0))); !d.Class || len(d.Owners)+len(d.Added)+len(d.Freed) != 0 {
		t.Errorf("the owner's mark: %+v; want no list of dependents", d)
	}
	owner, visits := at(t, g, "a/0@\"0\""), 0
	for g.inner().Fan(owner); ; visits++ {
		if _, ok := g.inner().FanNext(owner); !ok {
			break
		}
	}
	if n := g.Node(owner); visits != hostile || n.Blocking() != hostile {
		t.Errorf("%d visits, %d blocking; want %d", visits, n.Blocking(), hostile)
	}
	apply(t, g, Event{Type: ListBegun, Kind: "a"})
	apply(t, g, Event{Type: ListEnded, Kind: "a"})
	looks := 0
	for {
		id, seen, done := g.inner().Prune("a", 100)
		if looks += seen; done {
			break
		}
		if id != 0 && id != owner {
			apply(t, g, Event{Type: Gone, Key: g.Node(id).Key()})
		}
	}
	if err := g.Check(); err != nil || g.Len() != 1 || looks != hostile+1 {
		t.Errorf("%d nodes, %d looked at, %v; want the owner, and each node looked at once", g.Len(), looks, err)
	}
}

// TestManyOwners: an object may have thousands of references.
func TestManyOwners(t *testing.T) {
	const many = 10_000
	g := large(t)
	var owners []Key
	for i := 1; i <= many; i++ {
		owners = append(owners, numbered(i))
	}
	e := marked(numbered(0), owners...)
	apply(t, g, e)
	apply(t, g, marked(numbered(many)))
	dep := g.Node(at(t, g, `a/0@"0"`))
	if !dep.inner().Flawed() || g.Len() != many+1 || dep.Owners() != many {
		t.Fatalf("flawed %t, %d nodes, %d owners; want it flawed, and complete", dep.inner().Flawed(), g.Len(), dep.Owners())
	}
	second := g.ownerRecordOf(dep.id).more
	g.makeOwnerRecord(dep.id).more = 0 // a walk of the list would end here
	if c, _ := dep.inner().OwnerClass(many - 1); c != Waiting {
		t.Errorf("the last reference is %s, want waiting, without a walk over the others", c)
	}
	g.makeOwnerRecord(dep.id).more = second
	if got := testing.AllocsPerRun(10, func() { dep.inner().OwnerClass(many - 1) }); got != 0 {
		t.Errorf("%v allocations for a class", got)
	}
	if d := apply(t, g, Event{Type: Gone, Key: numbered(0)}); len(d.Freed) != many || len(d.Owners) != 1 {
		t.Errorf("%d freed, %d owners to tell; want all phantoms and itself, and the marked one", len(d.Freed), len(d.Owners))
	}
	if err := g.Check(); err != nil || g.edges.used != 0 || len(g.edges.pages) > 1 {
		t.Errorf("a table of %d edges, %v; want it empty", g.edges.len(), err)
	}
}

// TestRecordsAreUsedAgain: a writer who names new owners without end makes no table grow.
func TestRecordsAreUsedAgain(t *testing.T) {
	g := large(t)
	for i := range 1000 {
		put(t, g, fmt.Sprintf("b#%d -> x%d, y%d/s/z!, w@u%d?", i+1, i, i, i))
	}
	put(t, g, "b#0")
	if err := g.Check(); err != nil || g.Len() != 1 || g.inner().Cap() > 8 || g.edges.len() > 7 || len(g.kinds) > 7 || len(g.places) > 7 || len(g.page(1).text) > 1000 {
		t.Errorf("%d nodes, tables of %d nodes, %d edges, %d kinds, %d places, %d bytes of text, %v; want those of two versions at most",
			g.Len(), g.inner().Cap(), g.edges.len(), len(g.kinds), len(g.places), len(g.page(1).text), err)
	}
}

// TestManyDuplicates: a store gives every object the same UID. Each event has its usual
// cost. The end of one object does not walk the others and keeps them.
func TestManyDuplicates(t *testing.T) {
	const many = 10_000
	g := large(t)
	key := func(i int) Key { return Key{Kind: "a", Name: fmt.Sprint(i), UID: "u"} }
	for i := range many {
		d := apply(t, g, Event{Type: Put, Object: Object{Key: key(i), Version: "1"}})
		if d.DuplicateUID != (i > 0) {
			t.Fatalf("object %d: twin %t", i, d.DuplicateUID)
		}
	}
	apply(t, g, Event{Type: Put, Object: Object{Key: named("dep"), Version: "1",
		Owners: []Owner{{Key: Key{Kind: "x", UID: "u"}, Unresolved: true}}}})
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	before := g.Clone()
	apply(t, g, Event{Type: Gone, Key: key(many / 2)})
	if n := recordsChanged(before, g); n > 7 {
		t.Errorf("the end of one of %d twins changed %d records", many, n)
	}
	for i := range many - 1 {
		apply(t, g, Event{Type: Gone, Key: key(i)})
	}
	if n, ok := g.Alive("u"); !ok || n.Key() != key(many-1) || len(g.duplicates) != 0 {
		t.Errorf("alive: %v, %t, %d links; want the last one, without links", n.Key(), ok, len(g.duplicates))
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}

// TestMaxDuplicates: a step looks at a bounded number of nodes with one UID. The others
// take the reference.
func TestMaxDuplicates(t *testing.T) {
	for _, tc := range []struct {
		duplicates int
		want       Doubt
		reason     string
	}{
		{0, Unlisted, "nothing else has the UID"},
		{maxDuplicates, Unlisted, "none of them has the kind and the name"},
		{maxDuplicates + 1, Misplaced, "the step did not look at all of them"},
	} {
		g := New(Config{})
		apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "pod", Scoped: true}}})
		for i := range tc.duplicates {
			apply(t, g, marked(Key{Kind: "a", Name: fmt.Sprint(i), UID: "u"}))
		}
		put(t, g, "pod/s/d#1 -> pod/s/o@u")
		if c, d := g.Node(at(t, g, "pod/s/d")).inner().OwnerClass(0); c != Unknown || d != tc.want {
			t.Errorf("%d twins: %s, %s; want %s: %s", tc.duplicates, c, d, tc.want, tc.reason)
		}
		first := fmt.Sprint(max(tc.duplicates-maxDuplicates, 0)) // the graph looks at the newest ones, and the oldest one has the least key
		if n, ok := g.Alive("u"); ok != (tc.duplicates > 0) || ok && n.Key().Name != first {
			t.Errorf("%d twins: Alive is %s, want %s: %s", tc.duplicates, n.Key(), first, tc.reason)
		}
		put(t, g, "a/claimant#1 -> x@u?!")
		if d := apply(t, g, Event{Type: Gone, Key: Key{Kind: "a", Name: "claimant", UID: "a/claimant"}}); len(d.Owners) != min(tc.duplicates, maxDuplicates) {
			t.Errorf("%d twins: %d are told of a claim that is gone: %s", tc.duplicates, len(d.Owners), tc.reason)
		}
	}
}

// recordsChanged counts the differences in the tables of nodes, owner records, edges,
// kinds and duplicates.
func recordsChanged(a, b *Graph) int {
	n := differing(a.kinds, b.kinds)
	for i := range max(len(a.pages), len(b.pages)) {
		n += differing(settled(a, i), settled(b, i)) + differing(pageAt(a, i).records, pageAt(b, i).records)
	}
	for i := range max(len(a.edges.pages), len(b.edges.pages)) {
		n += differing(a.edges.pages[i], b.edges.pages[i])
	}
	for id, t := range a.duplicates {
		if b.duplicates[id] != t {
			n++
		}
	}
	return n
}

// settled returns the nodes of a page without the place of their text. The text of at
// most 512 nodes moves as a whole.
func settled(g *Graph, i int) []node {
	nodes := slices.Clone(pageAt(g, i).nodes)
	for i := range nodes {
		nodes[i].text = 0
	}
	return nodes
}

func pageAt(g *Graph, i int) page {
	if i < len(g.pages) {
		return g.pages[i]
	}
	return page{}
}

func differing[T any](a, b []T) (n int) {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !reflect.DeepEqual(a[i], b[i]) {
			n++
		}
	}
	return n
}

// TestApplyChangesLittle: the number of records that an event changes does not depend on
// the number of dependents or on the number of objects of the kind.
func TestApplyChangesLittle(t *testing.T) {
	small, big := star(t, 10), star(t, 10_000)
	for _, tc := range []struct {
		event  Event
		most   int
		reason string
	}{
		{marked(numbered(0)), 1, "the owner is marked"},
		{Event{Type: Gone, Key: numbered(0)}, 2, "the owner is gone and stays as an absence: so too the count of its kind"},
		{marked(numbered(5), numbered(0)), 0, "a dependent is as before"},
		{marked(numbered(5)), 5, "a dependent leaves: itself, its edge, the owner, both neighbours"},
		{Event{Type: Gone, Key: numbered(5)}, 8, "a dependent is gone: so too the neighbours in its kind's list"},
		{marked(named("new"), numbered(0)), 6, "a dependent comes"},
		{marked(named("other"), named("x")), 6, "an object comes that has nothing to do with it"},
		{Event{Type: ListBegun, Kind: "a"}, 1, "a listing begins"},
		{Event{Type: KindSick, Kind: "a"}, 1, "the kind is sick"},
		{Event{Type: KindVanished, Kind: "a"}, 1, "the kind vanishes"},
	} {
		var changed [2]int
		for i, g := range []*Graph{small, big} {
			after := g.Clone()
			apply(t, after, tc.event)
			changed[i] = recordsChanged(g, after)
		}
		if changed[0] != changed[1] || changed[1] > tc.most {
			t.Errorf("%s: %d records with ten dependents, %d with many; want at most %d", tc.reason, changed[0], changed[1], tc.most)
		}
	}
}

// star returns a graph of one owner and n dependents.
func star(t testing.TB, n int) *Graph {
	g := large(t)
	apply(t, g, Event{Type: Put, Object: Object{Key: numbered(0), Version: "1"}})
	for i := 1; i <= n; i++ {
		apply(t, g, marked(numbered(i), numbered(0)))
	}
	return g
}

// TestHostileText: the graph tells overlong names and names that are no text apart, like
// others. Their objects are flawed.
func TestHostileText(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	for _, tc := range []struct{ name, reason string }{
		{long, "a megabyte"},
		{"a\xff", "not UTF-8"},
		{"a\xfe", "not UTF-8 in another way"},
		{"a\x00b", "a zero byte"},
		{"a\nb", "two lines"},
		{strings.Repeat("\xff", 1<<20), "a megabyte of no text"},
	} {
		g := large(t)
		bad, owner := named(tc.name), Key{Kind: Kind(tc.name), Scope: tc.name, Name: tc.name, UID: UID(tc.name)}
		apply(t, g, marked(named("dep"), bad, owner))
		apply(t, g, marked(bad, bad))
		n, ok := g.Lookup(bad)
		if !ok || !n.inner().Flawed() || len(n.Flaw().Error()) > 1000 {
			t.Errorf("%s: found %t, flaw %.100v", tc.reason, ok, n.Flaw())
		}
		if n.Blocking() != 1 || g.Len() != 3 {
			t.Errorf("%s: %d blocking, %d nodes; want 1, 3", tc.reason, n.Blocking(), g.Len())
		}
		_, err := g.Apply(marked(owner))
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: an object of no kind: %.100v", tc.reason, err)
		}
		apply(t, g, Event{Type: Gone, Key: bad})
		apply(t, g, Event{Type: Gone, Key: named("dep")})
		if err := g.Check(); err != nil || g.Len() != 0 {
			t.Errorf("%s: %d nodes left, %v", tc.reason, g.Len(), err)
		}
	}
}
