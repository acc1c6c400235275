package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// The random worlds are small, so that their parts meet. They have few kinds, names and
// scopes, and several objects carry one UID.
var (
	worldKinds  = kinds("a p+ q+ e- ign")
	worldConfig = graph.Config{Ignore: []graph.Kind{"ign"}, Limits: graph.Limits{Owners: 3}}
)

func drawConfig(t *rapid.T) graph.Config {
	cfg := worldConfig
	cfg.Scope = rapid.SampledFrom([]graph.ScopeRule{graph.ScopeHold, graph.ScopeAbsent}).Draw(t, "scope rule")
	cfg.OwnerName = rapid.SampledFrom([]graph.NameRule{graph.NameUnset, graph.NameHold, graph.NameAbsent}).Draw(t, "name rule")
	cfg.Policies = rapid.Bool().Draw(t, "policies act")
	return cfg
}

// drawServed draws the key of an object that the store may have.
func drawServed(t *rapid.T, kind graph.KindInfo) graph.Key {
	k := graph.Key{Kind: kind.Kind, Name: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "name"),
		UID: rapid.SampledFrom([]graph.UID{"1", "2", "3"}).Draw(t, "UID")}
	if kind.Scoped {
		k.Scope = rapid.SampledFrom([]string{"s", "t"}).Draw(t, "scope")
	}
	return k
}

// drawRef draws a reference, mostly to a likely object, sometimes to any coordinates.
func drawRef(t *rapid.T) graph.Owner {
	all := append(slices.Clone(worldKinds), graph.KindInfo{Kind: "none"}, graph.KindInfo{})
	r := graph.Owner{Key: drawServed(t, rapid.SampledFrom(all).Draw(t, "kind"))}
	r.Block, r.Controller = rapid.Bool().Draw(t, "block"), rapid.Bool().Draw(t, "controller")
	r.OnDelete = rapid.SampledFrom([]graph.OnDelete{0, 0, graph.OnDeleteRelease, graph.OnDeleteRestrict, graph.OnDeleteCascade, 255}).Draw(t, "policy")
	switch rapid.IntRange(0, 9).Draw(t, "flaw") {
	case 0:
		r.Unresolved = true
	case 1:
		r.UID = ""
	case 2:
		r.Scope = "s"
	case 3:
		r.Name, r.Scope = "", ""
	}
	return r
}

func drawState(t *rapid.T, k graph.Key) graph.Object {
	return graph.Object{
		Key: k, Version: graph.Version(rapid.StringMatching("[1-5]").Draw(t, "version")),
		Owners:     rapid.SliceOfN(rapid.Custom(drawRef), 0, 4).Draw(t, "owners"),
		Deleting:   rapid.Bool().Draw(t, "deleting"),
		Generation: rapid.Int64Range(0, 2).Draw(t, "generation"), ObservedGeneration: rapid.Int64Range(0, 1).Draw(t, "observed generation"),
		Finalizers: rapid.SampledFrom([][]string{nil, {graph.FinalizerForeground}, {graph.FinalizerOrphan}, {"foreign"}, {graph.FinalizerHold}}).Draw(t, "finalizers"),
	}
}

// drawEvent draws an event of one kind that a store may send. It also draws the end of a
// listing out of turn, which no store may send.
func drawEvent(t *rapid.T, kind graph.KindInfo) graph.Event {
	switch typ := rapid.SampledFrom([]graph.EventType{
		graph.Put, graph.Put, graph.Put, graph.Put, graph.Gone, graph.Gone,
		graph.ListBegun, graph.ListEnded, prune, graph.KindSick, graph.KindRecovered,
	}).Draw(t, "event"); typ {
	case graph.Put:
		return graph.Event{Type: typ, Object: drawState(t, drawServed(t, kind))}
	case graph.Gone:
		return graph.Event{Type: typ, Key: drawServed(t, kind)}
	default:
		return graph.Event{Type: typ, Kind: kind.Kind}
	}
}

// drawStreams draws for each kind the events of a store, in order.
func drawStreams(t *rapid.T, most int) [][]graph.Event {
	var out [][]graph.Event
	for _, k := range worldKinds {
		out = append(out, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Event { return drawEvent(t, k) }), 0, most).Draw(t, string(k.Kind)))
	}
	return out
}

// drawMerge draws one order of the streams, each in its own order.
func drawMerge(t *rapid.T, streams [][]graph.Event) []graph.Event {
	rest := slices.Clone(streams)
	var out []graph.Event
	for {
		rest = slices.DeleteFunc(rest, func(s []graph.Event) bool { return len(s) == 0 })
		if len(rest) == 0 {
			return out
		}
		i := rapid.IntRange(0, len(rest)-1).Draw(t, "next")
		out, rest[i] = append(out, rest[i][0]), rest[i][1:]
	}
}

// drawHistory draws events of every type, sets of kinds included.
func drawHistory(t *rapid.T, most int) []graph.Event {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Event {
		kind := rapid.SampledFrom(worldKinds).Draw(t, "kind")
		switch rapid.IntRange(0, 19).Draw(t, "rare") {
		case 0:
			return graph.Event{Type: graph.Rewound}
		case 1:
			return graph.Event{Type: graph.KindVanished, Kind: kind.Kind}
		case 2:
			some := rapid.SliceOfNDistinct(rapid.SampledFrom(worldKinds), 0, 5, func(k graph.KindInfo) graph.Kind { return k.Kind }).Draw(t, "kinds")
			return graph.Event{Type: graph.KindsKnown, Kinds: some}
		}
		return drawEvent(t, kind)
	}), 0, most).Draw(t, "history")
}

func begin(t *rapid.T, cfg graph.Config) *world {
	w := newWorld(cfg)
	w.do(t, graph.Event{Type: graph.KindsKnown, Kinds: worldKinds})
	return w
}

// try applies an event that the graph may refuse. A refused event changes nothing.
func (w *world) try(t *rapid.T, e graph.Event) {
	if e.Type != prune {
		before, known := w.clone(), w.Kinds()
		if _, err := before.Apply(e); err != nil {
			if !errors.Is(err, graph.ErrInvalid) || before.String() != w.String() || !cmp.Equal(before.Kinds(), known) || before.Check() != nil {
				t.Fatalf("refused with %v: from %s to %s", err, w, before)
			}
			return
		}
	}
	w.do(t, e)
}

// TestOrderIndependence: the graph ends the same in every order of the events of
// different kinds.
func TestOrderIndependence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, streams := drawConfig(t), drawStreams(t, 6)
		var ends []string
		for _, history := range [][]graph.Event{slices.Concat(streams...), drawMerge(t, streams)} {
			w := begin(t, cfg)
			for _, e := range history {
				w.try(t, e)
			}
			ends = append(ends, w.everything())
		}
		if ends[0] != ends[1] {
			t.Fatalf("kind after kind: %s\nin another order: %s", ends[0], ends[1])
		}
	})
}

// everything is String with the other state that must not depend on the order.
func (w *world) everything() string {
	s := w.String()
	for _, k := range w.Kinds() {
		s += "\n" + kindState(k)
	}
	for _, u := range []graph.UID{"1", "2", "3"} {
		if n, ok := w.Alive(u); ok {
			s += fmt.Sprintf("\n%s lives as %s", u, n.Key())
		}
	}
	return s
}

// TestIdempotence: the second of two equal events in a row changes nothing. A second end
// of a listing is refused, because no listing is under way.
func TestIdempotence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, history := drawConfig(t), drawHistory(t, 20)
		once, twice := begin(t, cfg), begin(t, cfg)
		for _, e := range history {
			once.try(t, e)
			twice.try(t, e)
			twice.try(t, e)
			if once.everything() != twice.everything() {
				t.Fatalf("%s once: %s\ntwice: %s", e.Type, once.everything(), twice.everything())
			}
		}
		for n := range once.Nodes() {
			if n.State() != graph.Observed {
				continue
			}
			if d, err := once.Apply(graph.Event{Type: graph.Put, Object: n.Object()}); err == nil && once.changes(d, nil) != "" {
				t.Fatalf("the state of %s again: %s", n.Key(), once.changes(d, nil))
			}
		}
	})
}

// TestRebuild: after any history, a rewind and new listings leave the graph of a fresh
// start.
func TestRebuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, fresh := begin(t, worldConfig), begin(t, worldConfig)
		for _, e := range drawHistory(t, 20) {
			w.try(t, e)
		}
		live := w.objects()
		for _, again := range []*world{w, fresh} {
			again.do(t, graph.Event{Type: graph.Rewound})
			again.do(t, graph.Event{Type: graph.KindsKnown, Kinds: worldKinds})
			for _, k := range worldKinds {
				again.do(t, graph.Event{Type: graph.KindRecovered, Kind: k.Kind})
				again.do(t, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
			}
			for _, o := range rapid.Permutation(live).Draw(t, "order") {
				again.do(t, graph.Event{Type: graph.Put, Object: o})
			}
			for _, k := range worldKinds {
				if !slices.Contains(worldConfig.Ignore, k.Kind) {
					again.do(t, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
				}
				again.prune(t, k.Kind, 3)
			}
		}
		if w.everything() != fresh.everything() {
			t.Fatalf("after a history: %s\nfresh: %s", w.everything(), fresh.everything())
		}
	})
}

// objects returns the observed objects.
func (w *world) objects() (out []graph.Object) {
	for n := range w.Nodes() {
		if n.State() == graph.Observed {
			out = append(out, n.Object())
		}
	}
	return out
}

// TestCloneIndependence: a change of a graph leaves its clone as it is, and the reverse.
func TestCloneIndependence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		worlds, histories := []*world{begin(t, cfg)}, [][]graph.Event{nil}
		for range rapid.IntRange(2, 5).Draw(t, "rounds") {
			i := rapid.IntRange(0, len(worlds)-1).Draw(t, "which")
			worlds, histories = append(worlds, worlds[i].clone()), append(histories, slices.Clone(histories[i]))
			for _, j := range []int{i, len(worlds) - 1} {
				for _, e := range drawHistory(t, 6) {
					worlds[j].try(t, e)
					histories[j] = append(histories[j], e)
				}
			}
		}
		for i, w := range worlds {
			alone := begin(t, cfg)
			for _, e := range histories[i] {
				alone.try(t, e)
			}
			if w.everything() != alone.everything() || !cmp.Equal(w.keys(), alone.keys()) {
				t.Fatalf("among clones: %s\nalone: %s", w.everything(), alone.everything())
			}
		}
	})
}

// TestCloneLongText: a clone does not share the long text of an object.
func TestCloneLongText(t *testing.T) {
	g := graph.New(graph.Config{})
	feed(t, g, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}})
	o := graph.Object{Key: named("a", strings.Repeat("n", 300)), Version: "v1", Finalizers: []string{"x"}}
	feed(t, g, graph.Event{Type: graph.Put, Object: o})
	c, after := g.Clone(), o.Clone()
	after.Version, after.Finalizers = "v2", []string{"y"} // of the same length
	feed(t, c, graph.Event{Type: graph.Put, Object: after})
	for g, want := range map[*graph.Graph]graph.Object{g: o, c: after} {
		if n, _ := g.Lookup(o.Key); !cmp.Equal(n.Object(), want) {
			t.Errorf("the graph shows version %s, want %s", n.Version(), want.Version)
		}
	}
}

// TestNonInterference: a new object with any references does not change the classes of
// other references. Only its own life may do so, if its UID is named elsewhere. Such
// references are then misplaced, or two objects share a UID, which no store may have.
func TestNonInterference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := begin(t, drawConfig(t))
		for _, e := range drawHistory(t, 20) {
			w.try(t, e)
		}
		before := w.classes()
		keys := w.keys()
		for range rapid.IntRange(1, 5).Draw(t, "more") {
			k := drawServed(t, rapid.SampledFrom(worldKinds).Draw(t, "kind"))
			k.Name = rapid.SampledFrom([]string{"x", "other"}).Draw(t, "place")
			known := false
			for _, h := range keys {
				known = known || h == k
			}
			if !known {
				w.try(t, graph.Event{Type: graph.Put, Object: drawState(t, k)})
			}
		}
		after := w.classes()
		for ref, was := range before {
			now := after[ref]
			moved := was == "dangling" || was == "self by uid" || was == "renamed" || strings.HasPrefix(was, "un") && was != "unserved"
			elsewhere := (now == "misplaced" || now == "renamed") && moved
			if now != was && !elsewhere && now != "shared" {
				t.Fatalf("%s was %s, is %s: %s", ref, was, now, w)
			}
		}
	})
}

// classes returns the class or doubt of each reference of each object.
func (w *world) classes() map[string]string {
	out := map[string]string{}
	for n := range w.Nodes() {
		for i := range n.Owners() {
			out[fmt.Sprintf("%s, reference %d", n.Key(), i)] = w.class(n, i)
		}
	}
	return out
}

// TestNodeAgrees: the methods of a node agree with each other.
func TestNodeAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := begin(t, drawConfig(t))
		for _, e := range drawHistory(t, 25) {
			w.try(t, e)
		}
		for n := range w.Nodes() {
			if m, ok := w.Lookup(n.Key()); !ok || m != n || !w.Inside(inside.Key{}).InUse(n.ID()) || int(n.ID()) >= w.Inside(inside.Key{}).Cap() {
				t.Fatalf("%s is not found", n.Key())
			}
			o := n.Object()
			if n.Kind() != o.Kind || n.Scope() != o.Scope || n.Deleting() != o.Deleting || n.Inside(inside.Key{}).Propagation() != o.Propagation() || n.Version() != o.Version || n.Inside(inside.Key{}).Flawed() != (n.Flaw() != nil) ||
				n.Waiting() != (o.Waiting() && !n.Restricted()) || n.Orphaning() != (o.Orphaning() && !n.Restricted()) || n.Owners() != len(o.Owners) {
				t.Fatalf("%s: the node and its object differ", n.Key())
			}
			checkFacts(t, w, n, o)
		}
		if len(w.objects()) != w.Observed() || len(w.keys()) != w.Len() {
			t.Fatalf("%d observed of %d, counted as %d of %d", len(w.objects()), len(w.keys()), w.Observed(), w.Len())
		}
		checkLinks(t, w)
	})
}

// checkFacts compares the facts of a node, which have no text, with its object, and its
// references with the answers about each part.
func checkFacts(t *rapid.T, w *world, n graph.Node, o graph.Object) {
	generation, seen := n.Inside(inside.Key{}).Generations()
	if k, v := n.Inside(inside.Key{}).Named(); k != o.Key || v != o.Version || n.Inside(inside.Key{}).HasFinalizers() != (len(o.Finalizers) > 0) || generation != o.Generation || seen != o.ObservedGeneration {
		t.Fatalf("%s: the facts of the node and its object differ", n.Key())
	}
	if k, _ := w.Kind(n.Kind()); n.Inside(inside.Key{}).KindState() != k {
		t.Fatalf("%s: its kind is %+v, and by name %+v", n.Key(), n.Inside(inside.Key{}).KindState(), k)
	}
	for i := range o.Owners {
		owner, _ := n.OwnerNode(i)
		want := graph.Reference{Owner: owner.ID(), Self: n.Inside(inside.Key{}).SelfOwner(i), Block: o.Owners[i].Block, OnDelete: o.Owners[i].OnDelete}
		want.Class, want.Doubt = n.Inside(inside.Key{}).OwnerClass(i)
		if got := n.Reference(i); got != want || n.Inside(inside.Key{}).Blocks(i) != want.Block {
			t.Fatalf("%s: reference %d is %+v, want %+v", n.Key(), i, got, want)
		}
	}
}

// checkLinks compares the dependents that owners list with the references of the
// dependents.
func checkLinks(t *rapid.T, w *world) {
	dependents := map[graph.NodeID][]graph.NodeID{}
	refs, blocks, restricts := map[graph.NodeID]int{}, map[graph.NodeID]int{}, map[graph.NodeID]int{}
	for n := range w.Nodes() {
		owners := map[int]graph.Node{}
		for i, o := range n.OwnerNodes() {
			owners[i] = o
		}
		for i := range n.Owners() {
			o, ok := n.OwnerNode(i)
			if p, there := owners[i]; ok != there || ok && o != p {
				t.Fatalf("%s: reference %d leads to %v and to %v", n.Key(), i, o, p)
			}
			if !ok {
				continue
			}
			dependents[o.ID()] = append(dependents[o.ID()], n.ID())
			back := o.ID() == n.ID() || o.Inside(inside.Key{}).ByUID() && n.Inside(inside.Key{}).SelfOwner(i) // a node without an object counts the others
			if !back {
				refs[o.ID()]++
			}
			if !back && n.OwnerAt(i).Block {
				blocks[o.ID()]++
			}
			if !back && n.OwnerAt(i).OnDelete == graph.OnDeleteRestrict && (!n.Deleting() || n.Object().MarkWithheld()) {
				restricts[o.ID()]++
			}
		}
	}
	for n := range w.Nodes() {
		c, _ := w.Inside(inside.Key{}).Claim(n.ID())
		want := slices.DeleteFunc(slices.Concat(dependents[n.ID()], dependents[c]), func(d graph.NodeID) bool { return d == n.ID() })
		var got []graph.NodeID
		for d := range n.Dependents() {
			got = append(got, d.ID())
		}
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%s has dependents %v, want %v", n.Key(), got, want)
		}
		if r, b := refs[n.ID()]+refs[c], blocks[n.ID()]+blocks[c]; n.Referring() != r || n.Blocking() != b {
			t.Fatalf("%s: %d referring, %d blocking, want %d, %d", n.Key(), n.Referring(), n.Blocking(), r, b)
		}
		by := 0
		for range n.RestrictedBy() {
			by++
		}
		if r := restricts[n.ID()] + restricts[c]; by != r || n.Restricted() != (r > 0) {
			t.Fatalf("%s: restricted %v, by %d, want %d", n.Key(), n.Restricted(), by, r)
		}
	}
}
