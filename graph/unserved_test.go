package graph_test

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestUnservedAgain: the graph refuses an object of a kind that is no longer served, even
// in its observed state.
func TestUnservedAgain(t *testing.T) {
	g := play(t, graph.Config{}, "kinds a b; put a; kinds b").Graph
	n, _ := g.Lookup(named("a", "a"))
	if _, err := g.Apply(graph.Event{Type: graph.Put, Object: n.Object()}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("%v, want a refusal", err)
	}
}

// TestPlainNames: names of letters, digits, dots, dashes and underscores stand in the
// notation without quotes.
func TestPlainNames(t *testing.T) {
	const line = "a.b_c/x-1_2.Z#v_1 -> k/o_1"
	o, err := graph.ParseObject(line)
	if err != nil || o.String() != line {
		t.Errorf("%q, %v, want %q", o, err, line)
	}
}
