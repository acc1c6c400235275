package spell_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/spell"
)

// TestText checks that a key in a cause has the form of every other name.
func TestText(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{`"apps/Deployment"/shop/web@u`, "Deployment.apps/shop/web", "a key loses its UID"},
		{`"apps/Deployment"/shop/web@u!^`, "Deployment.apps/shop/web", "a reference loses its marks"},
		{`"apps/Deployment"/web@u?`, "Deployment.apps/web", "a reference without a known scope"},
		{"team/blue@u", "team/blue", "a global object of a user's store"},
		{"example.org/hold", "example.org/hold", "a finalizer"},
		{"a/b@c d", "a/b@c d", "it is no key"},
		{`"a b"/c@u`, `"a b"/c`, "a name that the short form cannot have"},
		{"red\x1b[31m", "red\ufffd[31m", "no text controls a terminal"},
		{strings.Repeat("x", 600), strings.Repeat("x", 512) + "...", "a text is bounded"},
	} {
		if got := spell.Text(c.text); got != c.want {
			t.Errorf("Text(%q) = %q, want %q: %s", c.text, got, c.want, c.reason)
		}
	}
}
