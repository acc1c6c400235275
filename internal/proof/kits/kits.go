// Package kits judges the bugs that the tests of a kit plant. Only tests import it.
package kits

import (
	"maps"
	"slices"
	"testing"
)

// CheckLaws reports each law that no planted bug breaks, and each broken law that does not exist. A law
// that no bug breaks may be unable to fail.
func CheckLaws(t testing.TB, laws, broken []string) {
	t.Helper()
	caught := map[string]bool{}
	for _, law := range broken {
		caught[law] = true
	}
	for _, law := range laws {
		if !caught[law] {
			t.Errorf("no mutant breaks the law %s", law)
		}
		delete(caught, law)
	}
	for _, law := range slices.Sorted(maps.Keys(caught)) {
		t.Errorf("there is no law %s", law)
	}
}
