package properties

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

func parsed(t testing.TB, notation string) []graph.Object {
	t.Helper()
	objects, err := graph.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// forest returns an owner with two levels below it, in the kinds of worlds.
func forest(inner, leaves int) []graph.Object {
	root := named(graph.Key{Kind: "g", Name: "root"})
	out := []graph.Object{object(root)}
	for i := range inner {
		k := named(graph.Key{Kind: "h", Name: string(rune('a' + i))})
		out = append(out, object(k, blocking(root)))
		for j := range leaves {
			out = append(out, object(named(graph.Key{Kind: "p", Scope: "s", Name: string(rune('a'+i)) + string(rune('a'+j))}), blocking(k)))
		}
	}
	return out
}

// TestEnginesAtOnce lets two engines share a cascade while a third engine sleeps. The
// third has calls under way and undelivered events. It wakes up in the middle of the
// cascade, or at its end. It goes on with its old knowledge, and completes its calls.
// No object goes that has to stay, and the requests are bounded.
func TestEnginesAtOnce(t *testing.T) {
	const inner, leaves = 4, 8
	for _, c := range []struct {
		verb   string
		wakes  int // after so many rounds
		left   int
		single int // writes of one engine alone
		reason string
	}{
		{"bg", 1000, 0, inner + inner*leaves, "it wakes at the end of a background cascade"},
		{"fg", 1000, 0, inner*leaves + 2*inner + 1, "it wakes at the end of a foreground cascade"},
		{"orphan", 1000, inner + inner*leaves, inner + 1, "it wakes after an orphaning, and no object is deleted"},
		{"bg", 3, 0, inner + inner*leaves, "it wakes in the middle of a background cascade"},
		{"fg", 3, 0, inner*leaves + 2*inner + 1, "it wakes in the middle of a foreground cascade"},
		{"orphan", 3, inner + inner*leaves, inner + 1, "it wakes in the middle of an orphaning"},
	} {
		objects := forest(inner, leaves)
		h, err := begin(settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 3}, objects)
		if err == nil {
			err = h.calm()
		}
		if err != nil {
			t.Fatal(err)
		}
		requests := h.w.Total()
		h.must(t, c.verb+" g/root")
		h.drowse(t, 2, c.wakes)
		if err := h.calm(); err != nil {
			t.Fatal(h.fail(err))
		}
		if err := h.sound(); err != nil {
			t.Fatal(h.fail(err))
		}
		if got := len(h.w.Store.Objects()); got != c.left {
			t.Errorf("%s: %d objects are left, want %d: %s: %s", c.verb, got, c.left, oracle.Line(h.w.Store.Objects()), c.reason)
		}
		// Each engine writes each object at most once. It reads an object again if another
		// engine was faster. There are few fences.
		limit := 3*2*c.single + 3*8
		if n := h.w.Total() - requests; n > limit || n < c.single {
			t.Errorf("%s: %d requests, want at most %d, %d of one engine alone: %s", c.verb, n, limit, c.single, c.reason)
		}
	}
}

// drowse moves the engines in turn for a number of rounds. The sleeper hands out its
// first calls and then sleeps.
func (h *history) drowse(t *testing.T, sleeper, rounds int) {
	t.Helper()
	turn := func(side int) {
		for _, k := range h.w.Kinds {
			h.must(t, at("see", side, string(k.Kind)))
		}
		h.must(t, at("issue", side, "control"))
		for range 4 {
			h.must(t, at("issue", side, "store"))
		}
	}
	turn(sleeper)
	for n := range rounds {
		if n == 0 {
			turn(sleeper)
		}
		before := h.w.Total()
		for side := range h.w.Sides {
			if side == sleeper {
				continue
			}
			turn(side)
			h.must(t, at("complete", side, "0"), at("complete", side, "0"))
		}
		if h.w.Total() == before && n > 3 {
			break
		}
	}
	for len(h.w.Sides[sleeper].Calls) > 0 {
		h.must(t, at("complete", sleeper, "0"))
	}
	for range 20 {
		turn(sleeper)
	}
}

func at(verb string, side int, arg string) string {
	return verb + "@" + string(rune('0'+side)) + " " + arg
}
