package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestKeysFrom: slices together have each observed node once, and no slice looks at more nodes
// or copies more text than it may.
func TestKeysFrom(t *testing.T) {
	g := graph.New(graph.Config{})
	put := func(name string, owner graph.Key) {
		o := graph.Object{Key: graph.Key{Kind: "pod", Name: name, UID: graph.UID("u" + name)}, Version: "1"}
		if owner.Kind != "" {
			o.Owners = []graph.Owner{{Key: owner}}
		}
		if _, err := g.Apply(graph.Event{Type: graph.Put, Object: o}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "pod"}}}); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		put(fmt.Sprint(i), graph.Key{Kind: "pod", Name: "none", UID: "none"})
	}
	put(strings.Repeat("n", 100), graph.Key{})
	put("last", graph.Key{})
	for _, c := range []struct {
		limit, size, most int
		reason            string
	}{{1, 1000, 1, "one node"}, {7, 1000, 7, "some nodes"}, {100, 10, 5, "little text"}, {100, 1, 1, "one key at least"}, {100, 1 << 20, 22, "all"}} {
		var all []graph.Key
		for next, first := graph.NodeID(0), true; first || next != 0; first = false {
			var some []graph.Key
			if some, next = g.Inside(inside.Key{}).KeysFrom(nil, next, c.limit, c.size); len(some) > c.most {
				t.Errorf("a slice has %d keys, want at most %d: %s", len(some), c.most, c.reason)
			}
			all = append(all, some...)
		}
		slices.SortFunc(all, graph.Key.Compare)
		if len(all) != 22 || len(slices.Compact(all)) != 22 {
			t.Errorf("%d keys, want each of 22 once: %s", len(all), c.reason)
		}
	}
}
