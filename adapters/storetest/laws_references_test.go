package storetest

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
)

// TestReferencesAtEachLevel checks that the references to kinds that are not served are judged
// at every level.
func TestReferencesAtEachLevel(t *testing.T) {
	all := mutantsOfReferences()
	for _, level := range []ownergraph.Level{ownergraph.Level1, ownergraph.Level2, ownergraph.Level3} {
		for _, m := range []mutant{all[0], all[1], all[3]} {
			synctest.Test(t, func(t *testing.T) {
				r := Judge(t.Context(), Config{Search: shortSearch, Level: level, New: func(tb TB) Subject { return m.plant(tb, strictSubject(tb)) }})
				if got := strings.Join(lawsIn(r.Of(Broken)), " "); got != m.law {
					t.Errorf("level %s: %s: breaks %q, want %s", level, m.name, got, m.law)
				}
			})
		}
	}
}
