package graph_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestLookup: a lookup finds no node for unknown coordinates.
func TestLookup(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b; put b -> a, x@b?")
	b, _ := w.Lookup(stored(t, "b").Key)
	if n, ok := w.Lookup(stored(t, "c").Key); ok || n.State() != graph.StateUnset || n.Referring() != 0 {
		t.Errorf("Lookup of unknown coordinates: %v, %t", n.Key(), ok)
	}
	if n, ok := w.Alive("c"); ok || n.State() != graph.StateUnset {
		t.Errorf("Alive of an unknown UID: %v, %t", n.Key(), ok)
	}
	if n, ok := w.Alive("b"); !ok || n != b {
		t.Errorf("Alive(b) = %v, %t", n.Key(), ok)
	}
	if _, ok := w.Alive("a"); ok {
		t.Error("a phantom is alive")
	}
	if w.Inside(inside.Key{}).InUse(0) || w.Inside(inside.Key{}).InUse(graph.NodeID(w.Inside(inside.Key{}).Cap())) || !w.Inside(inside.Key{}).InUse(b.ID()) {
		t.Error("InUse: want b, and neither 0 nor an id beyond the table")
	}
	if c, ok := w.Inside(inside.Key{}).Claim(b.ID()); !ok || w.Node(c).Key() != (graph.Key{UID: "b"}) {
		t.Errorf("Claim(b) = %d, %t", c, ok)
	}
	a, _ := b.OwnerNode(0)
	if _, ok := w.Inside(inside.Key{}).Claim(a.ID()); ok {
		t.Error("a phantom has a claim on its UID, which is unknown")
	}
}

// TestAliveDuplicates: of several objects with one UID, Alive returns the one with the
// least key, in every order of events.
func TestAliveDuplicates(t *testing.T) {
	const all = "put a/x@u; put a/y@u; put b@u; put pod/s/z@u; "
	for _, tc := range []struct{ history, want, reason string }{
		{"put b@u", "b@u", "one alone"},
		{"put b@u; put a/y@u", "a/y@u", "the later one has the lesser key"},
		{"put a/y@u; put b@u", "a/y@u", "the earlier one has"},
		{all + "gone a/x@u", "a/y@u", "the first is gone"},
		{all + "gone a/y@u", "a/x@u", "one between is gone"},
		{all + "gone pod/s/z@u; gone a/x@u; gone a/y@u", "b@u", "all but one are gone"},
		{all + "gone a/x@u; put a/x@u#2", "a/x@u", "one came back"},
	} {
		w := play(t, graph.Config{}, "kinds a b pod+; "+tc.history)
		if n, ok := w.Alive("u"); !ok || n.Key().String() != tc.want {
			t.Errorf("%s: Alive is %v, %t; want %s: %s", tc.history, n.Key(), ok, tc.want, tc.reason)
		}
	}
}

// TestStopEarly: an iteration stops when its body stops.
func TestStopEarly(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b c; put a; put b -> a, x; put c -> a?, a")
	a, _ := w.Lookup(stored(t, "a").Key)
	b, _ := w.Lookup(stored(t, "b").Key)
	steps := 0
	for range w.Nodes() {
		steps++
		break
	}
	for range a.Dependents() {
		steps++
		break
	}
	for range b.OwnerNodes() {
		steps++
		break
	}
	if steps != 3 {
		t.Errorf("%d steps, want 3", steps)
	}
}

// TestObjectOwnership: the caller owns the object that a node returns.
func TestObjectOwnership(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b; put b* -> a")
	n, _ := w.Lookup(stored(t, "b").Key)
	o := n.Object()
	o.Owners[0].Name, o.Finalizers[0] = "changed", "changed"
	if got := fmt.Sprint(n.Object()); got != "b#1* -> a" || w.Check() != nil {
		t.Errorf("the graph has %s after a caller changed its copy", got)
	}
}
