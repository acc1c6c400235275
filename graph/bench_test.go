package graph_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// tree returns the objects of n trees, each with one root, three inner nodes and thirty
// leaves. Owners come last, as after a restart.
func tree(n int) (out []graph.Event) {
	put := func(kind graph.Kind, name string, owner graph.Key) graph.Key {
		o := graph.Object{Version: "1"}
		o.Kind, o.Scope, o.Name, o.UID = kind, "s", name, graph.UID("3f0a9c1e-"+name)
		if owner.UID != "" {
			o.Owners = []graph.Owner{{Key: owner, Block: true, Controller: true}}
		}
		out = append(out, graph.Event{Type: graph.Put, Object: o})
		return o.Key
	}
	for t := range n {
		root := put("deployment", fmt.Sprint(t), graph.Key{})
		for i := range 3 {
			inner := put("replicaset", fmt.Sprint(t, "-", i), root)
			for j := range 10 {
				put("pod", fmt.Sprint(t, "-", i, "-", j), inner)
			}
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func forest(b *testing.B) *graph.Graph {
	g := graph.New(graph.Config{})
	if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: kinds("deployment+ replicaset+ pod+")}); err != nil {
		b.Fatal(err)
	}
	return g
}

func applyAll(b *testing.B, g *graph.Graph, events []graph.Event) {
	for _, e := range events {
		if _, err := g.Apply(e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIngest builds a graph of 300 trees of 34 objects.
func BenchmarkIngest(b *testing.B) {
	events := tree(300)
	b.ReportAllocs()
	for b.Loop() {
		applyAll(b, forest(b), events)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(events)), "ns/object")
}

// BenchmarkNoOpUpdate applies known states.
func BenchmarkNoOpUpdate(b *testing.B) {
	g, events := forest(b), tree(300)
	applyAll(b, g, events)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		applyAll(b, g, events[i%len(events):][:1])
		i++
	}
}

// BenchmarkFan walks the 10,000 dependents of one owner and classifies each.
func BenchmarkFan(b *testing.B) {
	g := forest(b)
	owner := graph.Key{Kind: "replicaset", Scope: "s", Name: "r", UID: "r"}
	for i := range 10_000 {
		k := graph.Key{Kind: "pod", Scope: "s", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint(i))}
		applyAll(b, g, []graph.Event{{Type: graph.Put, Object: graph.Object{Key: k, Version: "1", Owners: []graph.Owner{{Key: owner}}}}})
	}
	n, _ := g.Lookup(owner)
	b.ReportAllocs()
	for b.Loop() {
		g.Inside(inside.Key{}).Fan(n.ID())
		for d, ok := g.Inside(inside.Key{}).FanNext(n.ID()); ok; d, ok = g.Inside(inside.Key{}).FanNext(n.ID()) {
			if c, _ := g.Node(d).Inside(inside.Key{}).OwnerClass(0); c != graph.Unknown {
				b.Fatal(c)
			}
		}
	}
}

// BenchmarkClone copies a graph of 10,200 objects.
func BenchmarkClone(b *testing.B) {
	g := forest(b)
	applyAll(b, g, tree(300))
	b.ReportAllocs()
	for b.Loop() {
		g.Clone()
	}
}

// BenchmarkAgain applies the states of 100,000 objects again, in random order,
// one by one and with a prefetch over 32 of them.
func BenchmarkAgain(b *testing.B) {
	g, events := forest(b), tree(3000)
	applyAll(b, g, events)
	for i := range events { // the order is the same in each run
		j := (i*7919 + 13) % len(events)
		events[i], events[j] = events[j], events[i]
	}
	for _, bc := range []struct {
		name     string
		prefetch func([]graph.Event)
	}{
		{"one", func([]graph.Event) {}},
		{"prefetch", g.Inside(inside.Key{}).Prefetch},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := i % (len(events) / 32) * 32
				batch := events[at : at+32]
				bc.prefetch(batch)
				for j := range batch {
					if _, err := g.Inside(inside.Key{}).ApplyEvent(&batch[j]); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(32*b.N), "ns/event")
		})
	}
}
