package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestOrderDelaysNoOther: clients change the objects below an ordered root faster than a walk
// over them ends. Another cascade goes on all the same.
func TestOrderDelaysNoOther(t *testing.T) {
	const objects, every = 20_000, 20
	e, err := New(Level2, Config{Guards: []guard.Guard{{Kinds: []graph.Kind{"a"}, Names: []string{"a"}, Phases: []guard.Phase{{Kinds: []graph.Kind{"b"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	e.now = time.Unix(1000, 0)
	root := put("a#1").Object
	root.Deleting, root.Finalizers = true, []string{graph.FinalizerForeground}
	e.observeEach(t, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}})
	for _, k := range []graph.Kind{"a", "b", "c"} {
		e.observeEach(t, graph.Event{Type: graph.ListBegun, Kind: k})
	}
	e.observeEach(t, graph.Event{Type: graph.Put, Object: root}, put("a/x#1"), put("b/x#1 -> a/x"))
	for i := range objects {
		e.observeEach(t, put(fmt.Sprintf("b/%d#1 -> a", i)))
	}
	for _, k := range []graph.Kind{"a", "b", "c"} {
		e.observeEach(t, graph.Event{Type: graph.ListEnded, Kind: k})
	}
	e.observeEach(t, goneOf("a/x"))
	other := false
	for step := 0; step < 3000 && !other; step++ {
		if step%every == 0 {
			e.observeEach(t, put(fmt.Sprintf("c/%d#1 -> a", step)))
		}
		switch c, _ := e.Next(e.now, LaneStore); c.Type {
		case CallUnset:
		case CallDelete:
			other = c.Key.Name == "x"
			err = e.Done(e.now, c.ID, Result{})
			e.observeEach(t, graph.Event{Type: graph.Gone, Key: c.Key})
		default:
			err = e.Done(e.now, c.ID, Result{Object: root})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !other {
		t.Error("the other cascade does not begin")
	}
}
