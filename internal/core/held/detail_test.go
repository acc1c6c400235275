package held

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// nodeOf returns the node of the object a in a graph with these objects, in notation.
func nodeOf(t *testing.T, objects string) graph.Node {
	t.Helper()
	_, a := storedIn(t, objects)
	return a
}

// storedIn returns a graph with these objects, in notation, and the node of the object a.
func storedIn(t *testing.T, objects string) (g *graph.Graph, a graph.Node) {
	t.Helper()
	g = graph.New(graph.Config{})
	all, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[graph.Kind]bool{}
	for _, o := range all {
		kinds[o.Kind] = true
	}
	known := graph.Event{Type: graph.KindsKnown}
	for k := range kinds {
		known.Kinds = append(known.Kinds, graph.KindInfo{Kind: k})
	}
	if _, err := g.Apply(known); err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		d, err := g.Apply(graph.Event{Type: graph.Put, Object: o})
		if err != nil {
			t.Fatal(err)
		}
		if o.Kind == "a" {
			a = g.Node(d.Node)
		}
	}
	return g, a
}

// TestDetail: the names in a report are those that hold the object, and they are bounded.
func TestDetail(t *testing.T) {
	many, owners, restricting := "a#1", "a#1 -> ", "a#1"
	for i := range 20 {
		restricting += fmt.Sprintf("; d/%02d#1 -> a:restrict", i)
		many += fmt.Sprintf("; d/%02d#1 -> a!", i)
		owners += fmt.Sprintf("o/%02d, ", i)
	}
	for _, c := range []struct {
		objects string
		names   func(graph.Node) []string
		want    string
		reason  string
	}{
		{"a#1", Dependents, "", "no dependent"},
		{"a#1; d#1 -> a!; c#1 -> a", Dependents, "d", "only a blocking reference holds an owner"},
		{"a#1; d#1 -> a!; c#1 -> a!", Dependents, "c d", "two dependents"},
		{many, Dependents, "8 names", "many dependents"},
		{"a#1 -> x", Owners, "x", "the owner is not observed"},
		{strings.TrimSuffix(owners, ", "), Owners, "8 names", "many owners"},
		{"a#1", Flaw, "", "no flaw"},
		{"a#1", Grace, "over: the store has to remove it", "no grace period is left"},
		{"a#1~30", Grace, "30 s", "a grace period"},
		{"a#1; d#1 -> a:restrict; c#1 -> a; e#1~[x] -> a:restrict", Restricting, "d", "an unmarked object with such a reference"},
		{restricting, Restricting, "8 names", "many restricting objects"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			got := Trim(c.names(nodeOf(t, c.objects)))
			text := strings.Join(got, " ")
			if len(got) == maxDetail {
				text = "8 names"
			}
			if text != c.want {
				t.Errorf("%q, want %q", text, c.want)
			}
		})
	}
}

// TestCause: a cause has its names and the last error, each once.
func TestCause(t *testing.T) {
	for _, c := range []struct {
		why          policy.Reason
		doubt        graph.Doubt
		details      []string
		last         string
		want, reason string
	}{
		{policy.NeedFinalizers, graph.DoubtUnset, []string{"x", "y"}, "e", "finalizer x, y", "a finalizer alone"},
		{policy.OwnerUnknown, graph.Unobserved, nil, "", graph.Unobserved.String(), "the doubt about an owner"},
		{policy.Restricted, graph.DoubtUnset, []string{"d"}, "", policy.Restricted.String() + ": d", "the objects that restrict it"},
		{policy.StoreRefused, graph.DoubtUnset, []string{"d"}, "e", policy.StoreRefused.String() + ": d; last error: e", "an error"},
		{policy.StoreRefused, graph.DoubtUnset, []string{"error e"}, "error e", policy.StoreRefused.String() + ": error e", "the detail has the error"},
	} {
		if got := Cause(c.why, c.doubt, c.details, c.last); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestTrim: the names of a report are sorted and bounded, and each is there once.
func TestTrim(t *testing.T) {
	for _, c := range []struct {
		names, want []string
		reason      string
	}{
		{nil, nil, "no name"},
		{[]string{"b", "a", "b"}, []string{"a", "b"}, "a doubled name"},
		{strings.Fields("j i h g f e d c b a"), strings.Fields("a b c d e f g h"), "more than the bound"},
	} {
		if got := Trim(c.names); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
