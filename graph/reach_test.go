package graph_test

import (
	"iter"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func names(seq iter.Seq[graph.Node]) string {
	var out []string
	for n := range seq {
		out = append(out, n.Key().String())
	}
	return strings.Join(out, " ")
}

// TestReach: the walks up and down visit each node once, nearest first, and end in cycles.
func TestReach(t *testing.T) {
	for _, c := range []struct{ world, of, above, below, reason string }{
		{"put a; put b -> a; put c -> b", "b", "a", "c", "a chain"},
		{"put a; put b -> a; put c -> a; put d -> b, c", "a", "", "c b d", "a diamond, each node once"},
		{"put a -> b; put b -> a", "a", "b", "b", "a cycle, without the node itself"},
		{"put a -> a", "a", "", "", "a reference to itself leads nowhere"},
		{"put b -> a", "b", "a", "", "an owner that was never observed"},
		{"put a@u; put c -> x@u?", "c", "\"\"@u a@u", "", "an unresolved reference leads to the object with its UID"},
		{"put a@u; put c -> x@u?", "a@u", "", "c", "and back"},
	} {
		w := play(t, graph.Config{}, "kinds a b c d; "+c.world)
		n, ok := w.Lookup(parse(t, c.of)[0].Key)
		if !ok {
			t.Fatalf("%s: no node %s", c.world, c.of)
		}
		if got := names(n.Ancestors()); got != c.above {
			t.Errorf("%s: above %s are %q, want %q: %s", c.world, c.of, got, c.above, c.reason)
		}
		if got := names(n.Descendants()); got != c.below {
			t.Errorf("%s: below %s are %q, want %q: %s", c.world, c.of, got, c.below, c.reason)
		}
		for range n.Descendants() {
			break // a caller may end the walk
		}
	}
}

// TestGraphRings: rings wait for each other, and isolated cycles own each other alone.
func TestGraphRings(t *testing.T) {
	show := func(list [][]graph.Node) string {
		var out []string
		for _, ring := range list {
			var keys []string
			for _, n := range ring {
				keys = append(keys, n.Key().String())
			}
			out = append(out, strings.Join(keys, " "))
		}
		return strings.Join(out, ", ")
	}
	for _, c := range []struct{ world, rings, cycles, reason string }{
		{"put a~[foreground] -> b!; put b~[foreground] -> a!", "a b", "a b", "both wait for each other"},
		{"put d -> c; put c -> d; put b -> a; put a -> b", "", "a b, c d", "nothing waits, and the order is that of the keys"},
		{"put a -> b, c; put b -> a; put c", "", "", "an owner beside the cycle"},
		{"put a -> b, x; put b -> a", "", "a b", "an owner that is not observed keeps nothing"},
		{"put a@u -> b; put b -> x@u?", "", "a@u b", "an unresolved reference closes the cycle"},
		{"put a -> b; put b -> a, x@u?; put c@u", "", "", "an unresolved reference to an object beside the cycle"},
	} {
		w := play(t, graph.Config{}, "kinds a b c d; "+c.world)
		if got := show(w.Rings()); got != c.rings {
			t.Errorf("%s: rings %q, want %q: %s", c.world, got, c.rings, c.reason)
		}
		if got := show(w.IsolatedCycles()); got != c.cycles {
			t.Errorf("%s: isolated cycles %q, want %q: %s", c.world, got, c.cycles, c.reason)
		}
	}
}
