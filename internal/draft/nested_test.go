package draft

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// TestAddOpen: a target that is open for another reason stays open, although its own judgement is
// asked for. A root that lacks labels is open, and so is each one beyond the bound.
func TestAddOpen(t *testing.T) {
	key := func(i int) graph.Key { return graph.Key{Kind: "k", UID: graph.UID(rune('a' + i))} }
	target, judged, lacking := key(0), key(1), key(2)
	n := NewNested(plan.Target{Key: target})
	if v, ended := n.Begin(target); !ended || !v.Unknown {
		t.Errorf("a root below itself: %+v, ended %t", v, ended)
	}
	for _, root := range []graph.Key{judged, lacking} {
		if _, ended := n.Begin(root); ended {
			t.Fatalf("%v needs a plan", root)
		}
		n.End(root, plan.Verdict{Root: root}, root == lacking, root == judged)
	}
	open := map[graph.Key]bool{target: true}
	if n.AddOpen(open); !open[target] || !open[lacking] || open[judged] {
		t.Errorf("open: %v", open)
	}
	for i := 3; !n.Cut; i++ {
		if _, ended := n.Begin(key(i)); !ended {
			n.End(key(i), plan.Verdict{}, false, true)
		} else if n.AddOpen(open); !open[key(i)] {
			t.Errorf("a root beyond the bound is not open")
		}
	}
}
