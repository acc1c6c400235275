package brake

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
)

// TestCountAgain: when a kind comes back that a count has left out, the cascade is counted anew
// before its next delete. A count that has left out nothing stays.
func TestCountAgain(t *testing.T) {
	gap := &kinds.Gap{Kinds: []graph.Kind{"c"}}
	r := newRig(t, Settings{PerCascade: 2}, "a; a/x; b/0 -> a; b/1 -> a; b/x -> a/x")
	v := r.view()
	r.begin("a/x")
	v.Gap = gap
	r.m.begin(v, key("a"), nil, 0)
	if a := r.judgeIn(v, "b/0", []graph.Key{key("a")}); a != Go {
		t.Fatal(a)
	}
	r.take(1)
	if r.returned = 1; r.isKnown(key("a")) || !r.isKnown(key("a/x")) {
		t.Errorf("known are a: %t, a/x: %t; want a/x alone", r.isKnown(key("a")), r.isKnown(key("a/x")))
	}
	v = r.view()
	v.Listed = false
	if a := r.judgeIn(v, "b/1", []graph.Key{key("a")}); a != NeedListings {
		t.Errorf("%v, want that the object waits for the listing of the kind", a)
	}
	if w, ok := r.m.WaitOf(r.id("b/1")); !ok || w.For != NeedListings {
		t.Errorf("%+v, %t", w, ok)
	}
	for i := range 3 {
		o, _ := graph.ParseObject([]string{"c/0#1 -> a", "c/1#1 -> a", "c/2#1 -> a"}[i])
		r.apply(graph.Event{Type: graph.Put, Object: o})
	}
	if a := r.judge("c/0", "a"); a != Held || r.m.at(r.m.index[key("a")]).handed != 1 {
		t.Errorf("%v, want that five objects are too many", a)
	}
}

// TestGapLine: the log names the kinds that counts leave out, once until they change.
func TestGapLine(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 9}, "a/0; a/1; a/2; a/3")
	lines := func(root string, gap *kinds.Gap) (n int) {
		v := r.view()
		v.Gap = gap
		r.m.begin(v, key(root), nil, 0)
		for _, x := range r.out.Items() {
			if x.Type == effect.Log {
				n++
			}
		}
		r.out.Reset()
		return n
	}
	for _, c := range []struct {
		root   string
		gap    *kinds.Gap
		want   int
		reason string
	}{
		{"a/0", nil, 0, "nothing is left out"},
		{"a/1", &kinds.Gap{Kinds: []graph.Kind{"c"}}, 1, "a kind is left out"},
		{"a/2", &kinds.Gap{Kinds: []graph.Kind{"c"}}, 0, "the same one"},
		{"a/3", &kinds.Gap{Kinds: []graph.Kind{"b", "c"}, More: 1}, 1, "further ones"},
	} {
		if got := lines(c.root, c.gap); got != c.want {
			t.Errorf("%s: %d lines, want %d", c.reason, got, c.want)
		}
	}
}
