package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
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
	g := graph.New(graph.Config{})
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

// TestPoliciesComeBack: a reference comes out with its policy, in every form of the record
// and after every other policy. A change of the policy alone is a change.
func TestPoliciesComeBack(t *testing.T) {
	policies := []graph.OnDelete{graph.OnDeleteUnset, graph.OnDeleteRelease, graph.OnDeleteRestrict, 255}
	for _, text := range []string{"a/n -> a", "a/n -> a!^", "a/n -> a?", "a/n -> a/n", "a/n -> a, a/b!"} {
		o, err := graph.ParseObject(text)
		if err != nil {
			t.Fatal(err)
		}
		g := graph.New(graph.Config{})
		feed(t, g, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}})
		o.Version = "1"
		feed(t, g, graph.Event{Type: graph.Put, Object: o.Clone()})
		for step := range 16 {
			for _, policy := range []graph.OnDelete{policies[step%4], policies[step/4]} {
				changed := o.Owners[0].OnDelete != policy
				o.Owners[0].OnDelete = policy
				d, err := g.Apply(graph.Event{Type: graph.Put, Object: o.Clone()})
				if n, _ := g.Lookup(o.Key); err != nil || !n.Object().Equal(o) || n.OwnerAt(0) != o.Owners[0] || d.Version != changed {
					t.Fatalf("%s: %v, delta %+v, the graph has %s, owner %s", o, err, d, n.Object(), n.OwnerAt(0))
				}
			}
		}
		if err := g.Check(); err != nil {
			t.Error(err)
		}
	}
}
