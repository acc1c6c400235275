package terminal

import (
	"bytes"
	"testing"
)

// TestPrintable: no text of an object controls the terminal.
func TestPrintable(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"a\tb\n└── é世\n", "a\tb\n└── é世\n", "lines of a tree stay"},
		{"a\x1b[2Jb", `a\x1b[2Jb`, "an escape sequence"},
		{"a\rb\bc\x7f", `a\rb\bc\x7f`, "characters that overwrite others"},
		{"a\u202eb\u200b", `a\u202eb\u200b`, "a change of direction, and an invisible character"},
		{"a\u009b2J", `a\u009b2J`, "an escape sequence of one character"},
	} {
		if got := Printable(c.text); got != c.want {
			t.Errorf("Printable(%q) = %q, want %q: %s", c.text, got, c.want, c.reason)
		}
		var out bytes.Buffer
		New(&out).Print(c.text)
		if out.String() != c.want {
			t.Errorf("Print(%q) wrote %q, want %q: %s", c.text, &out, c.want, c.reason)
		}
	}
}
