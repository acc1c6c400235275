package properties

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
)

// rootLine returns roots as "a + b", with "near" before the nearest absent owners.
func rootLine(r explain.Root) string {
	var names []string
	for _, k := range r.Keys {
		names = append(names, k.Name)
	}
	line := strings.Join(names, " + ")
	if r.More > 0 {
		line += fmt.Sprintf(" + %d", r.More)
	}
	if r.Nearest {
		return strings.TrimSpace("near " + line)
	}
	return line
}

// TestRoots checks the rules of the root (RULES, Root). Each case is the history of one world.
func TestRoots(t *testing.T) {
	for _, c := range []struct {
		objects, steps string
		want           string // "object: roots"
		reason         string
	}{
		{"a; b -> a; c -> b", "run; bg a; run", "a: a; b: a; c: a", "a root goes down a chain"},
		{"a; b; c -> a, b; d -> c", "run; bg a; bg b; run", "a: a; b: b; c: a + b; d: a + b", "the union of the roots of all owners"},
		{"a; b -> a; c -> a; d -> b, c", "run; bg a; run", "d: a", "two ways to one root"},
		{"a; b -> a!; c -> b!", "run; fg a; run", "a: a; b: a; c: a", "owners that wait have the root of their mark"},
		{"a; b; c -> a, b", "run; bg a; run; bg b; run", "a: a; b: b; c: b", "a was trimmed before b went"},
		{"a; b -> a", "run; orphan a; run; bg b; run", "a: a; b: b", "an orphan is a root"},
		{"a; b -> a", "run; bg b; run; bg a; run", "b: b; a: a", "the owner of b was solid"},
		{"a; b[x.io/f] -> a; c -> b", "run; bg a; run; finish b; run", "b: a; c: a", "the root is fixed at the mark, and the end comes later"},
		{"a; b[x.io/f] -> a; c -> b!", "run; fg b; run; bg a; run; finish b; run", "b: b; c: b", "b was marked while its owner was solid"},
		{"a; b -> a; c -> b", "run; bg a; crash; run", "b: near a; c: near a", "after a restart the nearest absent owner stands in"},
		{"a; b -> b", "run; bg b; run", "b: b", "a reference to itself does not count"},
	} {
		h := rooted(t, c.objects, c.steps)
		for want := range strings.SplitSeq(c.want, "; ") {
			name, roots, _ := strings.Cut(want, ": ")
			k, err := graph.ParseKey(name)
			if err != nil {
				t.Fatal(err)
			}
			x, err := h.w.Sides[0].Engine.Explain(k)
			if err != nil || x.Deletion == nil {
				t.Fatalf("%s: %s: %s, error %v", c.objects, name, x.State, err)
			}
			if got := rootLine(x.Deletion.Root); got != roots {
				t.Errorf("%s: the roots of %s are %q, want %q: %s", c.objects, name, got, roots, c.reason)
			}
		}
	}
}

// rooted returns a world with these objects after these steps.
func rooted(t *testing.T, objects, steps string) *history {
	t.Helper()
	start, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	h, err := begin(settings{Level: ownergraph.Level2, Engines: 1}, start)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(steps, "; ") {
		if err := h.do(line); err != nil {
			t.Fatal(h.fail(err))
		}
	}
	return h
}
