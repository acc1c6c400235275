package kits

import (
	"fmt"
	"slices"
	"testing"
)

// book notes the failures of a test.
type book struct {
	testing.TB
	failures []string
}

func (b *book) Helper() {}

func (b *book) Errorf(format string, args ...any) {
	b.failures = append(b.failures, fmt.Sprintf(format, args...))
}

// TestCheckLaws: each law needs a bug, and each bug a law.
func TestCheckLaws(t *testing.T) {
	for _, c := range []struct {
		laws, broken, want []string
		reason             string
	}{
		{nil, nil, nil, "no law and no bug"},
		{[]string{"a", "b"}, []string{"b", "a", "b"}, nil, "each law has a bug"},
		{[]string{"a", "b"}, []string{"b"}, []string{"no mutant breaks the law a"}, "a law has none"},
		{[]string{"a"}, []string{"a", "c"}, []string{"there is no law c"}, "a bug names a law that is gone"},
	} {
		b := &book{TB: t}
		CheckLaws(b, c.laws, c.broken)
		if !slices.Equal(b.failures, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, b.failures, c.want)
		}
	}
}
