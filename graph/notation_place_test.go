package graph_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

func TestPlace(t *testing.T) {
	for _, tc := range []struct {
		place  graph.Key
		want   string
		reason string
	}{
		{graph.Key{Kind: "pod", Scope: "shop", Name: "web"}, "pod/shop/web", "three parts have a scope"},
		{graph.Key{Kind: "node", Name: "n1"}, "node/n1", "two parts are global"},
		{graph.Key{Kind: "a", Name: "a"}, "a/a", "no short form: a place has a kind and a name"},
		{graph.Key{Kind: "apps/Deployment", Scope: "a/b", Name: "c/d"}, `"apps/Deployment"/"a/b"/"c/d"`, "a slash inside is no separator"},
		{graph.Key{Kind: "a", Name: "b/c"}, `a/"b/c"`, "nor does it make a scope"},
		{graph.Key{Kind: "a", Name: `"`}, `a/"\""`, "a quote is escaped"},
		{graph.Key{Kind: "a", Name: " x\n"}, `a/" x\n"`, "so are blanks and control characters"},
		{graph.Key{Kind: "a", Name: "\xff"}, `a/"\xff"`, "and bytes that are not UTF-8"},
		{graph.Key{Kind: "a", Name: "é"}, `a/"é"`, "another alphabet is quoted"},
		{graph.Key{Kind: "a", Name: "a\u202eb"}, `a/"a\u202eb"`, "what turns text round is escaped"},
		{graph.Key{Kind: "a", Name: "b@c"}, `a/"b@c"`, "it is no UID"},
		{graph.Key{Kind: "a", Name: "-"}, `a/-`, "a dash is plain"},
		{graph.Key{}, `""/""`, "the zero key has a text, for failures"},
	} {
		withUID := tc.place
		withUID.UID = "u"
		if got := withUID.PlaceString(); got != tc.want {
			t.Errorf("PlaceString(%+v) = %s, want %s: %s", tc.place, got, tc.want, tc.reason)
		}
		if got, err := graph.ParsePlace(tc.want); err != nil || got != tc.place {
			t.Errorf("ParsePlace(%s) = %+v, %v, want %+v: %s", tc.want, got, err, tc.place, tc.reason)
		}
	}
}

func TestPlaceErrors(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{"", "byte 1: key: want plain text or a quoted string, found the end", "nothing is no place"},
		{"a", `byte 2: place: want "/" and the name, found the end`, "the kind alone names nothing"},
		{"a/", "byte 3: key: want plain text or a quoted string, found the end", "a name is not empty by accident"},
		{"a/b/c/d", `byte 7: key: more than kind, scope and name: quote a part that has "/"`, "which part is the scope?"},
		{"a/b@u", `byte 4: place: want the end, found "@"`, "a place has no UID"},
		{"a/b'", `byte 4: place: want the end, found "'"`, "nor an incarnation"},
		{"a/b ", `byte 4: place: want the end, found " "`, "one place has one text"},
		{" a/b", `byte 1: key: want plain text or a quoted string, found " "`, "one place has one text"},
		{`"a"/b`, "byte 1: place: another spelling of a/b", "quotes that need not be"},
		{`a/""/b`, "byte 1: place: another spelling of a/b", "a scope that is empty is left out"},
		{`a/"\u0041"`, "byte 1: place: another spelling of a/A", "an escape that need not be"},
		{`a/"b`, "byte 3: key: not a Go string, or it does not end", "a quote is closed"},
		{strings.Repeat("a", 1<<20+1), "text: 1048577 bytes, at most 1048576", "the work is bounded"},
	} {
		got, err := graph.ParsePlace(tc.text)
		if want := "parse place: " + tc.want + ": invalid"; message(err) != want || !errors.Is(err, graph.ErrInvalid) || got != (graph.Key{}) {
			t.Errorf("ParsePlace(%.40q) = %v, %v, want %s: %s", tc.text, got, err, want, tc.reason)
		}
	}
}

// TestPlaceRoundTrip: every place comes back, and different places have different
// text.
func TestPlaceRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawKey().Draw(t, "a"), drawKey().Draw(t, "b")
		if (a.Place() == b.Place()) != (a.PlaceString() == b.PlaceString()) {
			t.Fatalf("%+v and %+v have the text %s and %s", a, b, a.PlaceString(), b.PlaceString())
		}
		if got, err := graph.ParsePlace(a.PlaceString()); err != nil || got != a.Place() {
			t.Fatalf("ParsePlace(%s) = %+v, %v, want %+v", a.PlaceString(), got, err, a.Place())
		}
	})
}

// FuzzPlace: PlaceString writes each place that ParsePlace takes as it was.
func FuzzPlace(f *testing.F) {
	for _, text := range []string{"pod/shop/web", `"a/b"/"\xff"`, `a/""`, "a/b@c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := graph.ParsePlace(text)
		switch {
		case err != nil && (!errors.Is(err, graph.ErrInvalid) || k != graph.Key{}):
			t.Fatalf("ParsePlace(%q): %+v, %v", text, k, err)
		case err == nil && k.PlaceString() != text:
			t.Fatalf("ParsePlace(%q) = %+v, which is written as %q", text, k, k.PlaceString())
		}
	})
}
