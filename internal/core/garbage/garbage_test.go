package garbage_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/garbage"
)

// TestSum: the mixtures of policies, and whether the object goes. A capital letter is a reference
// whose owner goes.
func TestSum(t *testing.T) {
	policies := map[rune]graph.OnDelete{'u': graph.OnDeleteUnset, 'c': graph.OnDeleteCascade, 'l': graph.OnDeleteRelease, 'x': graph.OnDeleteRestrict}
	for _, tc := range []struct {
		refs           string
		goes, cascades bool
		reason         string
	}{
		{"", false, false, "no owner deletes it"},
		{"U", true, false, "all unset owners go"},
		{"Uu", false, false, "one unset owner keeps it"},
		{"Cu", true, true, "one cascade owner is enough"},
		{"cU", true, false, "a living cascade owner does not keep"},
		{"c", false, false, "a living cascade owner deletes nothing"},
		{"LX", false, false, "neither release nor restrict deletes"},
		{"Ulx", true, false, "neither release nor restrict keeps"},
	} {
		var s garbage.Sum
		for _, r := range tc.refs {
			p, lives := policies[r]
			if !lives {
				p = policies[r+'a'-'A']
			}
			s.Add(p, !lives)
		}
		if s.Goes() != tc.goes || s.Cascades() != tc.cascades {
			t.Errorf("%q: goes %v, cascades %v, want %v, %v: %s", tc.refs, s.Goes(), s.Cascades(), tc.goes, tc.cascades, tc.reason)
		}
	}
	for r, p := range policies {
		if garbage.Counts(p) != (r == 'u' || r == 'c') {
			t.Errorf("Counts(%s) is %v: only unset and cascade delete", p, garbage.Counts(p))
		}
	}
}
