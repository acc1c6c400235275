package graph_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// TestClassify: the class of a reference before its object exists is the class that the graph
// gives when it has the object, in random worlds with every flaw of a reference.
func TestClassify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := begin(t, drawConfig(t))
		for _, e := range drawHistory(t, 25) {
			w.try(t, e)
		}
		r := drawRef(t)
		o := graph.Object{Key: named("a", "new"), Version: "1", Owners: []graph.Owner{r}}
		if rapid.Bool().Draw(t, "scoped") {
			o.Kind, o.Scope = "p", "s"
		}
		was := w.String()
		class, doubt := w.Classify(o.Scope, r)
		if now := w.String(); now != was {
			t.Fatalf("Classify has changed %s to %s", was, now)
		}
		if k, _ := w.Kind(o.Kind); !k.Known {
			return
		}
		w.do(t, graph.Event{Type: graph.Put, Object: o})
		n, _ := w.Lookup(o.Key)
		if got := n.Reference(0); got.Class != class || got.Doubt != doubt {
			t.Fatalf("%s: Classify says %s (%s), and the graph %s (%s): %s", o, class, doubt, got.Class, got.Doubt, w)
		}
	})
}

// TestClassifyCases: an admission check tells the references apart that a user may mistake.
func TestClassifyCases(t *testing.T) {
	w := play(t, graph.Config{}, "kinds a b+ n-; put a; put b/s/x -> a; put a/w~[foreground]; put n; put a/z; put b/s/d -> a/z; gone a/z")
	for _, c := range []struct{ object, want, reason string }{
		{"b/s/new -> a", "solid (unset)", "the owner is there"},
		{"b/s/new -> a/w", "waiting (unset)", "the owner waits for its dependents"},
		{"b/s/new -> a/z", "dangling (unset)", "the watch has shown its end"},
		{"b/s/new -> a/none", "unknown (owner's kind not listed yet)", "no listing is complete"},
		{"b/s/new -> b/t/x", "unknown (owner in another scope)", "a reference into another scope"},
		{"a/new -> b/s/x", "unknown (global object with a scoped owner)", "a global object with an owner in a scope"},
		{"b/s/new -> n", "unknown (owner's kind may not own)", "a kind that may not own"},
		{"b/s/new -> q", "unknown (owner's kind not served)", "a kind that no store serves"},
		{"b/s/new -> a/x@u?", "unknown (owner's scope not resolvable)", "the store could not resolve it"},
	} {
		o := parse(t, c.object)[0]
		class, doubt := w.Classify(o.Scope, o.Owners[0])
		if got := class.String() + " (" + doubt.String() + ")"; got != c.want {
			t.Errorf("%s: %s, want %s: %s", c.object, got, c.want, c.reason)
		}
	}
}
