package excerpt

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// TestWholeMeanwhile: objects and kinds come, change and go between the steps of a whole copy. The
// graph that it gives has the same nodes, states and classes as the copied one at the last step.
func TestWholeMeanwhile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(0, 30).Draw(t, "before") {
			w.changeAny(t)
		}
		c := NewWhole(w.g)
		w.copies = []*Copy{c}
		for left := rapid.IntRange(0, 40).Draw(t, "meanwhile"); ; left-- {
			done := c.Step(w.view(), rapid.IntRange(1, 9).Draw(t, "budget"))
			if done && left <= 0 {
				break
			}
			if left > 0 {
				w.changeAny(t)
			}
		}
		c.Close(w.g)
		if err := c.Check(w.view()); err != nil {
			t.Fatal(err)
		}
		g, err := c.Graph(graph.Config{}, w.g.Kinds())
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		if got, want := describe(g), describe(w.g); got != want {
			t.Fatalf("the copy is\n%s\nwant\n%s", got, want)
		}
	})
}

// changeAny makes a change of an object, or of a listing of its kind.
func (w *world) changeAny(t *rapid.T) {
	kind := rapid.SampledFrom([]graph.Kind{"k", "s"}).Draw(t, "kind")
	switch state, _ := w.g.Kind(kind); rapid.IntRange(0, 11).Draw(t, "listing") {
	case 0:
		w.apply(t, graph.Event{Type: graph.ListBegun, Kind: kind})
		for n := range w.g.Nodes() {
			if n.Kind() == kind && n.State() == graph.Observed {
				w.apply(t, graph.Event{Type: graph.Put, Object: n.Object()})
			}
		}
	case 1:
		if state.Listing {
			w.apply(t, graph.Event{Type: graph.ListEnded, Kind: kind})
			for _, k := range w.g.EndListing(kind) {
				w.apply(t, graph.Event{Type: graph.Gone, Key: k})
			}
		}
	case 2:
		w.apply(t, graph.Event{Type: graph.KindSick, Kind: kind})
	default:
		w.change(t)
	}
}

// describe lists the nodes of a graph with their states and the classes of their references.
func describe(g *graph.Graph) string {
	var b strings.Builder
	for n := range g.Nodes() {
		fmt.Fprintf(&b, "%s %s %s:", n.Key(), n.State(), n.Object())
		for _, r := range n.References() {
			fmt.Fprintf(&b, " %s (%s) %v %v", r.Class, r.Doubt, r.Self, r.Block)
		}
		fmt.Fprintf(&b, "; %d refer, %d block\n", n.Referring(), n.Blocking())
	}
	return b.String()
}
