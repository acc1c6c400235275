package orphaned

import (
	"cmp"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
)

// world is a memory beside the graph of one watch.
type world struct {
	*testing.T
	g *graph.Graph
	m Memory
}

// newWorld returns a world whose watch has shown the objects of the kinds a and b.
func newWorld(t *testing.T, size int, objects string) *world {
	t.Helper()
	w := &world{T: t, g: graph.New(graph.Config{}), m: New(size)}
	w.apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}})
	for _, k := range []graph.Kind{"a", "b"} {
		w.apply(graph.Event{Type: graph.ListBegun, Kind: k})
		w.apply(graph.Event{Type: graph.ListEnded, Kind: k})
	}
	w.show(objects)
	return w
}

func (w *world) apply(ev graph.Event) {
	w.Helper()
	if _, err := w.g.Apply(ev); err != nil {
		w.Fatal(err)
	}
}

// show makes the watch show objects in our notation.
func (w *world) show(objects string) {
	w.Helper()
	parsed, err := graph.Parse(objects)
	if err != nil {
		w.Fatal(err)
	}
	for _, o := range parsed {
		o.Version = cmp.Or(o.Version, "1")
		w.apply(graph.Event{Type: graph.Put, Object: o})
		if n, ok := w.g.Lookup(o.Key); ok {
			w.m.Update(n)
		}
	}
}

// The ends of a fenced orphaning, before and after the watch shows the end of the owner.
var living, gone = End{Fenced: true}, End{Fenced: true, Shown: true}

// ends is the write that ends the orphaning of o, and frees the one that orphans d.
var (
	ends  = inflight.Call{Key: owner("o"), Orphan: inflight.Ends}
	frees = inflight.Call{Key: graph.Key{Kind: "b", Name: "d", UID: "b/d"}, Orphan: inflight.Frees}
)

func owner(name string) graph.Key {
	return graph.Key{Kind: "a", Name: name, UID: graph.UID(name)}
}

// end makes the watch show the end of an owner.
func (w *world) end(name string) {
	w.Helper()
	w.apply(graph.Event{Type: graph.Gone, Key: owner(name)})
	w.m.Observe(w.g, owner(name))
}

// serves reports whether the memory serves the reference of a dependent to an owner.
func (w *world) serves(dep graph.UID, name string) bool {
	_, ok := w.m.Of(graph.Config{}, dep, owner(name))
	return ok
}

// TestObserve: the memory serves the references that the watch showed before the end of the owner.
func TestObserve(t *testing.T) {
	for _, c := range []struct {
		change func(*world)
		want   []graph.UID
		reason string
	}{
		{func(w *world) { w.m.Add(owner("o"), living); w.end("o") }, []graph.UID{"b/d", "b/e"}, "both were there"},
		{func(w *world) { w.m.Begin(&ends); w.end("o"); w.m.Done(&ends, true) }, []graph.UID{"b/d", "b/e"}, "the answer of the write comes after the end"},
		{func(w *world) { w.m.Begin(&ends); w.m.Done(&ends, true); w.end("o") }, []graph.UID{"b/d", "b/e"}, "the answer comes before it"},
		{func(w *world) { w.m.Begin(&ends); w.end("o"); w.m.Done(&ends, false) }, []graph.UID{"b/d", "b/e"}, "the answer is lost, or another engine was first"},
		{func(w *world) { w.m.Begin(&ends); w.m.Done(&ends, false); w.end("o") }, nil, "the write failed"},
		{func(w *world) { w.m.Begin(&ends); w.end("o") }, []graph.UID{"b/d", "b/e"}, "the write has no answer yet"},
		{func(w *world) { w.m.Begin(&ends); w.end("o"); w.show("b/f#2 -> a/o@o") }, []graph.UID{"b/d", "b/e"}, "the same, and f refers to an owner that is gone"},
		{func(w *world) { w.m.Begin(&ends) }, nil, "the write has no answer yet, and the owner lives"},
		{func(w *world) { w.m.Add(owner("o"), living) }, []graph.UID{"b/d", "b/e", "b/f"}, "the owner lives on, and has lost its finalizer"},
		{func(w *world) { w.m.Add(owner("o"), living); w.end("o"); w.show("b/f#2 -> a/o@o") }, []graph.UID{"b/d", "b/e"}, "f refers to an owner that is gone"},
		{func(w *world) { w.m.Add(owner("o"), living); w.end("o"); w.m.Clear() }, nil, "another history"},
		{func(w *world) { w.show("b/f#2 -> a/x@o"); w.m.Add(owner("o"), living); w.end("o") }, []graph.UID{"b/d", "b/e", "b/f"}, "f refers to it by its UID, under another name"},
		{func(w *world) { w.show("b/d#2; b/e#2; b/f#2 -> a/x@o"); w.m.Add(owner("o"), living); w.end("o") }, []graph.UID{"b/f"}, "no other object refers to it"},
		{func(w *world) { w.m.Add(owner("o"), End{}); w.end("o"); w.show("b/f#2 -> a/o@o") }, []graph.UID{"b/d", "b/e", "b/f"}, "without a fence f may be older than the mark"},
		{func(w *world) { w.m.Add(owner("p"), living); w.end("p") }, nil, "another owner ended"},
	} {
		w := newWorld(t, 10, "a/o@o; a/p@p; b/d -> a/o@o; b/e -> a/o@o; b/f")
		c.change(w)
		for _, dep := range []graph.UID{"b/d", "b/e", "b/f"} {
			if got, want := w.serves(dep, "o"), slices.Contains(c.want, dep); got != want {
				t.Errorf("%s is served: %t, want %t: %s", dep, got, want, c.reason)
			}
		}
		if err := w.m.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestUpdate: a reference that goes and comes again is another one, and an update that keeps
// the reference changes nothing.
func TestUpdate(t *testing.T) {
	for _, c := range []struct {
		change func(*world)
		want   bool
		reason string
	}{
		{func(w *world) { w.show("b/d#2 -> a/o@o") }, true, "an update of something else"},
		{func(w *world) { w.show("b/d#2"); w.show("b/d#3 -> a/o@o") }, false, "the reference was added again"},
		{func(w *world) { w.m.Done(&frees, true); w.show("b/d#3 -> a/o@o") }, false, "the same, and the watch left out the version between"},
		{func(w *world) { w.m.Done(&frees, false) }, true, "the write failed"},
	} {
		w := newWorld(t, 10, "a/o@o; b/d#1 -> a/o@o; b/e#1 -> a/o@o")
		w.m.Add(owner("o"), living)
		w.end("o")
		c.change(w)
		if got := w.serves("b/d", "o"); got != c.want {
			t.Errorf("d is served: %t, want %t: %s", got, c.want, c.reason)
		}
	}
}

// TestOf: the memory counts by the UID, unless a setting reads other coordinates as absence.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		set    graph.Config
		key    graph.Key
		want   bool
		reason string
	}{
		{graph.Config{}, graph.Key{Kind: "p", Scope: "s", Name: "x", UID: "u"}, true, "another name"},
		{graph.Config{}, graph.Key{Kind: "a", Name: "x", UID: "u"}, true, "other coordinates altogether"},
		{graph.Config{}, graph.Key{Kind: "p", Scope: "s", Name: "o", UID: "v"}, false, "another UID"},
		{graph.Config{OwnerName: graph.NameAbsent}, graph.Key{Kind: "p", Scope: "s", Name: "x", UID: "u"}, false, "another name is absent"},
		{graph.Config{OwnerName: graph.NameAbsent}, graph.Key{Kind: "p", Scope: "t", Name: "o", UID: "u"}, true, "another scope is not"},
		{graph.Config{Scope: graph.ScopeAbsent}, graph.Key{Kind: "p", Scope: "t", Name: "o", UID: "u"}, false, "another scope is absent"},
		{graph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}, graph.Key{Kind: "a", Scope: "s", Name: "o", UID: "u"}, false, "another kind is absent"},
		{graph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}, graph.Key{Kind: "p", Scope: "s", Name: "o", UID: "u"}, true, "the owner itself"},
	} {
		m := New(10)
		m.Add(graph.Key{Kind: "p", Scope: "s", Name: "o", UID: "u"}, gone)
		m.Show("d", "u")
		if was, ok := m.Of(c.set, "d", c.key); ok != c.want || ok && was.Name != "o" {
			t.Errorf("%s under %+v: %t, %s, want %t: %s", c.key, c.set, ok, was, c.want, c.reason)
		}
		if _, ok := m.Of(c.set, "e", c.key); ok {
			t.Errorf("%s under %+v is served for another dependent", c.key, c.set)
		}
	}
}

// TestBound: more references than the size displace each other, the least recently used first.
func TestBound(t *testing.T) {
	w := newWorld(t, 2, "a/o@o; b/d -> a/o@o; b/e -> a/o@o; b/f -> a/o@o")
	w.m.Add(owner("o"), living)
	w.end("o")
	served := 0
	for _, dep := range []graph.UID{"b/d", "b/e", "b/f"} {
		if w.serves(dep, "o") {
			served++
		}
	}
	if served != 2 {
		t.Errorf("%d dependents are served, want the size", served)
	}
	w.m.Show("b/f", "o")
	w.m.Use("b/f", "o")
	w.m.Show("x", "o")
	if c := w.m.Clone(); !w.serves("b/f", "o") || !slices.Equal(c.Shown("b/f"), []graph.UID{"o"}) {
		t.Error("the memory forgot the reference that was used last")
	}
	none := New(-1)
	if none.Add(owner("o"), gone); !none.Empty() {
		t.Error("a memory without a size has an owner")
	}
}
