package run_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/internal/run"
)

// TestFirstNames: a text has the first names and the number of the others.
func TestFirstNames(t *testing.T) {
	for _, c := range []struct {
		names  string
		all    int
		want   string
		reason string
	}{
		{"", 0, "", "no name"},
		{"a b", 2, "a, b", "all names"},
		{"a b c d e f g h", 8, "a, b, c, d, e, f, g, h", "as many as a text has"},
		{"a b c d e f g h i j", 10, "a, b, c, d, e, f, g, h, and 2 more", "more than a text has"},
		{"a b", 5, "a, b, and 3 more", "a list that the caller has cut"},
	} {
		if got := run.FirstNames(strings.Fields(c.names), c.all); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
