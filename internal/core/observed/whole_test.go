package observed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// TestObjectsComeBack: an object comes out as it went in, for every short form and every
// former state.
func TestObjectsComeBack(t *testing.T) {
	var all []graph.Object
	for _, uid := range []graph.UID{"u", "01234567-89ab-cdef-0123-456789abcdef"} {
		for _, generation := range []int64{0, 1, 127, 128, 1 << 40, -1} {
			for _, observed := range []int64{0, 1, -1} {
				for _, grace := range []int64{0, 1, 300, -1} {
					for _, finalizers := range [][]string{nil, {"x"}, {"", "orphan"}} {
						all = append(all, graph.Object{
							Key: graph.Key{Kind: "a", Name: "n", UID: uid}, Generation: generation, ObservedGeneration: observed,
							GraceSeconds: grace, Finalizers: finalizers, Deleting: grace > 0,
						})
					}
				}
			}
		}
	}
	g := observed.New(observed.Config{})
	feed(t, g, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}})
	for step := range len(all) {
		for _, o := range []graph.Object{all[step], all[step*37%len(all)]} {
			for _, version := range []graph.Version{"2", "18446744073709551616", "v", "01", "1"} {
				o.Version = version
				feed(t, g, graph.Event{Type: graph.Put, Object: o.Clone()})
				n, _ := g.Lookup(o.Key)
				if got := n.Object(); !got.Equal(o) {
					t.Fatalf("kept: %s", cmp.Diff(o, got))
				}
			}
		}
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}
