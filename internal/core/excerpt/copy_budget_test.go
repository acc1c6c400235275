package excerpt

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestCopyStepIsBounded: a step costs its budget, however many dependents one object has.
// The engine goes on between two steps (RULES, P1).
func TestCopyStepIsBounded(t *testing.T) {
	const dependents, budget = 1000, 10
	g := graph.New(graph.Config{})
	apply := func(ev graph.Event) {
		if _, err := g.Inside(inside.Key{}).ApplyEvent(&ev); err != nil {
			t.Fatal(err)
		}
	}
	apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "k"}}})
	apply(graph.Event{Type: graph.Put, Object: graph.Object{Key: key(0), Version: "1"}})
	for i := range dependents {
		k := graph.Key{Kind: "k", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint(i))}
		apply(graph.Event{Type: graph.Put, Object: graph.Object{Key: k, Version: "1", Owners: []graph.Owner{{Key: key(0)}}}})
	}
	v := View{Nodes: record.Nodes{Graph: g, Table: &record.Table{}}}
	root, _ := g.Lookup(key(0))
	c := New(g)
	defer c.Close(g)
	c.Add(root.ID())
	for before, done := c.Len(), false; !done; before = c.Len() {
		if done = c.Step(v, budget); c.Len()-before > budget {
			t.Fatalf("a step with the budget %d has found %d parts", budget, c.Len()-before)
		}
	}
	if c.Len() != dependents+1 {
		t.Errorf("%d parts, want %d", c.Len(), dependents+1)
	}
}
