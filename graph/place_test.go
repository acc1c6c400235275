package graph

import (
	"strings"
	"testing"
)

// TestPlaceIs: for names of every length, kinds and scopes are equal only if all of their
// bytes are.
func TestPlaceIs(t *testing.T) {
	const text = "abcdefghijklmnopqrstuvwxyz"
	for n := range 20 {
		for m := range 20 {
			at := place{name: Kind(text[:n]), scope: text[:m]}
			if k := (Key{Kind: Kind(strings.Clone(text[:n])), Scope: strings.Clone(text[:m])}); !at.is(&k) {
				t.Fatalf("%q in %q is not itself", k.Kind, k.Scope)
			}
			other := func(s string, i int) string { return s[:i] + "_" + s[i+1:] }
			for i := range n {
				if k := (Key{Kind: Kind(other(text[:n], i)), Scope: text[:m]}); at.is(&k) {
					t.Fatalf("kind %q is %q", k.Kind, at.name)
				}
			}
			for i := range m {
				if k := (Key{Kind: Kind(text[:n]), Scope: other(text[:m], i)}); at.is(&k) {
					t.Fatalf("scope %q is %q", k.Scope, at.scope)
				}
			}
			if at.is(&Key{Kind: Kind(text[:n+1]), Scope: text[:m]}) || at.is(&Key{Kind: Kind(text[:n]), Scope: text[:m+1]}) {
				t.Fatalf("%q in %q is a longer one", at.name, at.scope)
			}
		}
	}
}
