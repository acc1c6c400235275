package workload

import (
	"regexp"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestWorlds(t *testing.T) {
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for _, c := range []struct {
		name        string
		world       *World
		roots, pods int
		reason      string
	}{
		{"trees", Trees(3400), 100, 3000, "1 : 3 : 30"},
		{"cut", Trees(36), 2, 30, "the last tree is a deployment and a replica set"},
		{"star", Star(1000), 1, 1000, "all but the owner are pods"},
		{"chain", Chain(1000), 1, 0, "one root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r, p := len(c.world.Roots()), len(c.world.Leaves()); r != c.roots || p != c.pods {
				t.Errorf("%d roots and %d pods, want %d and %d: %s", r, p, c.roots, c.pods, c.reason)
			}
			g := graph.New(graph.Config{})
			places := map[graph.Key]bool{}
			if _, err := g.Apply(graph.Event{Type: graph.KindsKnown, Kinds: Kinds()}); err != nil {
				t.Fatal(err)
			}
			for i := range c.world.Len() {
				o := c.world.Object(i)
				if !uuid.MatchString(string(o.UID)) {
					t.Fatalf("uid %q", o.UID)
				}
				places[o.Place()] = true
				if d, err := g.Apply(graph.Event{Type: graph.Put, Object: o}); err != nil || len(d.Added) > 0 {
					t.Fatalf("%s: %v, phantoms %v: owners come first", o, err, d.Added)
				}
			}
			if g.Len() != c.world.Len() || len(places) != c.world.Len() {
				t.Errorf("%d nodes at %d places, want %d", g.Len(), len(places), c.world.Len())
			}
		})
	}
}

func TestPodIsLikeOne(t *testing.T) {
	o := Trees(34).Object(33)
	if len(o.Name) != 30 || len(o.Owners) != 1 || o.Owners[0].Name != o.Name[:24] {
		t.Errorf("pod %s: want a name of 30 bytes that begins with its owner's", o)
	}
}

func TestReplace(t *testing.T) {
	w := Trees(34)
	before := w.Object(20)
	w.Replace(20)
	after := w.Object(20)
	if before.UID == after.UID || before.Name == after.Name || before.Owners[0].UID != after.Owners[0].UID {
		t.Errorf("%s was replaced by %s", before, after)
	}
	if again := w.Object(20); again.Key != after.Key || again.Version == after.Version {
		t.Errorf("%s then %s: the same object at another version", after, again)
	}
}

// TestParallel: each object comes once, most dependents come before their owners, and
// the listings end together.
func TestParallel(t *testing.T) {
	const size = 500
	w := Trees(100_000)
	order := w.Parallel(size)
	at := make([]int, w.Len())
	for i := range at {
		at[i] = -1
	}
	for place, i := range order {
		if at[i] >= 0 {
			t.Fatalf("object %d comes twice", i)
		}
		at[i] = place
	}
	early, last := 0, map[graph.Kind]int{}
	for i := range w.Len() {
		if o := w.Owner(i); o >= 0 && at[i] < at[o] {
			early++
		}
		k := w.Key(i).Kind
		last[k] = max(last[k], at[i])
	}
	if len(order) != w.Len() || early < w.Len()*8/10 {
		t.Errorf("%d of %d objects, %d before their owners", len(order), w.Len(), early)
	}
	for k, n := range last {
		if n < w.Len()-3*size {
			t.Errorf("the listing of %s ends at %d", k, n)
		}
	}
}
