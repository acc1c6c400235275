package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestFanVisits: a fan-out visits once each reference that exists at its start and stays.
// References may come and go meanwhile.
func TestFanVisits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := begin(t, graph.Config{})
		put := func(i, version, refs int) {
			o := graph.Object{Key: named("a", fmt.Sprintf("d%d", i)), Version: graph.Version(fmt.Sprint(version))}
			for range refs {
				o.Owners = append(o.Owners, graph.Owner{Key: named("a", "owner")})
			}
			w.do(t, graph.Event{Type: graph.Put, Object: o})
		}
		w.do(t, graph.Event{Type: graph.Put, Object: graph.Object{Key: named("a", "owner"), Version: "1"}})
		owner, _ := w.Lookup(named("a", "owner"))
		due := map[graph.Key]int{} // the remaining visits
		n := rapid.IntRange(0, 8).Draw(t, "dependents")
		for i := range n {
			refs := rapid.IntRange(1, 2).Draw(t, "references")
			put(i, 1, refs)
			due[named("a", fmt.Sprintf("d%d", i))] = refs
		}
		w.Inside(inside.Key{}).Fan(owner.ID())
		for version := 2; ; version++ {
			i := rapid.IntRange(0, n+2).Draw(t, "dependent")
			key := named("a", fmt.Sprintf("d%d", i))
			switch rapid.SampledFrom([]string{"next", "next", "gone", "link", "unlink"}).Draw(t, "step") {
			case "next":
				id, ok := w.Inside(inside.Key{}).FanNext(owner.ID())
				if !ok {
					for k, visits := range due {
						if visits != 0 {
							t.Fatalf("the fan-out ended %d visits of %s short", visits, k)
						}
					}
					return
				}
				k := w.Node(id).Key()
				if due[k]--; due[k] < 0 {
					t.Fatalf("%s was visited again, or came later", k)
				}
			case "gone":
				w.do(t, graph.Event{Type: graph.Gone, Key: key})
				delete(due, key)
			case "link": // another number of references makes all of them anew
				put(i, version, 3)
				delete(due, key)
			case "unlink":
				put(i, version, 0)
				delete(due, key)
			}
		}
	})
}

func named(kind graph.Kind, name string) graph.Key {
	return graph.Key{Kind: kind, Name: name, UID: graph.UID(name)}
}

// TestFanOf: a fan-out visits the named nodes, in order.
func TestFanOf(t *testing.T) {
	for _, tc := range []struct{ history, want, reason string }{
		{"put a", "", "no dependents"},
		{"put b -> a; put c -> a", "c b", "newest first"},
		{"put b -> a, a", "b b", "each reference"},
		{"put a -> a; put b -> a", "b a", "a self-reference included"},
		{"put a; put b -> a; put c -> x@a?", "b", "the claims on the UID have a fan-out of their own"},
		{"put b -> a; put c -> a; put b#2* -> a", "c b", "a change of something else leaves the reference where it is"},
		{"put b -> a; put c -> a; put b#2 -> a!", "b c", "a changed reference is new"},
	} {
		w := play(t, graph.Config{}, "kinds a b c; "+tc.history)
		n, _ := w.Lookup(stored(t, "a").Key)
		for range 2 { // a fan-out may begin again
			w.Inside(inside.Key{}).Fan(n.ID())
			if got := w.rest(n.ID()); got != tc.want {
				t.Errorf("%s: visited %q, want %q: %s", tc.history, got, tc.want, tc.reason)
			}
			if _, ok := w.Inside(inside.Key{}).FanNext(n.ID()); ok {
				t.Errorf("%s: a fan-out that is over goes on", tc.history)
			}
		}
	}
}

func (w *world) rest(id graph.NodeID) (visited string) {
	for d, ok := w.Inside(inside.Key{}).FanNext(id); ok; d, ok = w.Inside(inside.Key{}).FanNext(id) {
		if visited != "" {
			visited += " "
		}
		visited += w.Node(d).Key().String()
	}
	return visited
}

// TestPruneSlices: a pruning in slices of any size equals the pruning in one step.
func TestPruneSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := begin(t, worldConfig)
		for _, e := range drawHistory(t, 25) {
			w.try(t, e)
		}
		w.do(t, graph.Event{Type: graph.KindsKnown, Kinds: worldKinds})
		w.do(t, graph.Event{Type: graph.ListBegun, Kind: "p"})
		for _, o := range w.objects() {
			if o.Kind == "p" && rapid.Bool().Draw(t, "listed") {
				w.do(t, graph.Event{Type: graph.Put, Object: o})
			}
		}
		w.do(t, graph.Event{Type: graph.ListEnded, Kind: "p"})
		sliced := w.clone()
		at, inSlices := w.prune(t, "p", 1000), sliced.prune(t, "p", rapid.IntRange(1, 4).Draw(t, "slice"))
		if !slices.Equal(at, inSlices) || w.everything() != sliced.everything() {
			t.Fatalf("at once: %v\n%s\nin slices: %v\n%s", at, w.everything(), inSlices, sliced.everything())
		}
		if k, _ := w.Kind("p"); !k.Listed || k.Listing {
			t.Fatalf("after the pruning: %+v", k)
		}
		for n := range w.Nodes() {
			if w.Inside(inside.Key{}).PendingPrune(n.ID()) && n.Key().Kind == "p" {
				t.Fatalf("%s is stale after the pruning", n.Key())
			}
		}
	})
}

// TestRings: a search finds the named rings.
func TestRings(t *testing.T) {
	const fg = "~[foreground] -> "
	for _, tc := range []struct{ history, want, reason string }{
		{"put a" + fg + "b!; put b" + fg + "a!", "a b", "each waits for the other"},
		{"put a" + fg + "b!; put b" + fg + "a", "", "one of the two does not block"},
		{"put a" + fg + "b!; put b -> a!", "", "one of the two does not wait"},
		{"put a" + fg + "b!; put b~[orphan] -> a!", "", "one of the two orphans"},
		{"put a" + fg + "a!", "", "a self-reference never counts"},
		{"put a" + fg + "b!; put b" + fg + "c!; put c" + fg + "a!, b!", "a b c", "a ring within a ring is one"},
		{"put a" + fg + "b!; put b" + fg + "a!, c!; put c" + fg + "d!; put d" + fg + "c!", "a b, c d", "one ring hangs on another"},
		{"put a" + fg + "b!, b!; put b" + fg + "a!", "a b", "a reference twice"},
		{"put a" + fg + "x@b!?; put b" + fg + "a!", "a b", "an unresolved reference blocks the object with its UID"},
		{"put a" + fg + "x@b?; put b" + fg + "a!", "", "unless it does not block"},
		{"put a" + fg + "x@c!?; put b" + fg + "a!", "", "nothing has its UID"},
		{"put a" + fg + `""/x@b!; put b` + fg + "a!", "", "a reference with a name and no kind blocks no object"},
		{"put a" + fg + "x@a!?", "", "a claim on oneself"},
		{"put a" + fg + "b!; put b" + fg + "a!; gone b", "", "a ring that fell apart"},
	} {
		w := play(t, graph.Config{}, "kinds a b c d; "+tc.history)
		var roots []graph.NodeID
		for n := range w.Nodes() {
			roots = append(roots, n.ID(), n.ID())
		}
		search := graph.Inside(inside.Key{}).NewRingSearch(append(roots, 0, 1000)) // ids without a node do no harm
		if !search.Step(w.Graph, 1000) {
			t.Fatalf("%s: the search did not end", tc.history)
		}
		if got := w.ringKeys(search.Rings()); got != tc.want {
			t.Errorf("%s: rings %q, want %q: %s", tc.history, got, tc.want, tc.reason)
		}
	}
}

// TestStepLimits: a step stops at its limit.
func TestStepLimits(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b; put a~[foreground] -> b!; put a/x; list a; end a; list b; end b")
	a, _ := w.Lookup(stored(t, "a").Key)
	search := graph.Inside(inside.Key{}).NewRingSearch([]graph.NodeID{a.ID()})
	for i, want := range []bool{false, false, false, true} { // one step each for the begin, the reference and the end
		if got := search.Step(w.Graph, min(i, 1)); got != want {
			t.Errorf("step %d of the search: over %t, want %t", i, got, want)
		}
	}
	for _, tc := range []struct {
		kind   graph.Kind
		limit  int
		seen   int
		done   bool
		reason string
	}{
		{"a", 0, 0, false, "nothing may be looked at"},
		{"a", 1, 1, false, "one node is pending"},
		{"b", 1, 1, false, "a phantom"},
		{"b", 0, 0, true, "that was all: to say so costs nothing"},
		{"b", 9, 0, true, "the pruning has ended"},
	} {
		if _, seen, done := w.Inside(inside.Key{}).Prune(tc.kind, tc.limit); seen != tc.seen || done != tc.done {
			t.Errorf("Prune(%s, %d): %d seen, done %t, want %d, %t: %s", tc.kind, tc.limit, seen, done, tc.seen, tc.done, tc.reason)
		}
	}
}

// TestIsolatedCycles: a search finds the objects that own each other, in any state.
func TestIsolatedCycles(t *testing.T) {
	for _, tc := range []struct{ history, want, reason string }{
		{"put a -> b; put b -> a", "a b", "each has a solid owner"},
		{"put a -> b!; put b~[orphan] -> a", "a b", "whether they block or are deleted does not matter"},
		{"put a -> b; put b -> c; put c -> d; put d -> b", "b c d", "one that hangs on it is no part of it"},
		{"put a -> a", "", "a self-reference never counts"},
		{"put a -> x@a?", "", "nor does a claim on oneself"},
		{"put a -> x@b?; put b -> a", "a b", "an unresolved reference holds the object with its UID"},
		{"put a -> b; put b -> a; gone b", "", "a gone object owns nothing"},
		{"put a -> b, x; put b -> c", "", "the object that would close it is unobserved"},
		{"put a -> x@u?; put b -> y@u?", "", "two claims on one UID without an object"},
	} {
		w := play(t, graph.Config{}, "kinds a b c d; "+tc.history)
		search := graph.Inside(inside.Key{}).NewIsolatedCycleSearch(slices.Sorted(maps.Keys(w.keys())))
		if !search.Step(w.Graph, 1000) {
			t.Fatalf("%s: the search did not end", tc.history)
		}
		if got := w.ringKeys(search.Rings()); got != tc.want {
			t.Errorf("%s: isolated cycles %q, want %q: %s", tc.history, got, tc.want, tc.reason)
		}
	}
}

func (w *world) ringKeys(rings [][]graph.NodeID) string {
	var s string
	for i, r := range rings {
		if i > 0 {
			s += ", "
		}
		for j, id := range r {
			if j > 0 {
				s += " "
			}
			s += w.Node(id).Key().String()
		}
	}
	return s
}

// TestRingSearch: a search in slices of any size finds the rings of the transitive
// closure.
func TestRingSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := begin(t, graph.Config{})
		n := rapid.IntRange(1, 7).Draw(t, "nodes")
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [3]int {
			return [3]int{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to"), rapid.IntRange(0, 4).Draw(t, "kind")}
		}), 0, 3*n).Draw(t, "edges")
		for i := range n {
			o := graph.Object{Key: named("a", fmt.Sprint(i)), Version: "1", Deleting: rapid.IntRange(0, 5).Draw(t, "mark") > 0,
				Finalizers: []string{graph.FinalizerForeground}}
			for _, e := range edges {
				if e[0] == i {
					o.Owners = append(o.Owners, graph.Owner{Key: named("a", fmt.Sprint(e[1])), Block: e[2] > 0, Unresolved: e[2] > 3})
				}
			}
			w.do(t, graph.Event{Type: graph.Put, Object: o})
		}
		var ids []graph.NodeID
		for n := range w.Nodes() {
			ids = append(ids, n.ID())
		}
		roots := rapid.SliceOfN(rapid.SampledFrom(ids), 0, n).Draw(t, "roots")
		isolated, newSearch := rapid.Bool().Draw(t, "isolated"), graph.Inside(inside.Key{}).NewRingSearch
		if isolated {
			newSearch = graph.Inside(inside.Key{}).NewIsolatedCycleSearch
		}
		want := closureRings(w, ids, roots, isolated)
		for _, limit := range []int{1 << 20, rapid.IntRange(1, 3).Draw(t, "slice")} {
			search := newSearch(slices.Clone(roots))
			for steps := 0; !search.Step(w.Graph, limit); steps++ {
				if steps > len(roots)+2*len(ids)+len(edges) {
					t.Fatal("the search takes more steps than there are roots, nodes and references")
				}
			}
			if got := search.Rings(); !slices.EqualFunc(got, want, slices.Equal[[]graph.NodeID]) {
				t.Fatalf("in slices of %d: rings %v, want %v", limit, got, want)
			}
		}
	})
}

// TestRingSearchMeanwhile: a search goes on and ends after changes of the objects on its
// path. In this test all of them go, with pages of nodes and of references, and others
// get their ids.
func TestRingSearchMeanwhile(t *testing.T) {
	const many = 1200
	key := func(i int) graph.Key { return named("a", fmt.Sprint(i)) }
	chain := func(g *graph.Graph, by int) (roots []graph.NodeID) {
		for i := range many {
			o := graph.Object{Key: key(i), Version: "1"}
			for j := 1; j <= by && j <= i; j++ {
				o.Owners = append(o.Owners, graph.Owner{Key: key(i - j)})
			}
			feed(t, g, graph.Event{Type: graph.Put, Object: o})
			n, _ := g.Lookup(o.Key)
			roots = append(roots, n.ID())
		}
		slices.Reverse(roots)
		return roots
	}
	for _, refill := range []bool{false, true} {
		g := graph.New(graph.Config{})
		feed(t, g, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}})
		search := graph.Inside(inside.Key{}).NewIsolatedCycleSearch(chain(g, 2))
		search.Step(g, many/2)
		for i := range many {
			feed(t, g, graph.Event{Type: graph.Gone, Key: key(many - 1 - i)})
		}
		if refill {
			chain(g, 1)
		}
		if !search.Step(g, 10*many) || len(search.Rings()) > 0 {
			t.Errorf("refilled %v: the search is not over, or found rings: %v", refill, search.Rings())
		}
	}
}

// feed applies an event to a bare graph.
func feed(t testing.TB, g *graph.Graph, e graph.Event) {
	t.Helper()
	if _, err := g.Apply(e); err != nil {
		t.Fatal(err)
	}
}

// closureRings finds the rings, or isolated cycles, that the roots reach, by Warshall's
// algorithm.
func closureRings(w *world, ids, roots []graph.NodeID, isolated bool) (rings [][]graph.NodeID) {
	reach := map[[2]graph.NodeID]bool{}
	for _, id := range ids {
		n := w.Node(id)
		for i, o := range n.OwnerNodes() {
			if r := n.OwnerAt(i); r.Unresolved {
				o, _ = w.Alive(r.UID)
			}
			if (isolated && o.State() == graph.Observed || n.OwnerAt(i).Block && n.Waiting() && o.Waiting()) && o != n {
				reach[[2]graph.NodeID{id, o.ID()}] = true
			}
		}
	}
	for _, k := range ids {
		for _, i := range ids {
			for _, j := range ids {
				if reach[[2]graph.NodeID{i, k}] && reach[[2]graph.NodeID{k, j}] {
					reach[[2]graph.NodeID{i, j}] = true
				}
			}
		}
	}
	taken := map[graph.NodeID]bool{}
	slices.Sort(ids)
	for _, i := range ids {
		from := func(r graph.NodeID) bool { return r == i || reach[[2]graph.NodeID{r, i}] }
		if taken[i] || !reach[[2]graph.NodeID{i, i}] || !slices.ContainsFunc(roots, from) {
			continue
		}
		var ring []graph.NodeID
		for _, j := range ids {
			if reach[[2]graph.NodeID{i, j}] && reach[[2]graph.NodeID{j, i}] {
				ring = append(ring, j)
				taken[j] = true
			}
		}
		rings = append(rings, ring)
	}
	return rings
}
