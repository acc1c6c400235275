package graph_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestReferencesInOrder: the walk over the references of an object yields those that a lookup of each one
// finds, also for references without a UID, by the UID alone, and to the object itself.
func TestReferencesInOrder(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		g := graph.New(graph.Config{})
		apply := func(ev graph.Event) {
			if _, err := g.Inside(inside.Key{}).ApplyEvent(&ev); err != nil {
				t.Fatal(err)
			}
		}
		apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "k"}}})
		key := func(i int) graph.Key {
			return graph.Key{Kind: "k", Name: fmt.Sprint("n", i), UID: graph.UID(fmt.Sprint("u", i))}
		}
		for version := range 30 {
			o := graph.Object{Key: key(random.IntN(6)), Version: graph.Version(fmt.Sprint(version + 1))}
			for range random.IntN(7) {
				r := graph.Owner{Key: key(random.IntN(8)), Block: random.IntN(2) == 0, Unresolved: random.IntN(4) == 0}
				if random.IntN(6) == 0 {
					r.UID = ""
				}
				o.Owners = append(o.Owners, r)
			}
			apply(graph.Event{Type: graph.Put, Object: o})
			for n := range g.Nodes() {
				count := 0
				for i, r := range n.References() {
					if want := n.Reference(i); i != count || r != want {
						t.Fatalf("seed %d: reference %d of %s is %+v, want %+v", seed, i, n.Key(), r, want)
					}
					count++
				}
				if count != n.Owners() {
					t.Fatalf("seed %d: %d references of %s, want %d", seed, count, n.Key(), n.Owners())
				}
				for range n.References() {
					break
				}
			}
		}
	}
}
