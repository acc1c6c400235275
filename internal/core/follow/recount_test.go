package follow

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
	"pgregory.net/rapid"
)

// model is a naive follower: it counts all objects anew after each change.
type model struct {
	root    graph.Key
	objects map[graph.Key]graph.Object
	gone    map[graph.Key]bool
}

// members returns the objects from which a way leads to the root or to a member that is
// gone.
func (m *model) members() map[graph.Key]bool {
	in := map[graph.Key]bool{}
	for grown := true; grown; {
		grown = false
		for k, o := range m.objects {
			if !in[k] && (k == m.root || m.isContained(in, k) || slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return m.leads(in, k, r) })) {
				in[k], grown = true, true
			}
		}
	}
	return in
}

// isContained reports whether an object stands in the scope of a member, or in that of a box that is gone.
func (m *model) isContained(in map[graph.Key]bool, k graph.Key) bool {
	for _, set := range []map[graph.Key]bool{in, m.gone} {
		for c := range set {
			_, exists := m.objects[c]
			if k.Scope != "" && c.Name == k.Scope && (c.Kind == "box" || c.Kind == "ns" && exists) {
				return true
			}
		}
	}
	return false
}

// isKept reports whether the finalizer of a container keeps it, because it has a member.
func (m *model) isKept(k graph.Key) bool {
	for o := range m.objects {
		if k.Kind == "ns" && o.Scope == k.Name {
			return true
		}
	}
	return false
}

// leads reports whether a reference of an object leads to a member. An object in a scope owns in
// that scope alone.
func (m *model) leads(in map[graph.Key]bool, from graph.Key, r graph.Owner) bool {
	for _, set := range []map[graph.Key]bool{in, m.gone} {
		for k := range set {
			if k.UID != from.UID && (k.Scope == "" || k.Scope == from.Scope) && (r.Unresolved && k.UID == r.UID || !r.Unresolved && k == r.Key) {
				return true
			}
		}
	}
	return false
}

// TestRecount: after each change of any graph, known, gone, left and held are those of a
// naive recount. A member that waits for the write of another engine is not held.
func TestRecount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.step(rapid.SampledFrom([]string{"put", "put", "put", "end", "hold", "rewind"}).Draw(t, "change"))
			w.compare()
		}
	})
}

// TestRecountDuringWalk: the walk goes on in small steps while objects come and go. Its
// end has every object of the deletion.
func TestRecountDuringWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.grow = true
		for range rapid.IntRange(1, 20).Draw(t, "objects") {
			w.step("put")
		}
		w.Close(w.graph) // all of them exist at the beginning
		w.Follower = open(w.graph, w.model.root)
		w.Begin(w.view(), w.model.root)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			w.step(rapid.SampledFrom([]string{"put", "end", "hold"}).Draw(t, "change"))
			w.Step(w.view(), rapid.IntRange(0, 3).Draw(t, "budget"))
			if err := w.Check(w.view()); err != nil {
				t.Fatal(err)
			}
		}
		w.compare()
	})
}

// world gives the same changes to a graph and its model.
type world struct {
	t *rapid.T
	*rig
	model   model
	places  []string
	version int
	grow    bool // objects keep the references that they have
}

// worldPlaces are the places of the objects. The first one is the root, in a scope or not.
var worldPlaces = [...][]string{
	{"k/n0", "k/n1", "k/n2", "k/n3", "k/n4", "k/n5", "k/n6", "k/n7"},
	{"p/one/n0", "p/one/n1", "p/one/n2", "p/two/n3", "p/one/n4", "p/two/n5", "k/n6", "k/n7"},
	{"k/n0", "p/one/n1", "ns/one", "ns/two", "p/two/n4", "p/two/n5", "p/one/n6"},
	{"k/n0", "p/one/n1", "box/one", "box/two", "p/two/n4", "p/two/n5", "p/one/n6"},
}

func newWorld(t *rapid.T) *world {
	places := worldPlaces[rapid.IntRange(0, len(worldPlaces)-1).Draw(t, "places")]
	root := parse(t, places[0])[0]
	w := &world{t: t, rig: newRig(t, places[0]), model: model{root: root.Key}, places: places}
	w.model.objects, w.model.gone = map[graph.Key]graph.Object{root.Key: root}, map[graph.Key]bool{}
	return w
}

func (w *world) step(change string) {
	name := rapid.SampledFrom(w.places).Draw(w.t, "name")
	key := parse(w.t, name)[0].Key
	was, exists := w.model.objects[key]
	switch {
	case change == "rewind":
		w.observe(graph.Event{Type: graph.Rewound})
		w.Rewind()
	case change == "put" && !(w.grow && w.model.gone[key]):
		o := w.draw(name)
		if w.grow {
			o.Owners = append(o.Owners, was.Owners...)
		}
		w.model.objects[key] = o
		delete(w.model.gone, key)
		w.observe(graph.Event{Type: graph.Put, Object: o})
	case change == "end" && exists && !w.model.isKept(key):
		if w.model.members()[key] {
			w.model.gone[key] = true
		}
		delete(w.model.objects, key)
		w.observe(graph.Event{Type: graph.Gone, Key: key})
	case change == "hold" && exists:
		w.hold(name, rapid.SampledFrom([]policy.Reason{policy.ReasonUnset, policy.NeedDependents, policy.KindSick, policy.ObserveOnly}).Draw(w.t, "reason"))
	}
}

// draw returns an object with some references, and a version of its own.
func (w *world) draw(name string) graph.Object {
	w.version++
	text := fmt.Sprintf("%s#%d", name, w.version)
	for i, owner := range rapid.SliceOfN(rapid.SampledFrom(w.places), 0, 3).Draw(w.t, "owners") {
		text += [...]string{" -> ", ", ", ", "}[i] + owner + rapid.SampledFrom([]string{"", "", "", "?"}).Draw(w.t, "flag")
	}
	return parse(w.t, text)[0]
}

func (w *world) compare() {
	in := w.model.members()
	c := w.walk()
	held, blocked := 0, 0
	for n := range w.graph.Nodes() {
		if in[n.Key()] && w.rig.held.Has(n.ID()) && w.rig.held.Get(n.ID()).Reason != policy.ObserveOnly {
			held++
			if w.rig.held.Get(n.ID()).Reason == policy.NeedDependents {
				held, blocked = held-1, blocked+1
			}
		}
	}
	if c.Gone != len(w.model.gone) || c.Left != len(in) || c.Held != held || c.Blocked != blocked || !c.Complete {
		w.t.Fatalf("%+v, want %d gone, %d left %v, %d held, %d blocked; %v", c, len(w.model.gone), len(in), slices.Collect(maps.Keys(in)), held, blocked, w.model.objects)
	}
}
