package spell_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/spell"
)

// TestShort: a name takes little room in a line, and covers no other line.
func TestShort(t *testing.T) {
	long := strings.Repeat("x", 600)
	for _, c := range []struct{ text, want, reason string }{
		{"pod/a", "pod/a", "a usual name"},
		{strings.Repeat("x", 512), strings.Repeat("x", 512), "the longest one"},
		{long, long[:256] + "…" + long[:128], "a longer one"},
		{"é世" + "a\u0301\u0302\u0303\u0304", "é世" + "a\u0301\u0302\u0303\u0304", "marks of a language"},
		{"a" + strings.Repeat("\u0301", 80) + "b\u0301", "a" + strings.Repeat("\u0301", 4) + "…b\u0301", "a heap of marks"},
		{strings.Repeat("世", 200), strings.Repeat("世", 85) + "…" + strings.Repeat("世", 42), "a character is not cut"},
	} {
		if got := spell.Short(c.text); got != c.want {
			t.Errorf("Short(%q) = %q, want %q: %s", c.text, got, c.want, c.reason)
		}
	}
}
