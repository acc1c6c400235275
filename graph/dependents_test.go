package graph

import (
	"slices"
	"strings"
	"testing"
)

// TestDependentsByUID: the dependents of a UID are those at the owner's coordinates, at others, and
// those of unresolved references. A freed owner has them, too.
func TestDependentsByUID(t *testing.T) {
	for _, c := range []struct{ objects, want, reason string }{
		{"a/o@o#1; a/d#1 -> a/o@o", "d", "the coordinates are right"},
		{"a/o@o#1; a/d#1 -> a/x@o; b/e#1 -> b/o@o", "d e", "another name, and another kind"},
		{"a/o@o#1; a/d#1 -> a/o@o?", "d", "an unresolved reference"},
		{"a/o@o#1; a/d#1 -> a/o@o, a/o@o", "d d", "each reference counts"},
		{"a/d#1 -> a/o@o; a/e#1 -> a/x@o", "d e", "the owner was never observed"},
		{"a/o@o#1 -> a/o@o; a/d#1", "", "a self-reference never counts"},
		{"a/o@o#1; a/d#1 -> a/z@z", "", "another UID"},
		{"a/d#1", "", "an unknown UID"},
		{"a/o@o#1; a/d#1 -> a/x@o; gone a/o@o", "d", "the owner has left the graph"},
	} {
		g := serve(t, Config{})
		objects, end, _ := strings.Cut(c.objects, "; gone ")
		if put(t, g, objects); end != "" {
			k, err := ParseObject(end)
			if err != nil {
				t.Fatal(err)
			}
			apply(t, g, Event{Type: Gone, Key: k.Key})
		}
		var got []string
		for n := range g.DependentsByUID("o") {
			got = append(got, n.Key().Name)
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %q, want %q: %s", c.objects, text, c.want, c.reason)
		}
		for range g.DependentsByUID("o") {
			break // an early end is no fault
		}
	}
}

// TestIsListed: a graph is listed when each kind that a watch can show is listed and well.
func TestIsListed(t *testing.T) {
	g := New(Config{Ignore: []Kind{"i"}})
	if g.IsListed() {
		t.Error("a graph without a set of kinds is not listed")
	}
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "i"}, {Kind: "u", Unwatched: true}}})
	list := func(k Kind) {
		apply(t, g, Event{Type: ListBegun, Kind: k})
		apply(t, g, Event{Type: ListEnded, Kind: k})
		g.EndListing(k)
	}
	for _, c := range []struct {
		do     func()
		want   bool
		reason string
	}{
		{func() { list("a") }, false, "b is not listed"},
		{func() { list("b") }, true, "the ignored and the unwatched kind take no part"},
		{func() { apply(t, g, Event{Type: KindSick, Kind: "b"}) }, false, "a sick kind may have other objects"},
		{func() { apply(t, g, Event{Type: KindRecovered, Kind: "b"}) }, true, "it is well again"},
		{func() { apply(t, g, Event{Type: ListBegun, Kind: "a"}) }, false, "a listing is under way"},
	} {
		if c.do(); g.IsListed() != c.want {
			t.Errorf("%t, want %t: %s", g.IsListed(), c.want, c.reason)
		}
	}
}

// TestIsFenced: a fence has passed when each kind that takes part and the set of kinds passed it.
func TestIsFenced(t *testing.T) {
	g := New(Config{Ignore: []Kind{"i"}})
	apply(t, g, Event{Type: KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "i"}, {Kind: "u", Unwatched: true}}})
	apply(t, g, Event{Type: Put, Object: Object{Key: Key{Kind: "a", Name: "d", UID: "d"}, Version: "1", Owners: []Owner{{Key: Key{Kind: "z", Name: "o", UID: "o"}}}}})
	apply(t, g, Event{Type: KindSick, Kind: "b"})
	for _, c := range []struct {
		reported []Kind
		want     bool
		reason   string
	}{
		{[]Kind{"a", "b", ""}, true, "the ignored, the unwatched and the unserved kind take no part"},
		{[]Kind{"a", "b"}, false, "the set of kinds may have grown"},
		{[]Kind{"a", ""}, false, "a sick kind blocks the fence"},
		{nil, false, "nothing was reported"},
	} {
		reported := map[Kind]bool{}
		for _, k := range c.reported {
			reported[k] = true
		}
		if got := g.IsFenced(reported); got != c.want {
			t.Errorf("%q: %t, want %t: %s", c.reported, got, c.want, c.reason)
		}
	}
	apply(t, g, Event{Type: KindVanished, Kind: "b"})
	if !g.IsFenced(map[Kind]bool{"a": true, "": true}) {
		t.Error("a kind that is no longer served takes no part")
	}
}
