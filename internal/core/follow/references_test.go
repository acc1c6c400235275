package follow

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestReferences: an orphan deletion counts the references to its root, and the root as the only member.
func TestReferences(t *testing.T) {
	r := newRig(t, "p/s/o@u; p/s/a -> p/s/o@u; p/s/b -> p/s/o@u!; p/s/c -> p/s/o@u?; p/s/d -> p/s/a; p/s/e -> p/s/z@u; p/s/x -> k/y")
	want := func(references, dropped, gone, left int, reason string) {
		t.Helper()
		if c := r.walk(); c.References != references || c.Dropped != dropped || c.Gone != gone || c.Left != left {
			t.Errorf("%+v, want %d of %d references dropped, %d gone, %d left: %s", c, dropped, references, gone, left, reason)
		}
	}
	all := r.walk().Left
	want(0, 0, 0, all, "no deletion has begun")
	r.put("p/s/o@u#2~[orphan]")
	const total = 4 // of a, b, c and e
	want(total, 0, 0, 1, "the dependents stay, so the root alone goes")
	r.put("p/s/a#2")
	want(total, 1, 0, 1, "one reference is dropped")
	r.put("p/s/f -> p/s/o@u")
	want(total+1, 1, 0, 1, "a late reference has to go, too")
	r.end("p/s/b")
	want(total+1, 2, 1, 1, "a dependent goes with its reference")
	r.hold("p/s/o@u", policy.KindSick)
	if c := r.walk(); c.Held != 1 || c.Blocked != 0 || len(r.Sample(r.view(), 9, true)) != 1 {
		t.Errorf("%+v, want the root alone, held", c)
	}
	r.hold("p/s/o@u", policy.NeedDependents)
	if c := r.walk(); c.Held != 0 || c.Blocked != 1 {
		t.Errorf("%+v, want the root blocked", c)
	}
	r.put("p/s/f#2; p/s/c#2; p/s/e#2")
	r.end("p/s/o@u")
	c := r.walk()
	if c.Dropped != c.References || !c.Over {
		t.Errorf("%+v, want all references dropped, and the end", c)
	}
	r.observe(graph.Event{Type: graph.Rewound})
	r.Rewind()
	if c := r.walk(); c.References != 0 {
		t.Errorf("%+v, want a new count after a rewind", c)
	}
}
