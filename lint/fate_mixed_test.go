package lint_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/lint"
)

// TestFateOfMixedOwners: owners of several standings give one fate. Kubernetes' collector
// gives up an object with an owner that it cannot resolve, before it looks at the others.
func TestFateOfMixedOwners(t *testing.T) {
	for _, c := range []struct {
		objects string
		want    string // of the findings about pod/s/a
		reason  string
	}{
		{"pod/s/a -> pod/s/b!, node/n^, pod/s/c^; pod/s/b~[foreground]; node/n; pod/s/c",
			"OG015 owners[2].controller: kept, and the collector drops the reference now", "a waiting owner beside solid ones"},
		{"pod/s/a -> x/s/b, node/n; node/n", "OG009 owners[0].kind: kept until the collector can resolve the owner", "the solid owner does not help"},
		{"pod/s/a -> x/s/b, pod/s/c", "OG001 owners[1].uid: kept until the collector can resolve the owner|OG009 owners[0].kind: kept until the collector can resolve the owner", "neither does a missing one"},
	} {
		r, err := lint.Check(input(t, c.objects), lint.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			if f.Object.Name == "a" {
				got = append(got, f.Code.String()+" "+f.Field+": "+f.Fate.String())
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: got %s, want %s: %s", c.objects, strings.Join(got, "|"), c.want, c.reason)
		}
	}
}
