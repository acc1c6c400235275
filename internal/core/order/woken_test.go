package order

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestAsksOnce: a walk may find that an object stays although a decision deletes it. Then the
// decision asks for another walk, once. Each further try is for the queue, with its backoff.
func TestAsksOnce(t *testing.T) {
	for _, c := range []struct {
		objects, name string
		stays         bool
		reason        string
	}{
		{"x2/a~[foreground,ownergraph.github.io/hold] -> r/R!", "x2/a", false, "a held root below the root is deleted again"},
		{"x2/a -> r/R!", "x2/a", true, "a protected object is deleted"},
		{"x2/a -> r/R!, x3/b?", "x2/a", false, "an unknown owner keeps the object"},
	} {
		r := newRig(t, "r/R~[foreground]; x1/first -> r/R!; "+c.objects)
		id := r.id(c.name)
		r.stays[id] = c.stays
		r.rest()
		woken := 0
		for range 10 {
			r.waits(c.name, c.name, c.reason)
			if ids, _ := r.rest(); slices.Contains(ids, id) {
				woken++
			}
		}
		if woken > 1 {
			t.Errorf("%d tries ask for another decision, want one at most: %s", woken, c.reason)
		}
		r.gone("x1/first")
		r.rest()
		if r.opens(); !r.isWoken(c.name) {
			t.Errorf("it is not decided when its phase opens: %s", c.reason)
		}
	}
}

// isWoken reports whether the machine asks for a decision of an object.
func (r *rig) isWoken(name string) bool {
	ids, _ := r.rest()
	return slices.Contains(ids, r.id(name))
}

// TestAwaitedBelowGone: the object for which the root waits is named, although its owner went.
func TestAwaitedBelowGone(t *testing.T) {
	r := newRig(t, "r/R~[foreground]; x1/a~[foreground] -> r/R!; x1/b~[x.io/y] -> x1/a!")
	r.rest()
	r.gone("x1/a")
	r.rest()
	if !r.tryRelease(r.id("r/R")) {
		t.Fatal("the root does not wait")
	}
	if _, _, some, ok := r.m.Awaited(r.view(), r.id("r/R"), 9); !ok || !slices.Equal(some, []graph.NodeID{r.id("x1/b")}) {
		t.Errorf("it waits for %v, want %d", some, r.id("x1/b"))
	}
}

// TestRootInARing: a reference of the root delays no object below it, because the root goes
// last.
func TestRootInARing(t *testing.T) {
	for _, c := range []struct{ late, reason string }{
		{"", "the walk finds the reference"},
		{"r/R#2~[foreground] -> x1/b", "the root gets the reference later"},
	} {
		before := "r/R~[foreground] -> x1/b"
		if c.late != "" {
			before = "r/R~[foreground]"
		}
		r := newRig(t, before+"; x1/b~[foreground] -> r/R!")
		r.rest()
		r.put(c.late)
		r.rest()
		if r.tryRelease(r.id("x1/b")) {
			t.Errorf("the object waits for the root: %s", c.reason)
		}
	}
}
