package graph

import (
	"iter"
	"slices"
	"strings"
	"testing"
)

// names returns the nodes of a sequence by name.
func names(g *Graph, ids iter.Seq[NodeID]) string {
	var out []string
	for id := range ids {
		out = append(out, g.Node(id).Key().Name)
	}
	return strings.Join(out, " ")
}

// TestPending: a pruning and a fan-out go on with the nodes that Unpruned and Unfanned
// yield, in that order.
func TestPending(t *testing.T) {
	g := New(Config{})
	objects, err := Parse("k/a; k/b -> k/a; k/c -> k/a; k/d -> k/a")
	if err != nil {
		t.Fatal(err)
	}
	events := []Event{{Type: KindsKnown, Kinds: []KindInfo{{Kind: "k"}}}, {Type: ListBegun, Kind: "k"}}
	for _, o := range objects {
		o.Version = "1"
		events = append(events, Event{Type: Put, Object: o})
	}
	for _, ev := range events {
		if _, err := g.Apply(ev); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(g, g.inner().Unpruned("k")) + names(g, g.inner().Unpruned("x")) + names(g, g.OfKind("x")); got != "" {
		t.Errorf("before the listing ends and of a kind that is not there: %q, want nothing", got)
	}
	if _, err := g.Apply(Event{Type: ListEnded, Kind: "k"}); err != nil {
		t.Fatal(err)
	}
	all := names(g, g.OfKind("k"))
	if got := names(g, g.inner().Unpruned("k")); got != all || len(all) != len("a b c d") {
		t.Errorf("a pruning that has not begun has %q before it, want %q", got, all)
	}
	g.inner().Prune("k", 2)
	if got := names(g, g.inner().Unpruned("k")); got != all[len("a b "):] {
		t.Errorf("after two of %q a pruning has %q before it", all, got)
	}
	a, _ := g.Lookup(objects[0].Key)
	g.inner().Fan(a.ID())
	want := slices.Collect(g.inner().Unfanned(a.ID()))
	for i, id := range want {
		if got := slices.Collect(g.inner().Unfanned(a.ID())); !slices.Equal(got, want[i:]) {
			t.Errorf("after %d of %v a fan-out has %v before it", i, want, got)
		}
		if next, ok := g.inner().FanNext(a.ID()); !ok || next != id {
			t.Errorf("the fan-out goes on with %d, want %d", next, id)
		}
	}
	if len(want) != 3 || names(g, g.inner().Unfanned(a.ID())) != "" {
		t.Errorf("the fan-out had %v before it, and has %q at its end", want, names(g, g.inner().Unfanned(a.ID())))
	}
}
