package sim

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// TestPhasedExcuses: an object waits for its phase, and stays for that reason, if each object that
// its report names goes. An owner of a named object counts if the report names it, too, or if the
// report is full.
func TestPhasedExcuses(t *testing.T) {
	objects, err := graph.Parse("k/wait; k/mark~[x]; k/below -> k/mark; k/kept; k/other -> k/kept")
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(ownergraph.Level2, ownergraph.Config{}, 1, []graph.KindInfo{{Kind: "k"}}, objects)
	if err != nil {
		t.Fatal(err)
	}
	key := func(name string) graph.Key {
		k, err := graph.ParseKey("k/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for _, c := range []struct {
		named  []string
		full   bool
		want   bool
		reason string
	}{
		{nil, false, false, "the report names no object"},
		{[]string{"mark"}, false, true, "the object is marked"},
		{[]string{"below", "mark"}, false, true, "its owner is marked, and named"},
		{[]string{"below"}, false, false, "its owner is not named, though the report has room"},
		{[]string{"below"}, true, true, "the full report may lack its owner"},
		{[]string{"mark", "other"}, true, false, "an owner stays, named or not"},
		{[]string{"mark", "kept"}, true, false, "an object stays"},
	} {
		x := awaited{full: c.full}
		for _, name := range c.named {
			x.named = append(x.named, key(name))
		}
		p := phased{key("wait"): x}
		if got := p.excuses(&sim{w: w}, key("wait")); got != c.want {
			t.Errorf("named %v, full %t: %t, want %t: %s", c.named, c.full, got, c.want, c.reason)
		}
	}
}
