package storetest

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// TestReferencesAtEachLevel checks that the references to kinds that are not served are judged
// at every level. By default only the law and those on which it rests judge them.
func TestReferencesAtEachLevel(t *testing.T) {
	all := mutantsOfReferences()
	for _, level := range []ownergraph.Level{ownergraph.Level1, ownergraph.Level2, ownergraph.Level3} {
		for _, m := range []mutant{all[0], all[1], all[3]} {
			some := lawsAlone(m.law)
			if portion.Whole() {
				some = laws()
			}
			synctest.Test(t, func(t *testing.T) {
				r := judgeBy(t.Context(), some, Config{Search: shortSearch, Level: level, New: func(tb TB) Subject { return m.plant(tb, strictSubject(tb)) }})
				if got := strings.Join(lawsIn(r.Of(Broken)), " "); got != m.law {
					t.Errorf("level %s: %s: breaks %q, want %s", level, m.name, got, m.law)
				}
			})
		}
	}
}
